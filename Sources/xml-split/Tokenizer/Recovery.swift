// How to continue after an error, if the rest of the input is still wanted (--on-error skip).
//
// The error is skipped, and end tags show which elements are still open. An end tag ends everything that is open inside
// the element that it names; it is ignored if no such element is open. Where a document begins, everything of the last
// one has ended.

import FeedCore

/// What remains after an error.
enum Recovery {
  /// Everything that is open; some elements may have ended.
  case inside
  /// A start tag was wrong: its element is open, and lost with everything in it.
  case inBrokenElement
  /// Nothing of the document, because nothing is known about it.
  case inLostDocument
}

/// The kind of an error, as far as it matters for skipping it.
enum RecoveryStep {
  case skip(to: Int)
  case endTag(name: Range<Int>, end: Int)
  case startTag(name: Range<Int>)
  /// A processing instruction, whose characters are checked.
  case instruction
  /// The declarations of the document; nil if their end is unknown.
  case documentType(end: Int?)
  /// The beginning of another document, which is right if none is open.
  case nextDocument
  /// The beginning of a document that cannot be read, because of its encoding.
  case lostDocument(hasDeclaration: Bool)

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
    let isDeclaration = XMLTokenizer.isXMLDeclaration(bytes, at: offset, isLast: true) == true
    if !isOpen, isDeclaration || beginsDocument(bytes, at: offset, phase) {
      return .lostDocument(hasDeclaration: isDeclaration)
    }
    switch bytes[offset + 1] {
    case UInt8(ascii: "/"):
      guard let tag = EndTag(bytes, at: offset), let end = tag.end else { return .skip(to: offset + 2) }
      return .endTag(name: tag.name, end: end)
    case UInt8(ascii: "!"):
      guard startsWith(bytes, "<!DOCTYPE", at: offset) == .yes, !isSingle || phase == .prolog else {
        return .skip(to: offset + 2)
      }
      if phase == .content || document.hasDocumentType { return .nextDocument }
      var search = TokenSearch(.documentType, from: offset + 1)
      return .documentType(end: (try? search.run(bytes)) ?? nil)
    case UInt8(ascii: "?"):
      return isDeclaration && isOpen && !isSingle ? .nextDocument : .instruction
    default:
      let start = offset + 1
      guard let end = XMLName.end(bytes, start), end > start else { return .skip(to: start) }
      return .startTag(name: start..<end)
    }
  }

  /// Whether a document without a declaration begins here.
  private static func beginsDocument(
    _ bytes: borrowing Span<UInt8>, at offset: Int, _ phase: XMLTokenizer.Phase
  ) -> Bool {
    switch bytes[offset + 1] {
    case UInt8(ascii: "/"): false
    case UInt8(ascii: "?"): phase == .start
    case UInt8(ascii: "!"): phase == .start || startsWith(bytes, "<!-", at: offset) == .no
    default: true
    }
  }
}

/// An end tag, which may be wrong or cut.
struct EndTag {
  let name: Range<Int>
  /// The offset after it; nil if another tag begins in it, or the bytes end.
  let end: Int?

  /// - Returns: nil if the bytes end in its name.
  init?(_ bytes: borrowing Span<UInt8>, at start: Int) {
    guard let nameEnd = XMLName.end(bytes, start + 2) else { return nil }
    name = (start + 2)..<nameEnd
    var search = TokenSearch(.tag, from: start + 2)
    end = (try? search.run(bytes)) ?? nil
  }
}
