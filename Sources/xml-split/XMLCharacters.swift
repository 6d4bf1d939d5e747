// Characters and names (XML 1.0, fifth edition, §2.2 and §2.3), looked at in bytes: UTF-8, or an encoding of one byte a
// character.

import FeedCore

/// How bytes stand for characters, once UTF-16 has been transcoded.
enum XMLEncoding: Equatable {
  case utf8
  /// Only 0 to 0x7F.
  case ascii
  case latin1
  case windows1252
  /// Another that has ASCII in its lower half. What the upper half means is not known, so all of it passes.
  case opaque
}

enum XMLCharacters {
  /// What stands at a place where a character should.
  enum Found {
    /// A character and how many bytes it takes.
    case character(UInt32, count: Int)
    /// The bytes end before it does.
    case cut
    /// No character of the encoding, or one that XML does not allow.
    case illegal
  }

  /// [2] Char.
  static func isCharacter(_ code: UInt32) -> Bool {
    switch code {
    case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }

  /// [4] NameStartChar.
  static func isNameStart(_ code: UInt32) -> Bool {
    switch code {
    case 0x3A, 0x41...0x5A, 0x5F, 0x61...0x7A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF,
      0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD,
      0x10000...0xEFFFF:
      true
    default: false
    }
  }

  /// [4a] NameChar.
  static func isNameCharacter(_ code: UInt32) -> Bool {
    switch code {
    case 0x2D, 0x2E, 0x30...0x39, 0xB7, 0x300...0x36F, 0x203F...0x2040: true
    default: isNameStart(code)
    }
  }

  /// [13] PubidChar.
  static func isPublicIDCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0xD, 0xA, UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: Array("-'()+,./:=?;!*#@$_%".utf8).contains(byte)
    }
  }

  /// The character at `index`, which must be inside.
  static func at(_ bytes: borrowing Span<UInt8>, _ index: Int, _ encoding: XMLEncoding) -> Found {
    let first = bytes[index]
    if first < 0x80 {
      return first >= 0x20 || first == 0xA || first == 0x9 || first == 0xD
        ? .character(UInt32(first), count: 1) : .illegal
    }
    switch encoding {
    case .utf8: return utf8(bytes, index)
    case .ascii: return .illegal
    case .latin1: return .character(UInt32(first), count: 1)
    case .opaque: return .character(0xC0, count: 1)  // as good as any letter
    case .windows1252: return .character(SingleByte.windows1252(first), count: 1)
    }
  }

  private static func utf8(_ bytes: borrowing Span<UInt8>, _ index: Int) -> Found {
    let (count, valid) = UTF8Sequence.prefix(in: bytes, at: index)
    guard valid == count else { return count > 0 && index + valid == bytes.count ? .cut : .illegal }
    var code = UInt32(bytes[index]) & (0x7F >> UInt32(count))
    for place in 1..<count { code = code << 6 | UInt32(bytes[index + place] & 0x3F) }
    return isCharacter(code) ? .character(code, count: count) : .illegal
  }

  /// Whether an ASCII byte may be in a name.
  @inline(__always)
  static func isASCIINameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"):
      true
    default: false
    }
  }

  /// Where a name ends.
  enum NameEnd {
    /// The offset behind its last byte: that of `start` where there is no name.
    case at(Int)
    /// The bytes end before another one shows that it is over.
    case cut
  }

  /// Reads a name (or, with `isToken`, an Nmtoken) from `start` on.
  @inline(__always)
  static func nameEnd(
    _ bytes: borrowing Span<UInt8>, _ start: Int, _ encoding: XMLEncoding, isToken: Bool = false, from: Int? = nil
  ) -> NameEnd {
    var index = from ?? start
    while index < bytes.count {
      let byte = bytes[index]
      if isASCIINameByte(byte) {
        if index == start && !isToken && !isNameStart(UInt32(byte)) { return .at(start) }
        index += 1
        continue
      }
      guard byte >= 0x80 else { return .at(index) }
      switch at(bytes, index, encoding) {
      case .cut: return .cut
      case .illegal: return .at(index)
      case .character(let code, let count):
        guard index > start || isToken ? isNameCharacter(code) : isNameStart(code) else { return .at(index) }
        index += count
      }
    }
    return .cut
  }
}

/// The encodings of one byte a character.
enum SingleByte {
  /// 0x80 to 0x9F of windows-1252 (WHATWG Encoding, index windows-1252); all others are those of ISO-8859-1.
  private static let middle: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D,
    0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,
    0x017E, 0x0178,
  ]

  /// A text of one of these encodings as UTF-8; as it is where it is UTF-8 already or nobody knows.
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
