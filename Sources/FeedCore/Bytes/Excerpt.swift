// Excerpts of an input or of a server's answer, for messages.

/// `bytes` with control characters and invalid UTF-8 written as `\x1b`, so that quoted text cannot control a terminal.
package func printable(_ bytes: some Sequence<UInt8>) -> [UInt8] {
  let bytes = Array(bytes)
  var result: [UInt8] = []
  result.reserveCapacity(bytes.count)
  var index = 0
  while index < bytes.count {
    let length = UTF8Sequence.length(in: bytes.span, at: index)
    let isControl =
      bytes[index] < 0x20 || bytes[index] == 0x7F || (length == 2 && bytes[index] == 0xC2 && bytes[index + 1] < 0xA0)
    if length == 0 || isControl {
      for byte in bytes[index..<(index + max(1, length))] { result += Array("\\x".utf8) + byte.hexDigits }
    } else {
      result += bytes[index..<(index + length)]
    }
    index += max(1, length)
  }
  return result
}

/// `printable` for a message.
package func quoted(_ bytes: some Sequence<UInt8>) -> String { String(decoding: printable(bytes), as: UTF8.self) }

/// `quoted`, cut after `limit` bytes and followed by `…`.
package func beginning(of bytes: [UInt8], upTo limit: Int) -> String {
  bytes.count <= limit ? quoted(bytes) : quoted(bytes.wholeCharacters(upTo: limit)) + "…"
}

/// `quoted`, without its middle if it would be longer than a line.
package func shortened(_ bytes: [UInt8]) -> String {
  let half = 100
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
