// The part of the input that has come and may still be needed, and the place of its first byte.

import FeedCore

struct Window {
  var bytes: [UInt8] = []
  private var position = TextPosition()

  /// Forgets the bytes before an offset.
  mutating func drop(_ count: Int) {
    advance(over: bytes, 0..<count)
    bytes.removeFirst(count)
  }

  /// Passes over bytes that come next and are not wanted here, when nothing else is.
  mutating func advance(over others: [UInt8], _ range: Range<Int>) {
    position.advance(over: others.span, range)
  }

  func place(of offset: Int) -> TextPlace { position.place(of: offset, in: bytes) }
}
