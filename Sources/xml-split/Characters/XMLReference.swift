import FeedCore

/// References ([66] CharRef, [68] EntityRef).
enum XMLReference {
  case character(UInt32)
  case entity([UInt8])

  /// - Parameter range: from the `&` to after the `;`.
  init(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) throws(XMLError) {
    let inside = array(bytes, (range.lowerBound + 1)..<(range.upperBound - 1))
    guard inside.first == UInt8(ascii: "#") else {
      guard XMLName.isName(inside) else {
        throw XMLError("expected a name and ';' after '&'", at: range.lowerBound)
      }
      self = .entity(inside)
      return
    }
    guard let code = Self.code(inside.dropFirst()) else {
      throw XMLError("expected a number and ';' after '&#'", at: range.lowerBound)
    }
    guard XMLCharacters.isCharacter(code) else {
      throw XMLError("a reference to a character that XML does not allow", at: range.lowerBound)
    }
    self = .character(code)
  }

  /// The offset after the `;` that ends a reference.
  /// - Parameter start: an offset after its `&`.
  /// - Returns: nil if the end has not come.
  static func end(_ bytes: borrowing Span<UInt8>, from start: Int) throws(XMLError) -> Int? {
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: ";") { return index + 1 }
      guard XMLName.isNameByte(byte) || byte >= 0x80 || byte == UInt8(ascii: "#") else {
        throw XMLError("expected a reference and ';' after '&'", at: index)
      }
      index += 1
    }
    return nil
  }

  /// - Returns: nil if the text is not a number; above every character if it is too large.
  static func code(_ text: ArraySlice<UInt8>) -> UInt32? {
    let isHex = text.first == UInt8(ascii: "x")
    let digits = isHex ? text.dropFirst() : text
    if digits.isEmpty { return nil }
    var code: UInt32 = 0
    for digit in digits {
      guard let value = digit.hexValue, isHex || value < 10 else { return nil }
      code = min(code * (isHex ? 16 : 10) + UInt32(value), 0x11_0000)
    }
    return code
  }

  /// The character of a reference that needs no declaration, as most do, and the offset after it.
  /// - Returns: nil for anything else, and for a reference that is cut, wrong or unusually long: `init` checks those.
  @inline(__always)
  static func simple(_ bytes: borrowing Span<UInt8>, at start: Int) -> (code: UInt32, end: Int)? {
    guard start + 8 <= bytes.count else { return nil }
    let word = loadWord(bytes, at: start)
    if word & 0xFF00 == 0x2300 { return number(bytes, start) }
    // The bytes of `&lt;` and so on, the first byte lowest.
    switch word & 0xFFFF_FFFF {
    case 0x3B74_6C26: return (0x3C, start + 4)
    case 0x3B74_6726: return (0x3E, start + 4)
    default: break
    }
    if word & 0xFF_FFFF_FFFF == 0x3B_706D_6126 { return (0x26, start + 5) }
    if word & 0xFFFF_FFFF_FFFF == 0x3B74_6F75_7126 { return (0x22, start + 6) }
    if word & 0xFFFF_FFFF_FFFF == 0x3B73_6F70_6126 { return (0x27, start + 6) }
    return nil
  }

  private static func number(_ bytes: borrowing Span<UInt8>, _ start: Int) -> (code: UInt32, end: Int)? {
    let isHex = bytes[start + 2] == UInt8(ascii: "x")
    let first = start + (isHex ? 3 : 2)
    var code: UInt32 = 0
    // Seven digits are enough for any character, and too few to overflow.
    for index in first..<min(first + 8, bytes.count) {
      if bytes[index] == UInt8(ascii: ";") {
        return index > first && XMLCharacters.isCharacter(code) ? (code, index + 1) : nil
      }
      guard index < first + 7, let digit = bytes[index].hexValue, isHex || digit < 10 else { return nil }
      code = code * (isHex ? 16 : 10) + UInt32(digit)
    }
    return nil
  }

  /// The five entities that need no declaration (§4.6).
  static func predefined(_ name: [UInt8]) -> UInt8? {
    switch String(decoding: name, as: UTF8.self) {
    case "lt": UInt8(ascii: "<")
    case "gt": UInt8(ascii: ">")
    case "amp": UInt8(ascii: "&")
    case "quot": UInt8(ascii: "\"")
    case "apos": UInt8(ascii: "'")
    default: nil
    }
  }

  /// The entities that a checked literal refers to and that need a declaration: names and offsets.
  static func entities(
    in bytes: borrowing Span<UInt8>, _ range: Range<Int>
  ) throws(XMLError) -> [(name: [UInt8], offset: Int)] {
    var names: [(name: [UInt8], offset: Int)] = []
    var index = range.lowerBound
    while let start = firstIndex(of: UInt8(ascii: "&"), in: bytes, index..<range.upperBound),
      let end = firstIndex(of: UInt8(ascii: ";"), in: bytes, start..<range.upperBound)
    {
      if case .entity(let name) = try XMLReference(bytes, start..<(end + 1)), predefined(name) == nil {
        names.append((name, start))
      }
      index = end + 1
    }
    return names
  }
}

/// The entities that a text refers to.
struct XMLReferences {
  var inContent: [[UInt8]] = []
  var inAttributes: [[UInt8]] = []
  /// Whether the text has elements.
  var hasElements = false
}
