import FeedCore

/// The line before a document with its length in bytes (--length-prefixed). Blank lines before it only keep a connection
/// alive.
struct LengthPrefix {
  /// More digits than any length has.
  private static let maxDigits = 18

  private var length = 0
  private var digits = 0
  private var hasReturn = false

  /// Whether the line has begun.
  var isInside: Bool { digits > 0 }

  /// Reads the next byte.
  /// - Returns: the length, at the byte that ends the line.
  mutating func take(_ byte: UInt8) throws(XMLError) -> Int? {
    switch byte {
    case let digit where digit.isDigit && !hasReturn && digits < Self.maxDigits:
      length = length * 10 + Int(digit - UInt8(ascii: "0"))
      digits += 1
      return nil
    case UInt8(ascii: "\r") where !hasReturn:
      hasReturn = true
      return nil
    case let blank where blank.isBlank && digits == 0 && !hasReturn:
      return nil
    case UInt8(ascii: "\n"):
      defer { self = LengthPrefix() }
      return digits > 0 ? length : nil
    default: throw XMLError("expected a line with the length of a document", at: 0)
    }
  }
}
