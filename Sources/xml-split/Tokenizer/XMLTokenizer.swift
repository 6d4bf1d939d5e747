import FeedCore

/// XML 1.0 (fifth edition), in pieces of any size: tags are returned, everything else is only checked.
///
/// The caller holds the bytes and may drop those before `offset`. A tag is parsed at once, and if it is incomplete,
/// again when its end has come. Text, comments, CDATA sections and processing instructions are checked as they come.
struct XMLTokenizer {
  /// A tag, or the beginning of a document. Offsets are valid until `drop`.
  struct Token {
    enum Kind {
      /// A document begins.
      case documentStart
      /// `<name …>`
      case startTag
      /// `<name …/>`
      case emptyTag
      case endTag
    }

    let kind: Kind
    /// Its range.
    let range: Range<Int>
    /// The range of the element's name.
    var name = 0..<0
    /// The number of elements around that element, including itself.
    var depth = 0
  }

  struct Limits {
    var maxDepth = 1000
    var maxAttributes = 10_000
    /// The largest tag, reference or declaration in bytes.
    var maxToken = 64 << 20
    /// Whether a reference that no declaration explains is an error although declarations may be unread.
    var refusesUnknown = false
  }

  enum Phase {
    /// Before the document: an XML declaration may come.
    case start
    case prolog
    case content
    case epilog
  }

  /// What a part of the tokenizer has done: nothing without more bytes, something, or a token.
  enum TokenStep {
    case more
    case again
    case token(Token)
  }

  var scanner: XMLScanner
  var document = DocumentContext()
  var elements = OpenElements()
  private(set) var phase = Phase.start
  /// Whether a byte order mark came before the document, which is therefore UTF-8.
  var hasMark = false
  private var tag = StartTag()
  /// The tree of the wanted element that is being read, if anybody asked for it.
  var tape = ElementTape()
  let limits: Limits
  let isSingle: Bool

  /// Of all documents. The decoder's owner says whether it is UTF-16.
  var encoding = StreamEncoding()

  /// Everything before this has been checked.
  var offset: Int { scanner.offset }
  /// The attributes of the last start tag or empty tag. Most have none; the shared empty array needs no reference
  /// counting.
  var attributes: [StartTag.Attribute] { tag.attributes.isEmpty ? [] : tag.attributes }
  /// How many references to entities these have.
  private(set) var attributeReferences = 0
  /// How many elements are open.
  var depth: Int { elements.depth }
  var isAtDepthLimit: Bool { elements.named >= limits.maxDepth }
  /// The error of a start tag there.
  var tooDeep: XMLError {
    let levels = limits.maxDepth == 1 ? "1 level" : "\(limits.maxDepth) levels"
    return XMLError("nested deeper than \(levels) (--max-depth)", at: offset)
  }

  /// Whether the offset is in a start tag, or in what may become one.
  func isInStartTag(_ bytes: borrowing Span<UInt8>) -> Bool {
    guard !scanner.isInside, offset < bytes.count, bytes[offset] == UInt8(ascii: "<") else { return false }
    return offset + 1 == bytes.count || !"/!?".utf8.contains(bytes[offset + 1])
  }

  /// Whether the offset is in a comment, a CDATA section, a processing instruction or a wrong tag.
  var isInsideMarkup: Bool { scanner.isInside }

  /// - Parameters:
  ///   - start: the offset of the first document.
  ///   - isSingle: whether there must be exactly one document.
  ///   - endsAtFormFeed: whether a form feed, which is an error here, ends a document for the caller.
  init(at start: Int = 0, limits: Limits = Limits(), isSingle: Bool = false, endsAtFormFeed: Bool = false) {
    self.limits = limits
    self.isSingle = isSingle
    scanner = XMLScanner(at: start, maxToken: limits.maxToken, endsAtFormFeed: endsAtFormFeed)
  }

  /// A tokenizer for the text of an entity, which has no root element.
  static func ofEntity() -> XMLTokenizer {
    var limits = Limits()
    limits.maxDepth = .max
    limits.maxAttributes = .max
    limits.maxToken = .max
    var tokenizer = XMLTokenizer(limits: limits, isSingle: true)
    tokenizer.document = DocumentContext(collecting: XMLReferences())
    tokenizer.phase = .content
    return tokenizer
  }

  /// Checks the text of an entity.
  /// - Returns: the entities that it refers to.
  @Sendable
  static func references(in text: [UInt8]) throws(XMLError) -> XMLReferences {
    var tokenizer = ofEntity()
    var hasElements = false
    while try tokenizer.next(text.span, isLast: true) != nil { hasElements = true }
    var references = tokenizer.document.references ?? XMLReferences()
    references.hasElements = hasElements
    return references
  }

  /// Returns start tags with one of these names at any depth. Each may be empty.
  mutating func want(root: [UInt8], inner: [UInt8]) { elements.names.set(root: root, inner: inner) }

  /// Prepares for the removal of the first `count` bytes, all before `offset`.
  mutating func drop(_ count: Int, of bytes: borrowing Span<UInt8>) {
    elements.drop(count, of: bytes)
    scanner.drop(count)
    tape.drop(count)
  }

  /// The next token.
  /// - Parameters:
  ///   - bytes: all bytes that have come and were not dropped.
  ///   - isLast: whether no more bytes will come.
  ///   - deepest: elements deeper than this are checked, but their tags are not returned, except start tags with one of
  ///     the names of `want`.
  /// - Returns: nil if more bytes are needed, or at the end.
  mutating func next(
    _ bytes: borrowing Span<UInt8>, isLast: Bool, deepest: Int = .max
  ) throws(XMLError) -> Token? {
    while true {
      if scanner.isInside {
        guard let isEmptyTag = scanner.finishBrokenTag(bytes, isLast) else { return nil }
        if isEmptyTag { return endElement(offset..<offset) }
        let markup = scanner.markup
        guard try scanner.finishMarkup(bytes, isLast) else { return nil }
        if tape.isRecording, let markup { tape.leaveMarkup(at: offset, markup) }
      }
      guard offset < bytes.count else {
        if isLast { try checkEnd(bytes) }
        return nil
      }
      if phase == .content {
        if elements.beyondLimit == 0, scanner.isReady {
          var index = offset
          let token = elements.run(bytes, from: &index, deepest: deepest, limits, &tag, recording: &tape)
          scanner.move(to: index)
          if let token {
            attributeReferences = 0
            return token
          }
        }
        guard offset < bytes.count else { continue }
        if bytes[offset] != UInt8(ascii: "<") {
          scanner.isSearched = depth < deepest
          guard try scanner.text(bytes, isLast, &document) else { return nil }
          continue
        }
      } else {
        switch try outsideRoot(bytes, isLast) {
        case .more?: return nil
        case .again?: continue
        case .token(let token)?: return token
        case nil: break
        }
      }
      switch try markup(bytes, isLast) {
      case .more: return nil
      case .again: continue
      case .token(let token):
        if token.depth <= deepest || (token.kind != .endTag && elements.names.contains(token.name, bytes)) {
          return token
        }
      }
    }
  }

  private func checkEnd(_ bytes: borrowing Span<UInt8>) throws(XMLError) {
    switch phase {
    case .content:
      if elements.named == 0 { return }
      throw .inputEnds(inside: "element '\(shortened(elements.topName(in: bytes)))'", at: offset)
    case .prolog: throw XMLError("the input ends before the root element", at: offset)
    case .start: if isSingle { throw XMLError("expected an XML document, found nothing", at: offset) }
    case .epilog: break
    }
  }

  // MARK: Documents

  mutating func begin(_ document: DocumentContext) {
    self.document = document
    phase = .prolog
  }

  private mutating func documentType(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> TokenStep {
    if document.hasDocumentType { throw XMLError("a second document type declaration", at: offset) }
    guard let end = try scanner.tokenEnd(bytes, .documentType, isLast) else { return .more }
    try document.readDocumentType(bytes, offset..<end)
    scanner.move(to: end)
    return .again
  }

  // MARK: Markup

  @inline(__always)
  private mutating func markup(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> TokenStep {
    guard offset + 1 < bytes.count else { return try cutMarkup(bytes, isLast) }
    switch bytes[offset + 1] {
    case UInt8(ascii: "/"): return try endTag(bytes, isLast)
    case UInt8(ascii: "!"): return try declaration(bytes, isLast)
    case UInt8(ascii: "?"):
      let start = offset
      guard try scanner.enterInstruction(bytes, isLast) else { return .more }
      if tape.isRecording { tape.enterMarkup(at: start) }
      return .again
    default: return try startTag(bytes, isLast)
    }
  }

  private func cutMarkup(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> TokenStep {
    if isLast { throw .inputEnds(inside: "markup", at: bytes.count) }
    return .more
  }

  /// What begins with `<!`.
  private mutating func declaration(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> TokenStep {
    let start = offset
    let comment = scanner.enter(.comment, bytes)
    let section = comment != .yes && phase == .content ? scanner.enter(.cdataSection, bytes) : .no
    if comment == .yes || section == .yes {
      if tape.isRecording { tape.enterMarkup(at: start) }
      return .again
    }
    let type = startsWith(bytes, "<!DOCTYPE", at: offset)
    if type == .yes, phase == .prolog { return try documentType(bytes, isLast) }
    if comment == .cut || section == .cut || type == .cut { return try cutMarkup(bytes, isLast) }
    throw XMLError("unknown markup after '<!'", at: offset)
  }

  // MARK: Tags

  @inline(__always)
  private mutating func startTag(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> TokenStep {
    if phase == .epilog { throw XMLError.textAfterDocument(at: offset) }
    if !scanner.isReady {
      guard try startTagEnd(bytes, isLast) else { return .more }
    }
    guard let (end, isEmpty) = try tag.parse(bytes, at: offset, maxAttributes: limits.maxAttributes) else {
      return try startTagEnd(bytes, isLast) ? .again : .more
    }
    let references = document.referenceCount
    if tag.hasReferences { try document.check(tag.attributes, bytes) }
    attributeReferences = document.referenceCount - references
    guard !isAtDepthLimit else { throw tooDeep }
    guard end - offset <= limits.maxToken else { throw scanner.tooLong() }
    let token = Token(kind: isEmpty ? .emptyTag : .startTag, range: offset..<end, name: tag.name, depth: depth + 1)
    if tape.isRecording { tape.open(tag.name, tag.attributes, token.range, isEmpty: isEmpty) }
    scanner.move(to: end)
    if isEmpty {
      endDocumentWithRoot()
    } else {
      elements.open(tag.name)
      phase = .content
    }
    return .token(token)
  }

  /// - Returns: whether the end of the start tag at `offset` has come.
  /// - Throws: the first error before that, wherever the text was cut.
  private mutating func startTagEnd(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Bool {
    do { return try scanner.tokenEnd(bytes, .tag, isLast) != nil } catch {
      _ = try tag.parse(bytes, at: offset, maxAttributes: limits.maxAttributes)
      throw error
    }
  }

  @inline(__always)
  private mutating func endTag(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> TokenStep {
    guard phase == .content, elements.named > 0 else { throw XMLError("an end tag without a start tag", at: offset) }
    let start = offset + 2
    // An error in it is reported when all of it has come.
    guard let tagEnd = try scanner.tokenEnd(bytes, .tag, isLast) else { return .more }
    if elements.beyondLimit > 0 { return .token(endElement(offset..<tagEnd)) }
    let end = start + elements.topCount
    if tagEnd > end, elements.hasTopName(at: start, in: bytes), XMLText.spaceEnd(bytes, end) == tagEnd - 1 {
      return .token(endElement(offset..<tagEnd, name: start..<end))
    }
    throw elements.mismatch(bytes, at: start)
  }

  /// Ends the innermost element, with the tag in `range`.
  @inline(__always)
  private mutating func endElement(_ range: Range<Int>, name: Range<Int> = 0..<0) -> Token {
    let token = Token(kind: .endTag, range: range, name: name, depth: depth)
    if tape.isRecording { tape.close(range) }
    scanner.move(to: range.upperBound)
    elements.close()
    endDocumentWithRoot()
    return token
  }

  private mutating func endDocumentWithRoot() {
    guard elements.named == 0, !document.isEntity else { return }
    phase = .epilog
    hasMark = false
  }

  // MARK: After an error

  /// Ends the innermost elements without their end tags, until `depth` of them are open.
  mutating func leave(to depth: Int) {
    while elements.depth > depth { elements.close() }
  }

  /// Whether the error that `next` has thrown is that a document cannot be read.
  func losesDocument(_ bytes: borrowing Span<UInt8>) -> Bool {
    guard !scanner.isInside else { return false }
    if case .lostDocument = RecoveryStep.after(bytes, at: offset, phase, document, isSingle: isSingle) { return true }
    return false
  }

  /// Skips the error that `next` has thrown.
  mutating func recover(_ bytes: borrowing Span<UInt8>) -> Recovery {
    if scanner.isInside {
      if offset < bytes.count { scanner.skipByte() }
      return .inside
    }
    switch RecoveryStep.after(bytes, at: offset, phase, document, isSingle: isSingle) {
    case .skip(let end): scanner.move(to: end)
    case .endTag(let name, let end):
      scanner.move(to: end)
      if elements.closeAll(to: array(bytes, name), in: bytes) { endDocumentWithRoot() }
    case .startTag(let name):
      if elements.named < limits.maxDepth { elements.open(name) } else { elements.openBeyondLimit() }
      phase = .content
      scanner.enterBrokenTag(at: name.lowerBound)
      return .inBrokenElement
    case .instruction: scanner.enter(.processingInstruction, at: offset + 2)
    case .documentType(let end):
      document.loseDocumentType()
      scanner.move(to: end ?? offset + 2)
      if end == nil { return .inLostDocument }
    case .nextDocument:
      // Of two declarations, only the second has a root element.
      if phase == .prolog, encoding.charset == .utf8 { encoding.charset = nil }
      elements = OpenElements()
      phase = .start
      scanner.move(to: offset)
    case .lostDocument(let hasDeclaration):
      begin(DocumentContext())
      if hasDeclaration { scanner.enter(.processingInstruction, at: offset + 2) } else { scanner.move(to: offset) }
      return .inLostDocument
    }
    return .inside
  }
}
