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
  /// Shift_JIS, and others of two bytes a character (Big5, GBK; four in GB 18030), whose second may look like ASCII.
  case shiftJIS, doubleByte

  /// Whether only ASCII is known of it, so that it cannot become UTF-8.
  var isOpaque: Bool { self == .opaque || self == .shiftJIS || self == .doubleByte }

  /// What a text is in once it has become UTF-8 where it can.
  var converted: XMLEncoding { isOpaque ? self : .utf8 }
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
    byte.isLetter || byte.isDigit || byte.isLineEnd || " -'()+,./:=?;!*#@$_%".utf8.contains(byte)
  }

  /// The character at `index`, which must be inside.
  static func at(_ bytes: borrowing Span<UInt8>, _ index: Int, _ encoding: XMLEncoding) -> Found {
    let first = bytes[index]
    if first < 0x80 {
      return first >= 0x20 || first.isWhiteSpace ? .character(UInt32(first), count: 1) : .illegal
    }
    switch encoding {
    case .utf8: return utf8(bytes, index)
    case .ascii: return .illegal
    case .latin1: return .character(UInt32(first), count: 1)
    case .opaque: return .character(0xC0, count: 1)  // as good as any letter
    case .windows1252: return .character(SingleByte.windows1252(first), count: 1)
    case .shiftJIS, .doubleByte:
      let isSingle = first == 0x80 || first == 0xFF || (encoding == .shiftJIS && 0xA0...0xDF ~= first)
      if isSingle { return .character(0xC0, count: 1) }
      return twoBytes(bytes, index, encoding)
    }
  }

  /// What begins with the first byte of two. The second is none that markup is made of.
  private static func twoBytes(_ bytes: borrowing Span<UInt8>, _ index: Int, _ encoding: XMLEncoding) -> Found {
    guard index + 1 < bytes.count else { return .cut }
    let second = bytes[index + 1]
    if second >= 0x40 { return second == 0x7F ? .illegal : .character(0xC0, count: 2) }
    guard encoding == .doubleByte, second.isDigit else { return .illegal }
    guard index + 3 < bytes.count else { return .cut }
    let isFour = bytes[index + 2] >= 0x81 && bytes[index + 3].isDigit
    return isFour ? .character(0xC0, count: 4) : .illegal
  }

  private static func utf8(_ bytes: borrowing Span<UInt8>, _ index: Int) -> Found {
    let (count, valid) = UTF8Sequence.prefix(in: bytes, at: index)
    guard valid == count else { return count > 0 && index + valid == bytes.count ? .cut : .illegal }
    var code = UInt32(bytes[index]) & (0x7F >> UInt32(count))
    for place in 1..<count { code = code << 6 | UInt32(bytes[index + place] & 0x3F) }
    return isCharacter(code) ? .character(code, count: count) : .illegal
  }

  /// The offset behind the characters of UTF-8 that stand at `start`, each of two to four bytes, as far as that can be
  /// told by words. What comes then, `at` has to judge: ASCII, something cut or illegal, or the last few bytes.
  @inline(__always)
  static func wideEnd(_ bytes: borrowing Span<UInt8>, _ start: Int) -> Int {
    var index = start
    while index + 8 <= bytes.count {
      // The first byte lowest. Of each length: the marks of all its bytes, then what would make it overlong or too much.
      let word = loadWord(bytes, at: index)
      if word & 0xC0E0 == 0x80C0 {
        guard word & 0x1E != 0 else { return index }
        index += 2
      } else if word & 0xC0_C0F0 == 0x80_80E0 {
        // Five bits tell an overlong form and a surrogate; U+FFFE and U+FFFF are no characters of XML.
        let top = word & 0x200F
        guard top != 0, top != 0x200D, word & 0xFE_FFFF != 0xBE_BFEF else { return index }
        index += 3
      } else if word & 0xC0C0_C0F8 == 0x8080_80F0 {
        // 1 to 16, the plane.
        let plane = (word & 0x7) << 2 | (word >> 12) & 0x3
        guard plane &- 1 < 16 else { return index }
        index += 4
      } else {
        return index
      }
    }
    return index
  }

  /// Whether an ASCII byte may be in a name.
  @inline(__always)
  static func isASCIINameByte(_ byte: UInt8) -> Bool {
    isASCIINameStart(byte) || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }

  @inline(__always)
  private static func isASCIINameStart(_ byte: UInt8) -> Bool {
    byte.isLetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
  }

  /// The places of a word that hold no ASCII that may be in a name. Exact for all eight.
  @inline(__always)
  private static func noNamePlaces(_ word: UInt64) -> UInt64 {
    let low = word & .repeating(0x7F)
    let letter = low | .repeating(0x20)
    // For seven bits: adding 0x80 - x makes the high bit tell whether a byte is at least x.
    let letters = (letter &+ .repeating(0x80 - 0x61)) & ~(letter &+ .repeating(0x80 - 0x7B))  // a to z
    let digits = (low &+ .repeating(0x80 - 0x30)) & ~(low &+ .repeating(0x80 - 0x3B))  // 0 to 9 and :
    let dashes = (low &+ .repeating(0x80 - 0x2D)) & ~(low &+ .repeating(0x80 - 0x2F))  // - and .
    let underscore = (low &+ .repeating(0x80 - 0x5F)) & ~(low &+ .repeating(0x80 - 0x60))
    return (~(letters | digits | dashes | underscore) | word) & .repeating(0x80)
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
    _ bytes: borrowing Span<UInt8>, _ start: Int, _ encoding: XMLEncoding, isToken: Bool = false
  ) -> NameEnd {
    guard start < bytes.count else { return .cut }
    let first = bytes[start]
    if first < 0x80, !isToken, !isASCIINameStart(first) { return .at(start) }
    var index = start
    while index + 8 <= bytes.count {
      let others = noNamePlaces(loadWord(bytes, at: index))
      index += others.lowestPlace
      if others != 0 {
        if bytes[index] < 0x80 { return .at(index) }
        break
      }
    }
    return slowNameEnd(bytes, start, index, encoding, isToken: isToken)
  }

  /// Goes on from `index`, character by character.
  private static func slowNameEnd(
    _ bytes: borrowing Span<UInt8>, _ start: Int, _ index: Int, _ encoding: XMLEncoding, isToken: Bool
  ) -> NameEnd {
    var index = index
    while index < bytes.count {
      let byte = bytes[index]
      if isASCIINameByte(byte) {
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
