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
  enum Open {
    case nothing
    case comment
    case cdata
    case instruction
    /// A start tag that is not well-formed, on whose end nevertheless depends how it goes on.
    case brokenTag

    /// What ends it.
    var end: (first: UInt8, text: StaticString) {
      switch self {
      case .comment: (UInt8(ascii: "-"), "-->")
      case .cdata: (UInt8(ascii: "]"), "]]>")
      case .instruction, .nothing, .brokenTag: (UInt8(ascii: "?"), "?>")
      }
    }

    var shown: String {
      switch self {
      case .comment: "a comment"
      case .cdata: "a CDATA section"
      case .instruction, .nothing, .brokenTag: "a processing instruction"
      }
    }
  }

  enum Phase {
    /// Nothing of the document has come: an XML declaration may.
    case start
    case prolog
    case content
    case epilog
  }

  /// How far all has been judged: the offset behind the last token, or where the next begins.
  var offset = 0
  /// The last token's first byte.
  var tokenStart = 0
  /// The name in the last tag.
  var name = 0..<0
  /// The attributes of the last start tag.
  var tag = StartTag()
  /// How many elements are open.
  var depth: Int { names.count + nameless }
  /// The declarations of the document type.
  var entities = XMLEntities()

  var encoding = XMLEncoding.utf8
  /// As the last XML declaration has it.
  var encodingName: [UInt8] = []
  /// Whether the bytes have been transcoded from UTF-16.
  var wasUTF16 = false
  let limits: Limits
  let isSingle: Bool
  var phase = Phase.start
  var open = Open.nothing
  var names = NameStack()
  /// How many elements are open beyond the limit of the depth, when it goes on behind that error.
  var nameless = 0
  var brokenTag = BrokenTag(from: 0)
  /// Looks for the root's name inside it, where somebody has asked for that.
  var watch = RootWatch()
  var hasDocumentType = false
  /// A byte order mark came before the document, which therefore is UTF-8.
  var hasMark = false
  /// Whether the text is what an entity stands for, which has no root element.
  let isFragment: Bool
  /// The entities that a fragment refers to; they are judged by whoever asks.
  var references = XMLReferences()
  /// Where the search for the end of an unfinished token goes on, and what it has seen.
  var search: TokenSearch?

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

  /// The caller is about to drop the first `count` bytes, all before `offset`.
  mutating func drop(_ count: Int, of bytes: borrowing Span<UInt8>) {
    names.drop(count, of: bytes)
    offset -= count
    tokenStart -= count
    search?.offset -= count
    brokenTag.offset -= count
  }

  /// The next token.
  /// - Parameters:
  ///   - bytes: what has come, less what was dropped.
  ///   - isLast: whether nothing more will.
  ///   - deepest: elements deeper than that are judged, but their tags do not come out.
  /// - Returns: nil when more is needed, or at the end.
  mutating func next(
    _ bytes: borrowing Span<UInt8>, isLast: Bool, deepest: Int = .max
  ) throws(XMLError) -> Token? {
    while true {
      if open == .brokenTag {
        switch passBrokenTag(bytes, isLast) {
        case .more: return nil
        case .token(let token): return token
        case .again, .markup: continue
        }
      }
      if open != .nothing {
        guard try pass(open, bytes, isLast) else { return nil }
      }
      guard offset < bytes.count else {
        if isLast { try checkEnd(bytes) }
        return nil
      }
      if phase == .content {
        if names.count >= deepest, search == nil, nameless == 0 { skim(bytes, deepest: deepest) }
        guard offset < bytes.count else { continue }
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
      case .token(let token):
        // A start tag has made it one deeper already, an end tag one less deep.
        let depth = token == .startTag ? depth : depth + 1
        if depth <= deepest || token == .documentType { return token }
      }
    }
  }

  enum Step {
    case more
    case again
    case markup
    case token(Token)
  }

  private func checkEnd(_ bytes: borrowing Span<UInt8>) throws(XMLError) {
    switch phase {
    case .content:
      if names.count == 0 { return }
      throw XMLError("the input ends inside element '\(shortened(names.topName(in: bytes)))'", at: offset)
    case .prolog: throw XMLError("the input ends before the root element", at: offset)
    case .start: if isSingle { throw XMLError("expected an XML document, found nothing", at: offset) }
    case .epilog: break
    }
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

  func tooLong() -> XMLError {
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
    }
    switch startsWith(bytes, "<!DOCTYPE", at: offset) {
    case .yes where phase == .prolog: return try documentType(bytes, isLast)
    case .cut: isCut = true
    case .yes, .no: break
    }
    if isCut {
      if isLast { throw XMLError("the input ends inside markup", at: bytes.count) }
      return .more
    }
    throw XMLError("unknown markup after '<!'", at: offset)
  }

  private mutating func documentType(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Step {
    if hasDocumentType { throw XMLError("a second document type declaration", at: offset) }
    guard let end = try tokenEnd(bytes, .documentType, isLast) else { return .more }
    var parser = DocumentTypeParser(entities: entities)
    try parser.parse(SingleByte.utf8(array(bytes, offset..<end), encoding), at: offset)
    entities = parser.entities
    hasDocumentType = true
    tokenStart = offset
    offset = end
    return .token(.documentType)
  }

  // MARK: Tokens that have not come as a whole

  /// The offset behind the token of this kind that begins at `offset`.
  /// - Returns: nil when it has not come.
  mutating func tokenEnd(
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
