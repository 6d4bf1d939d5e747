// XML 1.0 (fifth edition) in whatever pieces it arrives: tags come out, everything else is only judged.
//
// The caller holds the bytes and may drop those before `offset`. No byte is looked at more than a few times, however
// the text is cut: a tag is tried at once; when its end has not come, what has come is searched for it, and the search
// goes on where it was when there is more. Text, comments, CDATA sections and processing instructions are judged as they
// come, and need not be there as a whole.

import FeedCore

struct XMLTokenizer {
  enum Token: Equatable {
    /// A document begins: its first byte.
    case documentStart
    /// `<name …>`: see `name` and `attributes`.
    case startTag
    /// `<name …/>`.
    case emptyTag
    case endTag
    /// The document type declaration, of which only the root's name and the entities are kept.
    case documentType
  }

  struct Limits {
    var maxDepth = 1000
    var maxAttributes = 10_000
    /// The largest tag, reference or declaration in bytes.
    var maxToken = 64 << 20
  }

  /// What the markup that is open is.
  private enum Open {
    case nothing
    case comment
    case cdata
    case instruction

    /// What ends it.
    var end: (first: UInt8, text: StaticString) {
      switch self {
      case .comment: (UInt8(ascii: "-"), "-->")
      case .cdata: (UInt8(ascii: "]"), "]]>")
      case .instruction, .nothing: (UInt8(ascii: "?"), "?>")
      }
    }

    var shown: String {
      switch self {
      case .comment: "a comment"
      case .cdata: "a CDATA section"
      case .instruction, .nothing: "a processing instruction"
      }
    }
  }

  private enum Phase {
    /// Nothing of the document has come: an XML declaration may.
    case start
    case prolog
    case content
    case epilog
  }

  /// How far all has been judged: the offset behind the last token, or where the next begins.
  private(set) var offset = 0
  /// The last token's first byte.
  private(set) var tokenStart = 0
  /// The name in the last tag.
  private(set) var name = 0..<0
  /// The attributes of the last start tag.
  private(set) var tag = StartTag()
  /// How many elements are open.
  var depth: Int { names.count }
  /// The declarations of the document type.
  private(set) var entities = XMLEntities()

  private(set) var encoding = XMLEncoding.utf8
  /// Whether the bytes have been transcoded from UTF-16.
  var wasUTF16 = false
  private let limits: Limits
  private let isSingle: Bool
  private var phase = Phase.start
  private var open = Open.nothing
  private var names = NameStack()
  private var hasDocumentType = false
  /// A byte order mark came before the document, which therefore is UTF-8.
  private var hasMark = false
  /// Whether the text is what an entity stands for, which has no root element.
  private let isFragment: Bool
  /// The entities that a fragment refers to; they are judged by whoever asks.
  private(set) var references = XMLReferences()
  /// Where the search for the end of an unfinished token goes on, and what it has seen.
  private var search: TokenSearch?

  /// - Parameter isSingle: whether there must be one document and nothing behind it.
  init(limits: Limits = Limits(), isSingle: Bool = false) {
    self.limits = limits
    self.isSingle = isSingle
    isFragment = false
  }

  /// A tokenizer for the text that an entity stands for.
  init(fragmentWith limits: Limits) {
    self.limits = limits
    isSingle = true
    isFragment = true
    phase = .content
  }

  /// The caller has dropped so many bytes, all before `offset`.
  mutating func drop(_ count: Int) {
    offset -= count
    tokenStart -= count
    search?.offset -= count
  }

  /// The next token.
  /// - Parameters:
  ///   - bytes: what has come, less what was dropped.
  ///   - isLast: whether nothing more will.
  /// - Returns: nil when more is needed, or at the end.
  mutating func next(_ bytes: borrowing Span<UInt8>, isLast: Bool) throws(XMLError) -> Token? {
    while true {
      if open != .nothing {
        guard try pass(open, bytes, isLast) else { return nil }
      }
      guard offset < bytes.count else {
        if isLast { try checkEnd() }
        return nil
      }
      if phase == .content {
        if bytes[offset] != UInt8(ascii: "<") {
          guard try text(bytes, isLast) else { return nil }
          continue
        }
      } else {
        switch try outside(bytes, isLast) {
        case .more: return nil
        case .again: continue
        case .token(let token): return token
        case .markup: break
        }
      }
      switch try markup(bytes, isLast) {
      case .more: return nil
      case .again, .markup: continue
      case .token(let token): return token
      }
    }
  }

  private enum Step {
    case more
    case again
    case markup
    case token(Token)
  }

  private var shownElement: String { "element '\(shortened(names.topName))'" }

  private func checkEnd() throws(XMLError) {
    switch phase {
    case .content:
      if names.count == 0 { return }
      throw XMLError("the input ends inside \(shownElement)", at: offset)
    case .prolog: throw XMLError("the input ends before the root element", at: offset)
    case .start: if isSingle { throw XMLError("expected an XML document, found nothing", at: offset) }
    case .epilog: break
    }
  }

  // MARK: Outside of the root element

  private mutating func outside(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Step {
    if phase == .start || (phase == .epilog && !isSingle) {
      guard let isMark = byteOrderMark(bytes, isLast) else { return .more }
      if isMark {
        offset += 3
        hasMark = true
        return .again
      }
    }
    let byte = bytes[offset]
    if isWhiteSpace(byte) {
      guard phase == .start, isSingle else {
        offset += 1
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

  private mutating func beginDocument() {
    tokenStart = offset
    phase = .prolog
    hasDocumentType = false
    encoding = .utf8
    entities = XMLEntities()
  }

  /// - Returns: nil when it takes more bytes to tell.
  /// Whether a byte order mark stands before the document.
  private func byteOrderMark(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) -> Bool? {
    guard bytes[offset] == 0xEF, encoding == .utf8 else { return false }
    guard offset + 2 < bytes.count else { return isLast ? false : nil }
    return bytes[offset + 1] == 0xBB && bytes[offset + 2] == 0xBF
  }

  /// Whether `<?xml` and white space stand here.
  private func isXMLDeclaration(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) -> Bool? {
    let start: StaticString = "<?xml"
    switch startsWith(bytes, start, at: offset) {
    case .no: return false
    case .cut: return isLast ? false : nil
    case .yes:
      guard offset + 5 < bytes.count else { return isLast ? false : nil }
      return isWhiteSpace(bytes[offset + 5])
    }
  }

  private mutating func declaration(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Bool {
    guard let end = try tokenEnd(bytes, .instruction, isLast) else { return false }
    let declaration = try XMLDeclaration(bytes, offset..<end)
    beginDocument()
    entities.isStandalone = declaration.isStandalone
    if let name = declaration.encoding {
      encoding = try XMLDeclaration.resolved(name, wasUTF16: wasUTF16, hasMark: hasMark, at: offset)
    }
    offset = end
    return true
  }

  // MARK: Markup

  private mutating func markup(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Step {
    guard offset + 1 < bytes.count else {
      if isLast { throw XMLError("the input ends inside markup", at: bytes.count) }
      return .more
    }
    switch bytes[offset + 1] {
    case UInt8(ascii: "/"): return try endTag(bytes, isLast)
    case UInt8(ascii: "!"): return try declarationMarkup(bytes, isLast)
    case UInt8(ascii: "?"): return try instructionStart(bytes, isLast)
    default: return try startTag(bytes, isLast)
    }
  }

  private mutating func startTag(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Step {
    if phase == .epilog { throw XMLError("unexpected text after the document", at: offset) }
    if search != nil {
      guard try tokenEnd(bytes, .tag, isLast) != nil else { return .more }
    }
    let result = try tag.parse(bytes, at: offset, encoding, maxAttributes: limits.maxAttributes)
    guard case .end(let end, let isEmpty) = result else {
      search = TokenSearch(.tag, from: offset + 1)
      guard try tokenEnd(bytes, .tag, isLast) != nil else { return .more }
      return .again
    }
    if tag.hasReferences { try judgeReferences(bytes) }
    guard names.count < limits.maxDepth else {
      throw XMLError("nested deeper than \(limits.maxDepth) levels (--max-depth)", at: offset)
    }
    guard end - offset <= limits.maxToken else { throw tooLong() }
    tokenStart = offset
    name = tag.name
    offset = end
    if isEmpty {
      endElement()
      return .token(.emptyTag)
    }
    names.push(bytes, tag.name)
    phase = .content
    return .token(.startTag)
  }

  private mutating func endTag(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Step {
    guard phase == .content, names.count > 0 else { throw XMLError("an end tag without a start tag", at: offset) }
    if search != nil {
      guard try tokenEnd(bytes, .tag, isLast) != nil else { return .more }
    }
    let start = offset + 2
    let end = start + names.topCount
    if end < bytes.count {
      guard names.topIs(bytes, start..<end) else { throw mismatch(bytes, start) }
      var index = end
      while index < bytes.count, isWhiteSpace(bytes[index]) { index += 1 }
      if index < bytes.count {
        guard bytes[index] == UInt8(ascii: ">") else { throw mismatch(bytes, start) }
        tokenStart = offset
        name = start..<end
        offset = index + 1
        names.pop()
        endElement()
        return .token(.endTag)
      }
    }
    guard try tokenEnd(bytes, .tag, isLast) != nil else { return .more }
    // The tag is all there and yet shorter than the name that it should have.
    throw mismatch(bytes, start)
  }

  private mutating func endElement() {
    guard names.count == 0, !isFragment else { return }
    phase = .epilog
    hasMark = false
  }

  private func mismatch(_ bytes: borrowing Span<UInt8>, _ start: Int) -> XMLError {
    var end = start
    if case .at(let found) = XMLCharacters.nameEnd(bytes, start, encoding) { end = found }
    if end == start { return XMLError("expected a name after '</'", at: start) }
    let found = array(bytes, start..<end)
    if names.topName == found { return XMLError("expected '>' after the name of an end tag", at: end) }
    return XMLError("expected </\(shortened(names.topName))>, found </\(shortened(found))>", at: start - 2)
  }

  private func tooLong() -> XMLError {
    XMLError("markup of more than \(limits.maxToken) bytes (--max-element)", at: offset)
  }

  private mutating func declarationMarkup(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Step {
    var isCut = false
    switch startsWith(bytes, "<!--", at: offset) {
    case .yes:
      open = .comment
      offset += 4
      return .again
    case .cut: isCut = true
    case .no: break
    }
    if phase == .content {
      switch startsWith(bytes, "<![CDATA[", at: offset) {
      case .yes:
        open = .cdata
        offset += 9
        return .again
      case .cut: isCut = true
      case .no: break
      }
    } else if phase == .prolog {
      switch startsWith(bytes, "<!DOCTYPE", at: offset) {
      case .yes:
        if hasDocumentType { throw XMLError("a second document type declaration", at: offset) }
        guard let end = try tokenEnd(bytes, .documentType, isLast) else { return .more }
        var parser = DocumentTypeParser(entities: entities)
        try parser.parse(SingleByte.utf8(array(bytes, offset..<end), encoding), at: offset)
        entities = parser.entities
        hasDocumentType = true
        tokenStart = offset
        offset = end
        return .token(.documentType)
      case .cut: isCut = true
      case .no: break
      }
    }
    if isCut && !isLast { return .more }
    throw XMLError("unknown markup after '<!'", at: offset)
  }

  // MARK: Text

  /// Judges text up to the next `<`.
  /// - Returns: false when more is needed.
  private mutating func text(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Bool {
    var index = offset
    defer { offset = max(offset, index) }
    while true {
      index = XMLText.plainEnd(bytes, index)
      guard index < bytes.count else { return true }
      switch bytes[index] {
      case UInt8(ascii: "<"): return true
      case UInt8(ascii: "]"):
        guard index + 2 < bytes.count else {
          // `]]` at the very end of what is there may become the `]]>` that text must not hold.
          let isBracket = index + 1 == bytes.count || bytes[index + 1] == UInt8(ascii: "]")
          if isLast || !isBracket {
            index += 1
            continue
          }
          return false
        }
        if bytes[index + 1] == UInt8(ascii: "]"), bytes[index + 2] == UInt8(ascii: ">") {
          throw XMLError("']]>' in text", at: index)
        }
        index += 1
      case UInt8(ascii: "&"):
        if search == nil, let end = XMLReference.predefinedEnd(bytes, index) {
          index = end
          continue
        }
        offset = index
        guard let end = try reference(bytes, isLast) else { return false }
        index = end
        offset = end
      default:
        switch XMLCharacters.at(bytes, index, encoding) {
        case .character(_, let count): index += count
        case .illegal: throw illegal(bytes, index)
        case .cut:
          if isLast { throw illegal(bytes, index) }
          return false
        }
      }
    }
  }

  private func illegal(_ bytes: borrowing Span<UInt8>, _ index: Int) -> XMLError {
    XMLText.illegal(bytes, index, encoding)
  }

  /// Judges the reference at `offset`.
  /// - Returns: the offset behind it; nil when more is needed.
  private mutating func reference(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Int? {
    guard let end = try tokenEnd(bytes, .reference, isLast) else { return nil }
    switch try XMLReference(bytes, offset..<end, encoding) {
    case .character: break
    case .entity(let name):
      if isFragment { references.inContent.append(name) } else { try entities.check(name, in: .content, at: offset) }
    }
    return end
  }

  /// Judges the references in the attributes of the tag.
  private mutating func judgeReferences(_ bytes: borrowing Span<UInt8>) throws(XMLError) {
    for attribute in tag.attributes where attribute.hasReferences {
      for name in try XMLReference.entities(in: bytes, attribute.value, encoding) {
        if isFragment {
          references.inAttributes.append(name)
        } else {
          try entities.check(name, in: .attribute, at: attribute.value.lowerBound)
        }
      }
    }
  }

  // MARK: What is not markup

  /// Judges what stands in the markup that is open, up to its end.
  /// - Returns: false when more is needed.
  private mutating func pass(
    _ markup: Open, _ bytes: borrowing Span<UInt8>, _ isLast: Bool
  ) throws(XMLError) -> Bool {
    let end = markup.end
    search: while try skip(to: end.first, bytes, isLast) {
      switch startsWith(bytes, end.text, at: offset) {
      case .yes:
        offset += end.text.utf8CodeUnitCount
        open = .nothing
        return true
      case .cut: break search
      case .no: break
      }
      if markup == .comment, startsWith(bytes, "--", at: offset) == .yes {
        throw XMLError("'--' in a comment", at: offset)
      }
      offset += 1
    }
    if isLast { throw XMLError("the input ends inside \(markup.shown)", at: bytes.count) }
    return false
  }

  private mutating func instructionStart(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Step {
    guard let end = try tokenEnd(bytes, .target, isLast) else { return .more }
    try XMLText.checkTarget(bytes, (offset + 2)..<end, encoding)
    if !isWhiteSpace(bytes[end]) {
      guard end + 1 < bytes.count || isLast else { return .more }
      guard end + 1 < bytes.count, bytes[end] == UInt8(ascii: "?"), bytes[end + 1] == UInt8(ascii: ">") else {
        throw XMLError("expected white space or '?>' after the target of a processing instruction", at: end)
      }
    }
    open = .instruction
    offset = end
    return .again
  }

  /// Judges characters up to the next `stop`.
  /// - Returns: false when that has not come.
  private mutating func skip(
    to stop: UInt8, _ bytes: borrowing Span<UInt8>, _ isLast: Bool
  ) throws(XMLError) -> Bool {
    while offset < bytes.count {
      offset = XMLText.plainEnd(bytes, offset, stop: stop)
      guard offset < bytes.count else { return false }
      if bytes[offset] == stop { return true }
      switch XMLCharacters.at(bytes, offset, encoding) {
      case .character(_, let count): offset += count
      case .illegal: throw illegal(bytes, offset)
      case .cut:
        if isLast { throw illegal(bytes, offset) }
        return false
      }
    }
    return false
  }

  // MARK: Tokens that have not come as a whole

  /// The offset behind the token of this kind that begins at `offset`.
  /// - Returns: nil when it has not come.
  private mutating func tokenEnd(
    _ bytes: borrowing Span<UInt8>, _ kind: TokenSearch.Kind, _ isLast: Bool
  ) throws(XMLError) -> Int? {
    var current = search ?? TokenSearch(kind, from: offset + 1)
    search = nil
    if let end = try current.run(bytes, encoding) { return end }
    if isLast { throw XMLError("the input ends inside \(kind.shown)", at: bytes.count) }
    guard bytes.count - offset <= limits.maxToken else { throw tooLong() }
    search = current
    return nil
  }
}
