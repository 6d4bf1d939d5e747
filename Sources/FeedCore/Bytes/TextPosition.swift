/// The place of an error in a text.
package struct TextPlace: Equatable, Sendable {
  /// Counted from 1; lines end at LF.
  package let line: Int
  /// In bytes, counted from 1.
  package let column: Int
  /// The known part of the line's text, for the caret.
  package let excerpt: [UInt8]

  package init(line: Int, column: Int, excerpt: [UInt8] = []) {
    self.line = line
    self.column = column
    self.excerpt = excerpt
  }
}

/// A position in a text: lines from 1, ended by LF; columns in bytes, from 1.
package struct TextPosition: Equatable, Sendable {
  package private(set) var line = 1
  package private(set) var column = 1

  package init() {}

  /// Moves past `range` of `bytes`.
  package mutating func advance(over bytes: borrowing Span<UInt8>, _ range: Range<Int>) {
    let lines = count(of: UInt8(ascii: "\n"), in: bytes, range)
    guard lines > 0 else {
      column += range.count
      return
    }
    line += lines
    // Back to the start of the last line; the line ends have just been counted.
    var start = range.upperBound
    while bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
    column = range.upperBound - start + 1
  }

  /// The place of `offset` in `bytes`, where this position is that of the byte at `first`.
  package func place(of offset: Int, in bytes: [UInt8], from first: Int = 0) -> TextPlace {
    var position = self
    let offset = min(offset, bytes.count)
    position.advance(over: bytes.span, first..<offset)
    let start = max(first, offset - (position.column - 1))
    let end = firstIndex(of: UInt8(ascii: "\n"), in: bytes.span, offset..<bytes.count) ?? bytes.count
    // The line may have begun before these bytes. Then its start is unknown, and there is no caret.
    let excerpt = offset - start == position.column - 1 ? Array(bytes[start..<end]) : []
    return TextPlace(line: position.line, column: position.column, excerpt: excerpt)
  }
}
