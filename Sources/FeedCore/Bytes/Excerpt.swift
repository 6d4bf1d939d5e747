// Excerpts of an input or of a server's answer, for messages.

/// `bytes` with invalid UTF-8 and what could control a terminal written as `\x1b`.
package func printable(_ bytes: some Sequence<UInt8>) -> [UInt8] {
  let bytes = Array(bytes)
  var result: [UInt8] = []
  result.reserveCapacity(bytes.count)
  var index = 0
  while index < bytes.count {
    let length = UTF8Sequence.length(in: bytes.span, at: index)
    if length == 0 || dangerousCharacter(bytes, index..<(index + length)) != nil {
      for byte in bytes[index..<(index + max(1, length))] { result += Array("\\x".utf8) + byte.hexDigits }
    } else {
      result += bytes[index..<(index + length)]
    }
    index += max(1, length)
  }
  return result
}

/// The character at the start of the range if it could control a terminal, or turn round the order of the text on it:
/// a control character (C0, DEL, C1) or a mark of direction (Unicode UAX #9 §2).
@inline(__always)
package func dangerousCharacter(_ text: [UInt8], _ range: Range<Int>) -> UInt16? {
  let index = range.lowerBound
  switch text[index] {
  case 0..<0x20, 0x7F: return UInt16(text[index])
  case 0xC2 where range.count > 1 && text[index + 1] < 0xA0: return UInt16(text[index + 1])
  case 0xD8 where range.count > 1 && text[index + 1] == 0x9C: return 0x061C
  case 0xE2 where range.count > 2:
    let codePoint = 0x2000 | UInt16(text[index + 1] & 0x3F) << 6 | UInt16(text[index + 2] & 0x3F)
    let isDirection = (0x202A...0x202E).contains(codePoint) || (0x2066...0x2069).contains(codePoint)
    return isDirection || (0x200E...0x200F).contains(codePoint) ? codePoint : nil
  default: return nil
  }
}

/// `printable` for a message.
package func quoted(_ bytes: some Sequence<UInt8>) -> String { String(decoding: printable(bytes), as: UTF8.self) }

/// `quoted`, cut after `limit` bytes and followed by `…`.
package func beginning(of bytes: [UInt8], upTo limit: Int) -> String {
  bytes.count <= limit ? quoted(bytes) : quoted(bytes.wholeCharacters(upTo: limit)) + "…"
}

/// `quoted`, without its middle if it would be longer than twice `half`.
package func shortened(_ bytes: [UInt8], half: Int = 100) -> String {
  guard bytes.count > 2 * half else { return quoted(bytes) }
  return beginning(of: bytes, upTo: half) + quoted(bytes.suffix(half).drop(while: UTF8.isContinuation))
}

extension [UInt8] {
  /// The first bytes, at most `limit`, without an incomplete character at the end.
  package func wholeCharacters(upTo limit: Int) -> ArraySlice<UInt8> {
    guard count > limit else { return self[...] }
    return self[..<(self[...limit].lastIndex { !UTF8.isContinuation($0) } ?? 0)]
  }
}
