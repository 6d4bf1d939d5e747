// The encodings of a text.

import FeedCore

/// The encoding of a text, after UTF-16 has been transcoded.
enum XMLEncoding: Equatable {
  case utf8
  /// Only 0 to 0x7F.
  case ascii
  case latin1
  case windows1252
  /// Another encoding with ASCII in its lower half. Its upper half is unknown, so every byte there is accepted.
  case opaque
  /// Shift_JIS, and other encodings with two bytes a character (Big5, GBK; four in GB 18030), whose second may look
  /// like ASCII.
  case shiftJIS, doubleByte

  /// Whether only its ASCII part is known, so that it cannot be converted to UTF-8.
  var isOpaque: Bool { self == .opaque || self == .shiftJIS || self == .doubleByte }

  /// The encoding after conversion to UTF-8, if that is possible.
  var converted: XMLEncoding { isOpaque ? self : .utf8 }
}

/// Encodings with one byte for each character.
enum SingleByte {
  /// 0x80 to 0x9F of windows-1252 (WHATWG Encoding, index windows-1252); all others are those of ISO-8859-1.
  private static let middle: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D,
    0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,
    0x017E, 0x0178,
  ]

  /// A text in one of these encodings as UTF-8; in any other, unchanged.
  static func utf8(_ text: [UInt8], _ encoding: XMLEncoding) -> [UInt8] {
    guard encoding == .latin1 || encoding == .windows1252 else { return text }
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    for byte in text {
      UTF8Sequence.append(encoding == .latin1 ? UInt32(byte) : windows1252(byte), to: &result)
    }
    return result
  }

  static func windows1252(_ byte: UInt8) -> UInt32 {
    (0x80..<0xA0).contains(byte) ? middle[Int(byte) - 0x80] : UInt32(byte)
  }
}
