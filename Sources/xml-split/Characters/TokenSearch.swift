import FeedCore

/// The search for the end of an incomplete token. It remembers its position, so no byte is searched twice, however the
/// text is cut. The token is checked when it is complete.
///
/// If a form feed ends the document, it also ends the search: the token around it will never be complete.
struct TokenSearch {
  /// The tokens that may be large, or whose end is not simply found.
  enum Kind {
    case tag
    case xmlDeclaration
    case reference
    /// The name at the start of a processing instruction.
    case target
    case documentType

    var shown: String {
      switch self {
      case .tag: "a tag"
      case .xmlDeclaration: "an XML declaration"
      case .reference: "a reference"
      case .target: "a processing instruction"
      case .documentType: "the document type declaration"
      }
    }
  }

  /// The place in a document type declaration.
  private enum DoctypePlace {
    case outside
    case subset
    case declaration
    case comment
    case instruction
  }

  let kind: Kind
  /// Where the search continues.
  var offset: Int
  /// The quote that is open; 0 for none.
  private var quote: UInt8 = 0
  private var place = DoctypePlace.outside
  /// The form feed, if it ends a document.
  private let formFeed: UInt8?

  /// - Parameters:
  ///   - start: the offset of the token's second byte.
  ///   - endsAtFormFeed: whether a form feed ends the document.
  init(_ kind: Kind, from start: Int, endsAtFormFeed: Bool = false) {
    self.kind = kind
    formFeed = endsAtFormFeed ? XMLCharacters.formFeed : nil
    offset = kind == .target ? start + 1 : start
    if kind == .xmlDeclaration { place = .instruction }
  }

  /// - Returns: the offset after the token; nil if its end has not come.
  mutating func run(_ bytes: borrowing Span<UInt8>) throws(XMLError) -> Int? {
    switch kind {
    case .tag: return try tagEnd(bytes)
    case .reference:
      let end = try XMLReference.end(bytes, from: offset)
      offset = bytes.count
      return end
    case .target: return targetEnd(bytes)
    case .xmlDeclaration, .documentType: return try declarationEnd(bytes)
    }
  }

  private mutating func tagEnd(_ bytes: borrowing Span<UInt8>) throws(XMLError) -> Int? {
    while offset < bytes.count {
      if quote != 0 {
        guard try closeQuote(bytes, refusing: UInt8(ascii: "<")) else { return nil }
        continue
      }
      let byte = bytes[offset]
      try checkFormFeed(bytes)
      if byte == UInt8(ascii: "<") { throw XMLError("'<' in a tag", at: offset) }
      offset += 1
      if byte == UInt8(ascii: ">") { return offset }
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
    }
    return nil
  }

  /// - Parameter refused: a byte that must not come before the quote; the quote itself for none.
  /// - Returns: false if the quote has not come.
  @inline(__always)
  private mutating func closeQuote(_ bytes: borrowing Span<UInt8>, refusing refused: UInt8) throws(XMLError) -> Bool {
    offset = XMLText.firstOf(quote, refused, formFeed ?? quote, in: bytes, from: offset)
    guard offset < bytes.count else { return false }
    try checkFormFeed(bytes)
    if bytes[offset] != quote { throw XMLError("'<' in an attribute value", at: offset) }
    offset += 1
    quote = 0
    return true
  }

  /// Checks that the byte at `offset` does not end the document.
  @inline(__always)
  private func checkFormFeed(_ bytes: borrowing Span<UInt8>) throws(XMLError) {
    if bytes[offset] == formFeed { throw XMLText.illegal(bytes, offset) }
  }

  private mutating func targetEnd(_ bytes: borrowing Span<UInt8>) -> Int? {
    while offset < bytes.count {
      let byte = bytes[offset]
      guard XMLName.isNameByte(byte) || byte >= 0x80 else { return offset }
      offset += 1
    }
    return nil
  }

  /// An XML declaration is searched like an instruction in a document type declaration.
  private mutating func declarationEnd(_ bytes: borrowing Span<UInt8>) throws(XMLError) -> Int? {
    while offset < bytes.count {
      if quote != 0 {
        guard try closeQuote(bytes, refusing: quote) else { return nil }
        continue
      }
      try checkFormFeed(bytes)
      let byte = bytes[offset]
      switch (place, byte) {
      case (.outside, UInt8(ascii: ">")): return offset + 1
      case (.outside, UInt8(ascii: "[")): place = .subset
      case (.subset, UInt8(ascii: "]")): place = .outside
      case (.subset, UInt8(ascii: "<")):
        guard let next = opened(bytes) else { return nil }
        place = next
        // Not so far that `<!-->` would end the comment that it begins.
        if place == .comment { offset += 3 }
      case (.declaration, UInt8(ascii: ">")): place = .subset
      case (.outside, UInt8(ascii: "\"")), (.outside, UInt8(ascii: "'")), (.declaration, UInt8(ascii: "\"")),
        (.declaration, UInt8(ascii: "'")):
        quote = byte
      case (.comment, UInt8(ascii: "-")), (.instruction, UInt8(ascii: "?")):
        switch startsWith(bytes, place == .comment ? "-->" : "?>", at: offset) {
        case .cut: return nil
        case .yes:
          offset += place == .comment ? 2 : 1
          if kind == .xmlDeclaration { return offset + 1 }
          place = .subset
        case .no: break
        }
      default: break
      }
      offset += 1
    }
    return nil
  }

  /// What begins with the `<` at `offset`; nil if more bytes are needed to decide.
  private func opened(_ bytes: borrowing Span<UInt8>) -> DoctypePlace? {
    switch startsWith(bytes, "<!--", at: offset) {
    case .yes: return .comment
    case .cut: return nil
    case .no: return bytes[offset + 1] == UInt8(ascii: "?") ? .instruction : .declaration
    }
  }
}
