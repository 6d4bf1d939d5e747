import FeedCore

/// Bytes of the input, and those that take their place.
struct Repair: Equatable {
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

/// The places after repairs: offsets in the repaired text, and positions in the input. So messages name places of the
/// input.
struct EditMarks {
  private struct EditMark {
    var offset: Int
    let position: TextPlace
  }

  private var marks: [EditMark] = []
  /// With more, places before the last repair become inexact: half of the marks are forgotten.
  private static let maxCount = 1 << 16

  /// The last mark that is not after `offset`.
  private func index(before offset: Int) -> Int? {
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].offset <= offset { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }

  /// The offset of the last mark that is not after `offset`, and its position. Without a mark, that is the start of the
  /// text.
  func last(before offset: Int, start: TextPlace) -> (offset: Int, position: TextPlace) {
    guard let index = index(before: offset) else { return (0, start) }
    return (marks[index].offset, marks[index].position)
  }

  /// Adds a mark after all others.
  mutating func add(_ offset: Int, _ position: TextPlace) {
    if marks.count == Self.maxCount { marks = marks.indices.filter { $0 % 2 == 1 }.map { marks[$0] } }
    marks.append(EditMark(offset: offset, position: position))
  }

  /// Prepares for the removal of the first `count` bytes.
  mutating func drop(_ count: Int) {
    if marks.isEmpty { return }
    marks.removeFirst(index(before: count).map { $0 + 1 } ?? 0)
    for index in marks.indices { marks[index].offset -= count }
  }
}
