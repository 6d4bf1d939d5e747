// What comes outside a root element, and where a document begins.

import FeedCore

extension XMLTokenizer {
  /// Reads on, up to markup that belongs to the document that has begun or ended.
  /// - Returns: nil before such markup.
  mutating func outsideRoot(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> TokenStep? {
    let byte = bytes[offset]
    if byte == 0xEF, phase == .start || (phase == .epilog && !isSingle), !(hasMark && isSingle) {
      switch startsWith(bytes, "\u{FEFF}", at: offset) {
      case .yes:
        scanner.move(to: offset + 3)
        hasMark = true
        return .again
      case .cut where !isLast: return .more
      case .cut, .no: break
      }
    }
    if byte.isWhiteSpace {
      // It belongs to the document, so the document has no XML declaration.
      if phase == .start, isSingle { return try documentStart(at: offset + 1) }
      scanner.move(to: XMLText.spaceEnd(bytes, offset))
      return .again
    }
    guard byte == UInt8(ascii: "<") else {
      throw phase == .epilog ? .textAfterDocument(at: offset) : XMLError("expected '<'", at: offset)
    }
    guard phase == .epilog || phase == .start else { return nil }
    guard offset + 1 < bytes.count else {
      if isLast { throw .inputEnds(inside: "markup", at: bytes.count) }
      return .more
    }
    switch bytes[offset + 1] {
    case UInt8(ascii: "?"):
      guard let isDeclaration = Self.isXMLDeclaration(bytes, at: offset, isLast: isLast) else { return .more }
      if !isDeclaration, phase == .epilog { return nil }
      if !isDeclaration { return try documentStart(at: offset) }
      if phase == .start || !isSingle { return try xmlDeclaration(bytes, isLast) }
    case UInt8(ascii: "!") where phase == .epilog:
      guard offset + 2 < bytes.count || isLast else { return .more }
      if offset + 2 >= bytes.count || bytes[offset + 2] == UInt8(ascii: "-") { return nil }
    default: break
    }
    if phase == .epilog, isSingle { throw XMLError.textAfterDocument(at: offset) }
    return try documentStart(at: offset)
  }

  /// Begins a document without an XML declaration.
  private mutating func documentStart(at end: Int) throws(XMLError) -> TokenStep {
    try encoding.check(.utf8, at: offset)
    begin(DocumentContext(refusesUnknown: limits.refusesUnknown))
    defer { scanner.move(to: end) }
    return .token(Token(kind: .documentStart, range: offset..<end))
  }

  private mutating func xmlDeclaration(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> TokenStep {
    guard let end = try scanner.tokenEnd(bytes, .xmlDeclaration, isLast) else { return .more }
    let declaration = try XMLDeclaration(bytes, offset..<end)
    let charset = try declaration.charset(wasUTF16: encoding.isUTF16, hasMark: hasMark, at: offset)
    try encoding.check(charset, named: declaration.encoding, at: offset)
    begin(DocumentContext(isStandalone: declaration.isStandalone, refusesUnknown: limits.refusesUnknown))
    defer { scanner.move(to: end) }
    return .token(Token(kind: .documentStart, range: offset..<end))
  }

  /// Whether `<?xml` and white space are here; nil if more bytes are needed to decide.
  static func isXMLDeclaration(_ bytes: borrowing Span<UInt8>, at offset: Int, isLast: Bool) -> Bool? {
    switch startsWith(bytes, "<?xml", at: offset) {
    case .no: return false
    case .cut: return isLast ? false : nil
    case .yes:
      guard offset + 5 < bytes.count else { return isLast ? false : nil }
      return bytes[offset + 5].isWhiteSpace
    }
  }
}
