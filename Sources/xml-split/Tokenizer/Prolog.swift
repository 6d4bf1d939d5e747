// What is outside of a root element, and where one document ends and the next begins.

import FeedCore

enum Prolog {
  /// It takes more bytes to tell.
  case more
  /// White space, up to here.
  case space(end: Int)
  case byteOrderMark
  /// A document without an XML declaration begins here, or with the white space that ends here.
  case documentStart(Int)
  /// A document begins with this.
  case xmlDeclaration
  /// Other markup, of the document that has begun or ended.
  case markup

  init(
    _ bytes: borrowing Span<UInt8>, at offset: Int, _ phase: XMLTokenizer.Phase, isSingle: Bool, hasMark: Bool,
    isLast: Bool
  ) throws(XMLError) {
    self = .more
    let byte = bytes[offset]
    if byte == 0xEF, phase == .start || (phase == .epilog && !isSingle), !(hasMark && isSingle) {
      guard offset + 2 < bytes.count || isLast else { return }
      if startsWith(bytes, "\u{FEFF}", at: offset) == .yes {
        self = .byteOrderMark
        return
      }
    }
    if byte.isWhiteSpace {
      var end = offset + 1
      if phase == .start, isSingle {
        // It is of the document, which therefore has no XML declaration.
        self = .documentStart(end)
      } else {
        while end < bytes.count, bytes[end].isWhiteSpace { end += 1 }
        self = .space(end: end)
      }
      return
    }
    guard byte == UInt8(ascii: "<") else {
      throw XMLError(phase == .epilog ? "unexpected text after the document" : "expected '<'", at: offset)
    }
    guard phase == .epilog || phase == .start else {
      self = .markup
      return
    }
    guard offset + 1 < bytes.count else {
      if isLast { throw XMLError("the input ends inside markup", at: bytes.count) }
      return
    }
    // Whether a document begins here.
    switch bytes[offset + 1] {
    case UInt8(ascii: "?"):
      guard let isDeclaration = Self.isXMLDeclaration(bytes, at: offset, isLast: isLast) else { return }
      self = isDeclaration ? .xmlDeclaration : phase == .start ? .documentStart(offset) : .markup
    case UInt8(ascii: "!") where phase == .epilog:
      guard offset + 2 < bytes.count || isLast else { return }
      let isComment = offset + 2 >= bytes.count || bytes[offset + 2] == UInt8(ascii: "-")
      self = isComment ? .markup : .documentStart(offset)
    default: self = .documentStart(offset)
    }
    if case .markup = self { return }
    if phase == .epilog, isSingle { throw XMLError("unexpected text after the document", at: offset) }
  }

  /// Whether `<?xml` and white space are here; nil when it takes more bytes to tell.
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
