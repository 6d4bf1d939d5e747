// What stands outside of a root element, and where one document ends and the next begins: byte order marks, white space,
// the XML declaration.

import FeedCore

extension XMLTokenizer {
  mutating func outside(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Step {
    if phase == .start || (phase == .epilog && !isSingle) {
      guard let isMark = byteOrderMark(bytes, isLast) else { return .more }
      if isMark {
        offset += 3
        hasMark = true
        return .again
      }
    }
    let byte = bytes[offset]
    if byte.isWhiteSpace {
      guard phase == .start, isSingle else {
        var index = offset + 1
        while index < bytes.count, bytes[index].isWhiteSpace { index += 1 }
        offset = index
        return .again
      }
      // It is of the document, which thereby has no XML declaration.
      beginDocument()
      offset += 1
      return .token(.documentStart)
    }
    guard byte == UInt8(ascii: "<") else {
      throw XMLError(phase == .epilog ? "unexpected text after the document" : "expected '<'", at: offset)
    }
    guard phase == .epilog || phase == .start else { return .markup }
    // Does a document begin here?
    guard offset + 1 < bytes.count else {
      if isLast { throw XMLError("the input ends inside markup", at: bytes.count) }
      return .more
    }
    let second = bytes[offset + 1]
    var begins = phase == .start
    if phase == .epilog {
      switch second {
      case UInt8(ascii: "!"):
        guard offset + 2 < bytes.count || isLast else { return .more }
        begins = offset + 2 < bytes.count && bytes[offset + 2] != UInt8(ascii: "-")
      case UInt8(ascii: "?"):
        guard let isDeclaration = isXMLDeclaration(bytes, isLast) else { return .more }
        begins = isDeclaration
      default: begins = true
      }
      if begins, isSingle { throw XMLError("unexpected text after the document", at: offset) }
    }
    guard begins else { return .markup }
    if second == UInt8(ascii: "?") {
      guard let isDeclaration = isXMLDeclaration(bytes, isLast) else { return .more }
      if isDeclaration {
        guard try declaration(bytes, isLast) else { return .more }
      } else {
        beginDocument()
      }
    } else {
      beginDocument()
    }
    return .token(.documentStart)
  }

  mutating func beginDocument() {
    tokenStart = offset
    phase = .prolog
    hasDocumentType = false
    encoding = .utf8
    entities = XMLEntities()
  }

  /// Whether a byte order mark stands before the document; nil when it takes more bytes to tell.
  private func byteOrderMark(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) -> Bool? {
    guard bytes[offset] == 0xEF, !(hasMark && isSingle) else { return false }
    guard offset + 2 < bytes.count else { return isLast ? false : nil }
    return bytes[offset + 1] == 0xBB && bytes[offset + 2] == 0xBF
  }

  /// Whether `<?xml` and white space stand here; nil when it takes more bytes to tell.
  func isXMLDeclaration(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) -> Bool? {
    let start: StaticString = "<?xml"
    switch startsWith(bytes, start, at: offset) {
    case .no: return false
    case .cut: return isLast ? false : nil
    case .yes:
      guard offset + 5 < bytes.count else { return isLast ? false : nil }
      return bytes[offset + 5].isWhiteSpace
    }
  }

  private mutating func declaration(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Bool {
    guard let end = try tokenEnd(bytes, .instruction, isLast) else { return false }
    let declaration = try XMLDeclaration(bytes, offset..<end)
    var encoding = XMLEncoding.utf8
    if let name = declaration.encoding {
      encoding = try XMLDeclaration.resolved(name, wasUTF16: wasUTF16, hasMark: hasMark, at: offset)
      encodingName = name
    }
    beginDocument()
    self.encoding = encoding
    entities.isStandalone = declaration.isStandalone
    entities.encoding = encoding.converted
    offset = end
    return true
  }
}
