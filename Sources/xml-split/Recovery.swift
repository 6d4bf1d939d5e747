// How it goes on behind an error, when the rest of the input is still wanted (--on-error skip).
//
// What is wrong is passed over, and the elements around it are found again by their end tags: an end tag ends all that is
// open inside the element that it names, and one of an element that is not open counts for nothing. Where a document
// begins all of the one before has ended.

import FeedCore

/// The search for the end of a start tag that is not well-formed: `>` outside of quotes, or before the next `<`.
struct BrokenTag {
  enum Result {
    case more
    /// The offset behind it.
    case end(Int, isEmpty: Bool)
  }

  var offset: Int
  private var quote: UInt8 = 0
  private var last: UInt8 = 0

  /// - Parameter start: the offset behind its `<`.
  init(from start: Int) { offset = start }

  mutating func run(_ bytes: borrowing Span<UInt8>) -> Result {
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == UInt8(ascii: "<") { return .end(offset, isEmpty: false) }
      offset += 1
      if quote != 0 {
        if byte == quote { quote = 0 }
      } else if byte == UInt8(ascii: ">") {
        return .end(offset, isEmpty: last == UInt8(ascii: "/"))
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
      last = byte
    }
    return .more
  }
}

extension XMLTokenizer {
  enum Recovery {
    /// It goes on in what is open; elements may have ended.
    case inside
    /// A start tag was wrong: its element is open, and what is in it is lost.
    case inBrokenElement
    /// Nothing is known of the document, so all of it is lost.
    case inLostDocument
  }

  /// Passes over what `next` has thrown for.
  mutating func recover(_ bytes: borrowing Span<UInt8>) -> Recovery {
    search = nil
    guard open == .nothing, offset < bytes.count, bytes[offset] == UInt8(ascii: "<"), offset + 1 < bytes.count else {
      offset = min(offset + 1, bytes.count)
      if open == .nothing, phase != .content {
        offset = firstIndex(of: UInt8(ascii: "<"), in: bytes, offset..<bytes.count) ?? bytes.count
      }
      return .inside
    }
    if isSingle, phase == .epilog {
      offset = bytes.count
      return .inside
    }
    switch bytes[offset + 1] {
    case UInt8(ascii: "/"): passEndTag(bytes)
    case UInt8(ascii: "!"): return passDeclaration(bytes)
    case UInt8(ascii: "?"): return passInstruction(bytes)
    default: return passStartTag(bytes)
    }
    return .inside
  }

  private mutating func passEndTag(_ bytes: borrowing Span<UInt8>) {
    let start = offset + 2
    offset = start
    var search = TokenSearch(.tag, from: start)
    guard let behind = (try? search.run(bytes, encoding)) ?? nil else { return }
    offset = behind
    guard case .at(let end) = XMLCharacters.nameEnd(bytes, start, encoding) else { return }
    if names.popAll(to: array(bytes, start..<end), in: bytes) { endElement() }
  }

  private mutating func passDeclaration(_ bytes: borrowing Span<UInt8>) -> Recovery {
    guard startsWith(bytes, "<!DOCTYPE", at: offset) == .yes, !isSingle || phase == .prolog else {
      offset += 2
      return .inside
    }
    if phase == .content || hasDocumentType {
      beginAgain()
      return .inside
    }
    hasDocumentType = true
    entities.mayLackDeclarations = true
    var search = TokenSearch(.documentType, from: offset + 1)
    guard let end = (try? search.run(bytes, encoding)) ?? nil else {
      offset += 2
      return .inLostDocument
    }
    offset = end
    return .inside
  }

  private mutating func passInstruction(_ bytes: borrowing Span<UInt8>) -> Recovery {
    let isDeclaration = isXMLDeclaration(bytes, true) == true
    if isDeclaration, phase == .content || phase == .prolog, !isSingle {
      beginAgain()
      return .inside
    }
    let isLost = isDeclaration && phase != .content && phase != .prolog
    if isLost {
      beginDocument()
      encoding = .opaque
    }
    offset += 2
    open = .instruction
    return isLost ? .inLostDocument : .inside
  }

  private mutating func passStartTag(_ bytes: borrowing Span<UInt8>) -> Recovery {
    offset += 1
    guard case .at(let end) = XMLCharacters.nameEnd(bytes, offset, encoding), end > offset else { return .inside }
    if names.count < limits.maxDepth { names.push(offset..<end) } else { nameless += 1 }
    phase = .content
    open = .brokenTag
    brokenTag = BrokenTag(from: offset)
    return .inBrokenElement
  }

  /// Goes on at the start of a document, whatever is open.
  private mutating func beginAgain() {
    names = NameStack()
    nameless = 0
    phase = .start
  }

  /// Passes over the rest of a start tag that is not well-formed.
  mutating func passBrokenTag(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) -> Step {
    guard case .end(let end, let isEmpty) = brokenTag.run(bytes) else {
      offset = bytes.count
      if !isLast { return .more }
      open = .nothing
      return .again
    }
    open = .nothing
    offset = end
    guard isEmpty else { return .again }
    if nameless > 0 { nameless -= 1 } else { names.pop() }
    endElement()
    return .token(.endTag)
  }
}
