import FeedCore

/// The part of the input that may still be needed, and the position of its first byte.
struct Window {
  var bytes: [UInt8] = []
  private var position = TextPlace()
  private var marks = EditMarks()
  /// Input that follows `bytes`, from `restStart`: after a repair it comes in small slices, because another repair
  /// moves all bytes after it.
  private var rest: [UInt8] = []
  private var restStart = 0

  private static let sliceSize = 4096

  /// Removes the bytes before an offset.
  mutating func drop(_ count: Int) {
    var mark = marks.last(before: count, start: position)
    mark.position.advance(over: bytes.span, mark.offset..<count)
    position = mark.position
    marks.drop(count)
    bytes.removeFirst(count)
  }

  /// Moves past input bytes that are not wanted, while the window is empty.
  mutating func advance(over others: [UInt8], _ range: Range<Int>) {
    position.advance(over: others.span, range)
  }

  func place(of offset: Int) -> TextPlace {
    let mark = marks.last(before: offset, start: position)
    return mark.position.place(of: offset, in: bytes, from: mark.offset)
  }

  // MARK: Repairs

  /// Whether input is held back.
  var hasRest: Bool { restStart < rest.count }

  /// Changes bytes that are after all others that were changed.
  mutating func apply(_ repair: Repair) {
    let range = repair.range
    var mark = marks.last(before: range.lowerBound, start: position)
    mark.position.advance(over: bytes.span, mark.offset..<range.upperBound)
    holdBack(from: range.upperBound + Self.sliceSize)
    bytes.replaceSubrange(range, with: repair.replacement)
    marks.add(range.lowerBound + repair.replacement.count, mark.position)
  }

  private mutating func holdBack(from end: Int) {
    guard end < bytes.count else { return }
    rest.replaceSubrange(..<restStart, with: bytes[end...])
    restStart = 0
    bytes.removeLast(bytes.count - end)
  }

  /// Takes the next slice of the input that is held back, or all of it.
  mutating func takeRest(all: Bool = false) {
    let end = all ? rest.count : min(restStart + Self.sliceSize, rest.count)
    bytes += rest[restStart..<end]
    restStart = end
  }
}
