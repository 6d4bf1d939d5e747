// The part of the input that may still be needed, and the position of its first byte.

import FeedCore

struct Window {
  var bytes: [UInt8] = []
  private var position = TextPosition()

  /// Removes the bytes before an offset.
  mutating func drop(_ count: Int) {
    advance(over: bytes, 0..<count)
    bytes.removeFirst(count)
  }

  /// Moves past input bytes that are not wanted, while the window is empty.
  mutating func advance(over others: [UInt8], _ range: Range<Int>) {
    position.advance(over: others.span, range)
  }

  func place(of offset: Int) -> TextPlace { position.place(of: offset, in: bytes) }
}
