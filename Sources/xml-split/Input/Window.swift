import FeedCore

/// Bytes of the input, and those that take their place.
struct Repair {
  let range: Range<Int>
  let replacement: [UInt8]

  init(_ range: Range<Int>, _ replacement: [UInt8]) {
    self.range = range
    self.replacement = replacement
  }

  /// How many bytes longer the text becomes.
  var growth: Int { replacement.count - range.count }

  init(_ range: Range<Int>, _ replacement: StaticString) {
    self.init(range, Array(replacement.description.utf8))
  }
}

/// The part of the input that may still be needed. Messages name places of the input, also after repairs.
struct Window {
  var bytes: [UInt8] = []
  /// Offsets in `bytes`, and their positions in the input: of the first byte, and of the byte after each repair.
  private var marks: [(offset: Int, position: TextPlace)] = [(0, TextPlace())]
  /// With more, places before the last repair become inexact: half of the marks are forgotten.
  private static let maxMarks = 1 << 16
  /// Input that follows `bytes`, from `restStart`: after a repair it comes in small slices, because another repair
  /// moves all bytes after it.
  private var rest: [UInt8] = []
  private var restStart = 0

  private static let sliceSize = 4096

  /// Removes the bytes before an offset.
  mutating func drop(_ count: Int) {
    let last = lastMark(before: count)
    marks[last] = (count, position(of: count))
    marks.removeFirst(last)
    for index in marks.indices { marks[index].offset -= count }
    bytes.removeFirst(count)
  }

  /// Moves past input bytes that are not wanted, while the window is empty.
  mutating func advance(over others: [UInt8], _ range: Range<Int>) {
    marks[0].position.advance(over: others.span, range)
  }

  func place(of offset: Int) -> TextPlace {
    let mark = marks[lastMark(before: offset)]
    return mark.position.place(of: offset, in: bytes, from: mark.offset)
  }

  private func position(of offset: Int) -> TextPlace {
    var mark = marks[lastMark(before: offset)]
    mark.position.advance(over: bytes.span, mark.offset..<offset)
    return mark.position
  }

  /// The index of the last mark that is not after `offset`.
  private func lastMark(before offset: Int) -> Int {
    var (low, high) = (1, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].offset <= offset { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  // MARK: Repairs

  /// Whether input is held back.
  var hasRest: Bool { restStart < rest.count }

  /// Changes bytes that are after all others that were changed.
  mutating func apply(_ repair: Repair) {
    let range = repair.range
    let position = position(of: range.upperBound)
    holdBack(from: range.upperBound + Self.sliceSize)
    bytes.replaceSubrange(range, with: repair.replacement)
    if marks.count > Self.maxMarks { marks = marks.indices.filter { $0 % 2 == 0 }.map { marks[$0] } }
    marks.append((range.lowerBound + repair.replacement.count, position))
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
