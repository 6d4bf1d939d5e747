// How to go on after an error, when the rest of the input is still wanted (--on-error skip).
//
// The error is passed over, and the elements around it are found again by their end tags: an end tag ends all that is open
// inside the element that it names, and is ignored where no such element is open. Where a document begins, all of the one
// before has ended.

import FeedCore

/// What is left after an error.
enum Recovery {
  /// All that is open; elements may have ended.
  case inside
  /// A start tag was wrong: its element is open, and lost with all that is in it.
  case inBrokenElement
  /// Nothing of the document, as nothing is known of it.
  case inLostDocument
}

/// What an error is about, as far as it must be known to pass over it.
enum RecoveryStep {
  case skip(to: Int)
  case endTag(name: Range<Int>, end: Int)
  case startTag(name: Range<Int>)
  /// A processing instruction, whose characters are checked.
  case instruction
  /// The declarations of the document; nil where their end is not known.
  case documentType(end: Int?)
  /// The beginning of another document, which is right where none is open.
  case nextDocument
  /// An XML declaration that does not tell how to read the document after it.
  case lostDocument

  static func after(
    _ bytes: borrowing Span<UInt8>, at offset: Int, _ phase: XMLTokenizer.Phase, _ document: DocumentContext,
    isSingle: Bool
  ) -> RecoveryStep {
    guard offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "<") else {
      let next = min(offset + 1, bytes.count)
      if phase == .content { return .skip(to: next) }
      return .skip(to: firstIndex(of: UInt8(ascii: "<"), in: bytes, next..<bytes.count) ?? bytes.count)
    }
    if isSingle, phase == .epilog { return .skip(to: bytes.count) }
    let isOpen = phase == .content || phase == .prolog
    switch bytes[offset + 1] {
    case UInt8(ascii: "/"): return endTag(bytes, offset + 2, document.encoding)
    case UInt8(ascii: "!"):
      guard startsWith(bytes, "<!DOCTYPE", at: offset) == .yes, !isSingle || phase == .prolog else {
        return .skip(to: offset + 2)
      }
      if phase == .content || document.hasDocumentType { return .nextDocument }
      var search = TokenSearch(.documentType, from: offset + 1)
      return .documentType(end: (try? search.run(bytes, document.encoding)) ?? nil)
    case UInt8(ascii: "?"):
      guard Prolog.isXMLDeclaration(bytes, at: offset, isLast: true) == true else { return .instruction }
      return isOpen ? isSingle ? .instruction : .nextDocument : .lostDocument
    default:
      let start = offset + 1
      guard case .at(let end) = XMLName.end(bytes, start, document.encoding), end > start else {
        return .skip(to: start)
      }
      return .startTag(name: start..<end)
    }
  }

  private static func endTag(_ bytes: borrowing Span<UInt8>, _ start: Int, _ encoding: XMLEncoding) -> RecoveryStep {
    var search = TokenSearch(.tag, from: start)
    guard let end = (try? search.run(bytes, encoding)) ?? nil else { return .skip(to: start) }
    guard case .at(let nameEnd) = XMLName.end(bytes, start, encoding) else { return .skip(to: end) }
    return .endTag(name: start..<nameEnd, end: end)
  }
}
