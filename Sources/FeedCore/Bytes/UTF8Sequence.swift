/// UTF-8 as RFC 3629 §4 defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
package enum UTF8Sequence {
  /// The length of the well-formed sequence at `index`: 1 to 4; 0 if there is none.
  @inline(__always)
  package static func length(in bytes: borrowing Span<UInt8>, at index: Int) -> Int {
    let lead = bytes[index]
    if lead < 0x80 { return 1 }
    let (length, valid) = prefix(in: bytes, at: index)
    return valid == length ? length : 0
  }

  /// The length that the sequence at `index` should have by its lead byte, and how many of its bytes are there and
  /// right.
  ///
  /// The second is the length of the *maximal subpart*, which Unicode §3.9 and the Encoding standard replace by one
  /// U+FFFD; it is at least 1. The first is 0 for a byte that cannot lead.
  package static func prefix(in bytes: borrowing Span<UInt8>, at index: Int) -> (length: Int, valid: Int) {
    let lead = bytes[index]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0x00...0x7F: return (1, 1)
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF:
      length = 3
      if lead == 0xE0 { second = 0xA0...0xBF }
      if lead == 0xED { second = 0x80...0x9F }
    case 0xF0...0xF4:
      length = 4
      if lead == 0xF0 { second = 0x90...0xBF }
      if lead == 0xF4 { second = 0x80...0x8F }
    default: return (0, 1)
    }
    var valid = 1
    while valid < length, index + valid < bytes.count,
      (valid == 1 ? second : 0x80...0xBF).contains(bytes[index + valid])
    {
      valid += 1
    }
    return (length, valid)
  }

  /// Appends a code point in UTF-8. A surrogate is written in three bytes in the same way (WTF-8). Only comparison
  /// needs that: a lone `\ud800` must equal itself and nothing else.
  package static func append(_ codePoint: UInt32, to bytes: inout [UInt8]) {
    switch codePoint {
    case 0..<0x80: bytes.append(UInt8(codePoint))
    case 0x80..<0x800:
      bytes.append(UInt8(0xC0 | codePoint >> 6))
      bytes.append(UInt8(0x80 | codePoint & 0x3F))
    case 0x800..<0x10000:
      bytes.append(UInt8(0xE0 | codePoint >> 12))
      bytes.append(UInt8(0x80 | codePoint >> 6 & 0x3F))
      bytes.append(UInt8(0x80 | codePoint & 0x3F))
    default:
      bytes.append(UInt8(0xF0 | codePoint >> 18))
      bytes.append(UInt8(0x80 | codePoint >> 12 & 0x3F))
      bytes.append(UInt8(0x80 | codePoint >> 6 & 0x3F))
      bytes.append(UInt8(0x80 | codePoint & 0x3F))
    }
  }
}
