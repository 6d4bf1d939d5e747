/// A place in a text as people count it: lines from 1, ended by LF; columns in bytes, from 1.
public struct TextPosition: Equatable, Sendable {
  public private(set) var line = 1
  public private(set) var column = 1

  public init() {}

  /// Moves past `range` of `bytes`.
  public mutating func advance(over bytes: borrowing Span<UInt8>, _ range: Range<Int>) {
    var start = range.lowerBound
    while let end = firstIndex(of: UInt8(ascii: "\n"), in: bytes, start..<range.upperBound) {
      line += 1
      column = 1
      start = end + 1
    }
    column += range.upperBound - start
  }

  /// The place of `offset` in `bytes`, whose first byte is at this position, with its line for the caret.
  public func place(of offset: Int, in bytes: [UInt8]) -> ToolError.Place {
    var position = self
    let offset = min(offset, bytes.count)
    position.advance(over: bytes.span, 0..<offset)
    let start = max(0, offset - (position.column - 1))
    let end = firstIndex(of: UInt8(ascii: "\n"), in: bytes.span, offset..<bytes.count) ?? bytes.count
    // The line may have begun before these bytes; then there is no telling what stood there, and no caret.
    let excerpt = offset - start == position.column - 1 ? Array(bytes[start..<end]) : []
    return ToolError.Place(line: position.line, column: position.column, excerpt: excerpt)
  }
}
