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

  /// The first reference in an element to an entity that needs a declaration, and its offset.
  static func firstEntity(in bytes: borrowing Span<UInt8>) -> (name: [UInt8], offset: Int)? {
    guard firstIndex(of: UInt8(ascii: "&"), in: bytes, 0..<bytes.count) != nil else { return nil }
    var index = 0
    while index < bytes.count {
      let piece = ElementPiece(bytes, at: index)
      let end = piece.end(bytes, from: index)
      switch piece {
      case .text, .startTag: if let found = XMLText.firstEntity(bytes, index..<end) { return found }
      case .endTag, .delimited: break
      }
      index = end
    }
    return nil
  }
}
