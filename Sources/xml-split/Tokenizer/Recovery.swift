// How it goes on after an error, when the rest of the input is still wanted (--on-error skip).
//
// What is wrong is passed over, and the elements around it are found again by their end tags: an end tag ends all that is
// open inside the element that it names, and one of an element that is not open counts for nothing. Where a document
// begins all of the one before has ended.

import FeedCore

/// Where it goes on.
enum Recovery {
  /// In what is open; elements may have ended.
  case inside
  /// A start tag was wrong: its element is open, and what is in it is lost.
  case inBrokenElement
  /// Nothing is known of the document, so all of it is lost.
  case inLostDocument
}

/// What is wrong, as far as it must be known to pass over it.
enum Detour {
  /// A character in markup that goes on after it.
  case markup
  /// Something else, up to here.
  case skip(to: Int)
  case endTag(name: Range<Int>, end: Int)
  case startTag(name: Range<Int>)
  /// A processing instruction, whose characters are judged.
  case instruction
  /// The declarations of the document; nil where their end is not known.
  case documentType(end: Int?)
  /// The beginning of another document, which is right where none is open.
  case nextDocument
  /// An XML declaration that does not tell how to read the document after it.
  case lostDocument

  init(
    _ bytes: borrowing Span<UInt8>, at offset: Int, _ phase: XMLTokenizer.Phase, _ document: DocumentContext,
    isInside: Bool, isSingle: Bool
  ) {
    if isInside {
      self = .markup
    } else if offset + 1 >= bytes.count || bytes[offset] != UInt8(ascii: "<") {
      let next = min(offset + 1, bytes.count)
      let isText = phase == .content
      self = .skip(
        to: isText ? next : firstIndex(of: UInt8(ascii: "<"), in: bytes, next..<bytes.count) ?? bytes.count)
    } else if isSingle, phase == .epilog {
      self = .skip(to: bytes.count)
    } else {
      let mayBeginAgain = !isSingle && (phase == .content || phase == .prolog)
      switch bytes[offset + 1] {
      case UInt8(ascii: "/"): self.init(endTag: bytes, at: offset, document.encoding)
      case UInt8(ascii: "!"):
        if startsWith(bytes, "<!DOCTYPE", at: offset) != .yes || (isSingle && phase != .prolog) {
          self = .skip(to: offset + 2)
        } else if phase == .content || document.hasDocumentType {
          self = .nextDocument
        } else {
          var search = TokenSearch(.documentType, from: offset + 1)
          self = .documentType(end: (try? search.run(bytes, document.encoding)) ?? nil)
        }
      case UInt8(ascii: "?"):
        if Prolog.isXMLDeclaration(bytes, at: offset, isLast: true) != true {
          self = .instruction
        } else if mayBeginAgain {
          self = .nextDocument
        } else {
          self = phase == .content || phase == .prolog ? .instruction : .lostDocument
        }
      default:
        let start = offset + 1
        if case .at(let end) = XMLName.end(bytes, start, document.encoding), end > start {
          self = .startTag(name: start..<end)
        } else {
          self = .skip(to: start)
        }
      }
    }
  }

  private init(endTag bytes: borrowing Span<UInt8>, at offset: Int, _ encoding: XMLEncoding) {
    let start = offset + 2
    var search = TokenSearch(.tag, from: start)
    guard let end = (try? search.run(bytes, encoding)) ?? nil else {
      self = .skip(to: start)
      return
    }
    guard case .at(let nameEnd) = XMLName.end(bytes, start, encoding) else {
      self = .skip(to: end)
      return
    }
    self = .endTag(name: start..<nameEnd, end: end)
  }
}
