/// `bytes` with control characters written as `\x1b`, and invalid UTF-8 likewise, so that nothing quoted from an
/// input or a server's answer can drive a terminal.
public func printable(_ bytes: [UInt8]) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(bytes.count)
  var index = 0
  while index < bytes.count {
    let length = UTF8Sequence.length(in: bytes.span, at: index)
    let isControl =
      bytes[index] < 0x20 || bytes[index] == 0x7F || (length == 2 && bytes[index] == 0xC2 && bytes[index + 1] < 0xA0)
    if length == 0 || isControl {
      for byte in bytes[index..<(index + max(1, length))] {
        result += Array("\\x".utf8) + [hexDigit(byte >> 4), hexDigit(byte & 15)]
      }
    } else {
      result += bytes[index..<(index + length)]
    }
    index += max(1, length)
  }
  return result
}

/// `printable` for a message.
public func quoted(_ bytes: [UInt8]) -> String { String(decoding: printable(bytes), as: UTF8.self) }

/// `quoted`, with the middle left out of what would be more than a line.
public func shortened(_ bytes: [UInt8]) -> String {
  let limit = 200
  guard bytes.count > limit else { return quoted(bytes) }
  // Both cuts are before the first byte of a character.
  var end = limit / 2
  while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
  let rest = bytes.suffix(limit / 2).drop { $0 & 0xC0 == 0x80 }
  return quoted(Array(bytes[..<end])) + "…" + quoted(Array(rest))
}

/// The lower case hexadecimal digit of 0 to 15.
public func hexDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
