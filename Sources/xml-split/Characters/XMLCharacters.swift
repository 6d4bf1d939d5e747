import FeedCore

/// Characters (XML 1.0, fifth edition, §2.2), as bytes.
enum XMLCharacters {
  /// The result of reading a character.
  enum Found {
    /// A character and how many bytes it takes.
    case character(UInt32, count: Int)
    /// The bytes end within the character.
    case cut
    /// Invalid in the encoding, or not allowed in XML.
    case illegal
  }

  /// U+000C, which no XML document may contain, and which is no part of another character in any encoding. So it can
  /// separate two documents, even if the first was cut.
  static let formFeed: UInt8 = 0xC

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

  /// The character at `index`, which must be in range.
  static func at(_ bytes: borrowing Span<UInt8>, _ index: Int) -> Found {
    let first = bytes[index]
    if first < 0x80 {
      return first >= 0x20 || first.isWhiteSpace ? .character(UInt32(first), count: 1) : .illegal
    }
    return utf8(bytes, index)
  }

  private static func utf8(_ bytes: borrowing Span<UInt8>, _ index: Int) -> Found {
    let (count, valid) = UTF8Sequence.prefix(in: bytes, at: index)
    guard valid == count else { return count > 0 && index + valid == bytes.count ? .cut : .illegal }
    var code = UInt32(bytes[index]) & (0x7F >> UInt32(count))
    for place in 1..<count { code = code << 6 | UInt32(bytes[index + place] & 0x3F) }
    return isCharacter(code) ? .character(code, count: count) : .illegal
  }

  /// The offset after UTF-8 characters of two to four bytes from `start`, as far as words can decide. `at` must check
  /// what follows: ASCII, something cut or invalid, or the last few bytes.
  @inline(__always)
  static func wideEnd(_ bytes: borrowing Span<UInt8>, _ start: Int) -> Int {
    var index = start
    while index + 8 <= bytes.count {
      // The first byte is lowest. For each length: first check the marks of all bytes, then overlong forms and the
      // upper limit.
      let word = loadWord(bytes, at: index)
      if word & 0xC0E0 == 0x80C0 {
        guard word & 0x1E != 0 else { return index }
        index += 2
      } else if word & 0xC0_C0F0 == 0x80_80E0 {
        // Five bits show an overlong form or a surrogate; U+FFFE and U+FFFF are not characters of XML.
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
}
