import Testing

@testable import FeedCore

struct ByteScanTests {
  /// Bytes that differ from a line feed by a carry or a bit.
  static let bytes = (0..<300).map { [0x0A, 0x0B, 0x8A, 0x0A, 0x00, 0x41, 0xFF][$0 * $0 % 31 % 7] as UInt8 }

  @Test func counting() {
    for start in 0..<40 {
      for end in stride(from: start, through: Self.bytes.count, by: 7) {
        let expected = Self.bytes[start..<end].count { $0 == 0x0A }
        #expect(count(of: 0x0A, in: Self.bytes.span, start..<end) == expected)
      }
    }
  }

  /// A position does not depend on how the text before it was cut.
  @Test(arguments: [1, 2, 31, 32, 33, 100])
  func positions(_ size: Int) {
    var position = TextPlace()
    for start in stride(from: 0, to: Self.bytes.count, by: size) {
      position.advance(over: Self.bytes.span, start..<min(start + size, Self.bytes.count))
    }
    let lines = Self.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    #expect(position.line == lines.count && position.column == lines[lines.count - 1].count + 1)
  }
}
