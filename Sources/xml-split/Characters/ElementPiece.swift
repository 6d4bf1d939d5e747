import FeedCore

/// The pieces of a complete, well-formed element: text and markup in turn.
enum ElementPiece {
  case text
  /// A start tag or an empty-element tag.
  case startTag
  case endTag
  case delimited(DelimitedMarkup)

  /// - Parameter start: the offset of the piece, inside the element.
  init(_ bytes: borrowing Span<UInt8>, at start: Int) {
    guard bytes[start] == UInt8(ascii: "<"), start + 2 < bytes.count else {
      self = .text
      return
    }
    switch bytes[start + 1] {
    case UInt8(ascii: "/"): self = .endTag
    case UInt8(ascii: "?"): self = .delimited(.processingInstruction)
    case UInt8(ascii: "!"):
      self = .delimited(bytes[start + 2] == UInt8(ascii: "-") ? .comment : .cdataSection)
    default: self = .startTag
    }
  }

  /// The offset after the piece that begins at `start`.
  func end(_ bytes: borrowing Span<UInt8>, from start: Int) -> Int {
    switch self {
    case .text: return firstIndex(of: UInt8(ascii: "<"), in: bytes, (start + 1)..<bytes.count) ?? bytes.count
    case .endTag: return (firstIndex(of: UInt8(ascii: ">"), in: bytes, start..<bytes.count) ?? bytes.count - 1) + 1
    case .startTag:
      var search = TokenSearch(.tag, from: start + 1)
      return (try? search.run(bytes)) ?? bytes.count
    case .delimited(let markup): return markup.content(in: bytes, at: start).upperBound + markup.end.utf8CodeUnitCount
    }
  }

  /// The entities that an element refers to and that need a declaration: names and offsets.
  static func entities(in bytes: borrowing Span<UInt8>) throws(XMLError) -> [(name: [UInt8], offset: Int)] {
    guard firstIndex(of: UInt8(ascii: "&"), in: bytes, 0..<bytes.count) != nil else { return [] }
    var found: [(name: [UInt8], offset: Int)] = []
    var index = 0
    while index < bytes.count {
      let piece = ElementPiece(bytes, at: index)
      let end = piece.end(bytes, from: index)
      switch piece {
      case .text, .startTag: found += try XMLReference.entities(in: bytes, index..<end)
      case .endTag, .delimited: break
      }
      index = end
    }
    return found
  }
}

/// Markup with a fixed beginning and end, and characters between them.
enum DelimitedMarkup {
  /// [15] Comment.
  case comment
  /// [18] CDSect.
  case cdataSection
  /// [16] PI.
  case processingInstruction

  var start: StaticString {
    switch self {
    case .comment: "<!--"
    case .cdataSection: "<![CDATA["
    case .processingInstruction: "<?"
    }
  }

  var end: StaticString {
    switch self {
    case .comment: "-->"
    case .cdataSection: "]]>"
    case .processingInstruction: "?>"
    }
  }

  /// The first byte of `end`.
  var endByte: UInt8 {
    switch self {
    case .comment: UInt8(ascii: "-")
    case .cdataSection: UInt8(ascii: "]")
    case .processingInstruction: UInt8(ascii: "?")
    }
  }

  /// For messages.
  var shown: String {
    switch self {
    case .comment: "a comment"
    case .cdataSection: "a CDATA section"
    case .processingInstruction: "a processing instruction"
    }
  }

  /// The text between the beginning, which is at `start`, and the end.
  func content(in bytes: borrowing Span<UInt8>, at start: Int) -> Range<Int> {
    let first = start + self.start.utf8CodeUnitCount
    var index = first
    while let found = firstIndex(of: endByte, in: bytes, index..<bytes.count) {
      if startsWith(bytes, end, at: found) == .yes { return first..<found }
      index = found + 1
    }
    return first..<bytes.count
  }
}
