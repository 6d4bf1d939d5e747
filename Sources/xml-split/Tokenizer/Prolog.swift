import FeedCore

/// The parts outside a root element, and where one document ends and the next begins.
enum Prolog {
  /// More bytes are needed to decide.
  case more
  /// White space, up to this offset.
  case space(end: Int)
  case byteOrderMark
  /// A document without an XML declaration begins here, or with the white space that ends here.
  case documentStart(Int)
  /// A document begins with an XML declaration.
  case xmlDeclaration
  /// Other markup, in the document that has begun or ended.
  case markup

  static func next(
    _ bytes: borrowing Span<UInt8>, at offset: Int, _ phase: XMLTokenizer.Phase, isSingle: Bool, hasMark: Bool,
    isLast: Bool
  ) throws(XMLError) -> Prolog {
    let byte = bytes[offset]
    if byte == 0xEF, phase == .start || (phase == .epilog && !isSingle), !(hasMark && isSingle) {
      switch startsWith(bytes, "\u{FEFF}", at: offset) {
      case .yes: return .byteOrderMark
      case .cut where !isLast: return .more
      case .cut, .no: break
      }
    }
    if byte.isWhiteSpace {
      // It belongs to the document, so the document has no XML declaration.
      if phase == .start, isSingle { return .documentStart(offset + 1) }
      return .space(end: XMLText.spaceEnd(bytes, offset))
    }
    guard byte == UInt8(ascii: "<") else {
      throw phase == .epilog ? .textAfterDocument(at: offset) : XMLError("expected '<'", at: offset)
    }
    guard phase == .epilog || phase == .start else { return .markup }
    guard offset + 1 < bytes.count else {
      if isLast { throw .inputEnds(inside: "markup", at: bytes.count) }
      return .more
    }
    switch bytes[offset + 1] {
    case UInt8(ascii: "?"):
      guard let isDeclaration = isXMLDeclaration(bytes, at: offset, isLast: isLast) else { return .more }
      if !isDeclaration, phase == .epilog { return .markup }
      if !isDeclaration { return .documentStart(offset) }
      if phase == .start || !isSingle { return .xmlDeclaration }
    case UInt8(ascii: "!") where phase == .epilog:
      guard offset + 2 < bytes.count || isLast else { return .more }
      if offset + 2 >= bytes.count || bytes[offset + 2] == UInt8(ascii: "-") { return .markup }
    default: break
    }
    if phase == .epilog, isSingle { throw XMLError.textAfterDocument(at: offset) }
    return .documentStart(offset)
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
