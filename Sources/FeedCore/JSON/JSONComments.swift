/// JSON with comments (JSONC): `//` to the end of the line, `/* */`, and a comma after the last child. Editors and
/// compilers keep their settings in it.
///
/// A JSONC text is read as JSON: a copy has blanks in place of each comment and each trailing comma. All offsets are
/// those of the text, so tape, tree, comparison and diff need not know of comments. Only the verbatim writer looks at
/// the text itself again, to copy what nobody touched.
package enum JSONComments {
  /// The text as JSON of the same length: blanks for comments and trailing commas. Line ends stay, so places do too.
  ///
  /// It stops at a comment or string that does not end; the scanner then reports the error. What is in a comment is not
  /// checked.
  package static func blanked(_ text: [UInt8]) -> [UInt8] {
    var result = text
    var index = 0
    // The last byte that is neither white space nor in a comment; of a string, its quote. And a comma that is a
    // trailing one if a bracket closes next.
    var last: UInt8 = 0
    var comma: Int?
    while index < text.count {
      let byte = text[index]
      if byte.isWhiteSpace {
        index += 1
        continue
      }
      switch byte {
      case UInt8(ascii: "/"):
        if let end = self.end(ofCommentAt: index, in: text.span, 0..<text.count) {
          for place in index..<end where !text[place].isLineEnd { result[place] = UInt8(ascii: " ") }
          index = end
          continue
        }
        if beginsComment(text, index) { return result }
      case UInt8(ascii: "\""):
        var place = index + 1
        var escaped = false
        guard scanString(text.span, &place, escaped: &escaped) == .complete else { return result }
        index = place - 1
        comma = nil
      case UInt8(ascii: ","):
        // `[,]` and `[1,,]` stay errors.
        comma = endsValue(last) ? index : nil
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if let comma { result[comma] = UInt8(ascii: " ") }
        comma = nil
      default: comma = nil
      }
      last = byte
      index += 1
    }
    return result
  }

  /// Whether a value ends with this byte, so that a comma may follow; 0 stands for the start of the text.
  private static func endsValue(_ byte: UInt8) -> Bool { byte != 0 && !"[{,:".utf8.contains(byte) }

  /// Whether a comment of either form begins at `index`, even if it does not end.
  static func beginsComment(_ text: [UInt8], _ index: Int) -> Bool {
    index + 1 < text.count && text[index] == UInt8(ascii: "/")
      && (text[index + 1] == UInt8(ascii: "/") || text[index + 1] == UInt8(ascii: "*"))
  }

  /// The offset after the comment at `start`; after one of the form `//`, its line end follows.
  /// - Parameter range: where it may extend to.
  /// - Returns: nil if no comment begins there or if it does not end.
  static func end(ofCommentAt start: Int, in text: borrowing Span<UInt8>, _ range: Range<Int>) -> Int? {
    guard start + 1 < range.upperBound, text[start] == UInt8(ascii: "/") else { return nil }
    var index = start + 2
    switch text[start + 1] {
    case UInt8(ascii: "/"):
      while index < range.upperBound, !text[index].isLineEnd { index += 1 }
      return index
    case UInt8(ascii: "*"):
      while let slash = firstIndex(of: UInt8(ascii: "/"), in: text, index..<range.upperBound) {
        if slash > start + 2, text[slash - 1] == UInt8(ascii: "*") { return slash + 1 }
        index = slash + 1
      }
      return nil
    default: return nil
    }
  }
}

/// What to do with comments and trailing commas.
package enum CommentRule: Equatable, Sendable {
  case refused
  /// Refused too, but the message names the option that accepts them.
  case needsOption(String)
  case accepted

  /// Whether a document can begin with these first bytes of a text.
  package func mayBegin(with bytes: [UInt8]) -> Bool {
    JSONDocument.mayBegin(with: bytes)
      || self == .accepted && bytes.first { !$0.isWhiteSpace } == UInt8(ascii: "/")
  }

  /// What a message says of an error in a text.
  /// - Parameter start: where in `text` the document begins.
  func explained(_ error: JSONError, in text: [UInt8], from start: Int = 0) -> (error: JSONError, hint: String) {
    let place = start + error.offset
    let isComment = JSONComments.beginsComment(text, place)
    switch self {
    case .refused: break
    case .accepted where isComment: return (JSONError(.endInComment, at: error.offset), "")
    case .accepted: break
    case .needsOption(let option) where isComment: return (error, " (a comment: give \(option))")
    case .needsOption(let option) where error.kind == .expectedKey || error.kind == .expectedValue:
      let before = text[start..<place].last { !$0.isWhiteSpace }
      guard place < text.count, text[place] == UInt8(ascii: "]") || text[place] == UInt8(ascii: "}"),
        before == UInt8(ascii: ",")
      else { break }
      return (error, " (a trailing comma: give \(option))")
    case .needsOption: break
    }
    return (error, "")
  }
}
