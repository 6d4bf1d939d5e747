import FeedCore

/// Names ([5]), as bytes.
enum XMLName {
  /// Whether an ASCII byte may be in a name.
  @inline(__always)
  static func isNameByte(_ byte: UInt8) -> Bool {
    isStartByte(byte) || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }

  @inline(__always)
  private static func isStartByte(_ byte: UInt8) -> Bool {
    byte.isLetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
  }

  /// Marks the bytes of a word that are not ASCII name characters. Exact for all eight.
  @inline(__always)
  private static func otherPlaces(_ word: UInt64) -> UInt64 {
    let low = word & .repeating(0x7F)
    let letter = low | .repeating(0x20)
    // For seven bits: after adding 0x80 - x, the high bit tells whether a byte is at least x.
    let letters = (letter &+ .repeating(0x80 - 0x61)) & ~(letter &+ .repeating(0x80 - 0x7B))  // a to z
    let digits = (low &+ .repeating(0x80 - 0x30)) & ~(low &+ .repeating(0x80 - 0x3B))  // 0 to 9 and :
    let dashes = (low &+ .repeating(0x80 - 0x2D)) & ~(low &+ .repeating(0x80 - 0x2F))  // - and .
    let underscore = (low &+ .repeating(0x80 - 0x5F)) & ~(low &+ .repeating(0x80 - 0x60))
    return (~(letters | digits | dashes | underscore) | word) & .repeating(0x80)
  }

  /// Reads a name (or, with `isToken`, an Nmtoken) from `start`.
  /// - Returns: the offset after its last byte, which is `start` if there is no name; nil if the bytes end before a byte
  ///   that is not part of the name.
  @inline(__always)
  static func end(_ bytes: borrowing Span<UInt8>, _ start: Int, isToken: Bool = false) -> Int? {
    guard start < bytes.count else { return nil }
    let first = bytes[start]
    if first < 0x80, !isToken, !isStartByte(first) { return start }
    var index = start
    while index + 8 <= bytes.count {
      let others = otherPlaces(loadWord(bytes, at: index))
      index += others.lowestPlace
      if others != 0 {
        if bytes[index] < 0x80 { return index }
        break
      }
    }
    return slowEnd(bytes, start, index, isToken: isToken)
  }

  /// Continues from `index`, character by character.
  private static func slowEnd(_ bytes: borrowing Span<UInt8>, _ start: Int, _ index: Int, isToken: Bool) -> Int? {
    var index = index
    while index < bytes.count {
      let byte = bytes[index]
      if isNameByte(byte) {
        index += 1
        continue
      }
      guard byte >= 0x80 else { return index }
      switch XMLCharacters.at(bytes, index) {
      case .cut: return nil
      case .illegal: return index
      case .character(let code, let count):
        guard index > start || isToken ? XMLCharacters.isNameCharacter(code) : XMLCharacters.isNameStart(code) else {
          return index
        }
        index += count
      }
    }
    return nil
  }

  // MARK: Comparing

  /// A word for comparing names: equal for equal names, usually different for others, and always if they have at most
  /// eight bytes.
  @inline(__always)
  static func key(_ bytes: borrowing Span<UInt8>, _ name: Range<Int>) -> UInt64 {
    let count = name.count
    if count > 8 {
      let end = loadWord(bytes, at: name.upperBound - 8)
      return (loadWord(bytes, at: name.lowerBound) &+ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15 ^ end
    }
    if name.lowerBound + 8 <= bytes.count {
      return loadWord(bytes, at: name.lowerBound) & (~0 &>> UInt64(64 - 8 * count))
    }
    var key: UInt64 = 0
    for index in name.reversed() { key = key &<< 8 | UInt64(bytes[index]) }
    return key
  }

  /// One of the bits of a word, chosen by a key.
  @inline(__always)
  static func bit(of key: UInt64) -> UInt64 { 1 &<< (key &* 0x9E37_79B9_7F4A_7C15 &>> 58) }

  /// Whether two names with equal keys are the same.
  @inline(__always)
  static func isSame(_ bytes: borrowing Span<UInt8>, _ left: Range<Int>, _ right: Range<Int>) -> Bool {
    guard left.count == right.count else { return false }
    return left.count <= 8 || sameBytes(bytes.extracting(left), bytes.extracting(right))
  }

  // MARK: Parts of names

  /// The prefix of a name (Namespaces in XML 1.0 §4); nil if it has none, or nothing after it.
  static func prefix(_ bytes: borrowing Span<UInt8>, _ name: Range<Int>) -> Range<Int>? {
    guard let colon = firstIndex(of: UInt8(ascii: ":"), in: bytes, name), colon + 1 < name.upperBound else {
      return nil
    }
    return name.lowerBound..<colon
  }

  // MARK: Whole names

  /// Whether the whole text is a name ([5]).
  static func isName(_ text: [UInt8], isToken: Bool = false) -> Bool {
    !text.isEmpty && wholeEnd(text.span, 0, isToken: isToken) == text.count
  }

  /// The end of a name in a complete text: `start` if there is none; nil for a character that is cut.
  static func wholeEnd(_ text: borrowing Span<UInt8>, _ start: Int, isToken: Bool) -> Int? {
    end(text, start, isToken: isToken) ?? (endsInsideCharacter(text, from: start) ? nil : text.count)
  }

  private static func endsInsideCharacter(_ text: borrowing Span<UInt8>, from start: Int) -> Bool {
    var last = text.count - 1
    while last > start, UTF8.isContinuation(text[last]) { last -= 1 }
    guard last >= start, text[last] >= 0x80 else { return false }
    if case .cut = XMLCharacters.at(text, last) { return true }
    return false
  }

  /// [17] PITarget: a name other than `xml`.
  static func checkTarget(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) throws(XMLError) {
    let text = array(bytes, range)
    guard isName(text) else {
      throw XMLError("expected a name after '<?'", at: range.lowerBound)
    }
    if text.lowercased == Array("xml".utf8) {
      throw XMLError.lateDeclaration(at: range.lowerBound - 2)
    }
  }
}
