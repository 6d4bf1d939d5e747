/// A place in a text. Its parser moves it along; a message shows it with the text of the line.
package struct TextPlace: Equatable, Sendable {
  /// Counted from 1; lines end at LF.
  package private(set) var line: Int
  /// In bytes, counted from 1.
  package private(set) var column: Int
  /// The known part of the line's text, for the caret; empty while the place moves.
  package private(set) var excerpt: [UInt8]

  package init(line: Int = 1, column: Int = 1, excerpt: [UInt8] = []) {
    (self.line, self.column, self.excerpt) = (line, column, excerpt)
  }

  /// Moves past `range` of `bytes`.
  package mutating func advance(over bytes: borrowing Span<UInt8>, _ range: Range<Int>) {
    guard let lineEnd = firstIndex(of: UInt8(ascii: "\n"), in: bytes, range) else {
      column += range.count
      return
    }
    line += count(of: UInt8(ascii: "\n"), in: bytes, lineEnd..<range.upperBound)
    // Back to the start of the last line; the line ends have just been counted.
    var start = range.upperBound
    while bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
    column = range.upperBound - start + 1
  }

  /// The place of `offset` in `bytes`, where this place is that of the byte at `first`.
  package func place(of offset: Int, in bytes: [UInt8], from first: Int = 0) -> TextPlace {
    var place = self
    let offset = min(offset, bytes.count)
    place.advance(over: bytes.span, first..<offset)
    let start = max(first, offset - (place.column - 1))
    let end = firstIndex(of: UInt8(ascii: "\n"), in: bytes.span, offset..<bytes.count) ?? bytes.count
    // The line may have begun before these bytes. Then its start is unknown, and there is no caret.
    if offset - start == place.column - 1 { place.excerpt = Array(bytes[start..<end]) }
    return place
  }
}

// An error in an input. A parser knows neither where the input came from nor which options exist. It reports the error
// and its offset, and the tool makes a message of them.

/// A limit of ours that an input exceeded.
package enum Limit: Hashable, Sendable { case depth, size }

/// An error that has a text.
package protocol MessageError: Error {
  /// Lower case, no full stop.
  var message: String { get }
  /// The limit that the input exceeded, if that is the error.
  var limit: Limit? { get }
}

/// An error at an offset in a text.
package protocol LocatedError: MessageError {
  /// In bytes from the start of the text.
  var offset: Int { get }
}

extension MessageError {
  package var limit: Limit? { nil }
}
