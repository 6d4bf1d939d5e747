/// What stands between two values of a JSONC text, and which of them its comments belong to. A value that is removed
/// takes its own comments with it, and no others.
///
///     "a": 1, // a's                 on the line of a value, after it
///
///     // nobody's, as a blank line follows
///
///     // b's                         directly above a value
///     "b": 2, /* c's */ "c": 3       on one line: before the comma the last value's, after it the next one's
///     // nobody's, as it is the last in its container
///
/// The first comments after an opening bracket are nobody's too, if the line ends after them. So a gap has three parts:
/// the comments of the value before, the rest, and the comments of the value after. Each may be empty, and each may have
/// the comma.
struct CommentedGap {
  /// From the end of the value before, or of the opening bracket, to the next value or to the closing bracket.
  let range: Range<Int>
  /// The end of the first part.
  private(set) var ownEnd: Int
  /// The start of the last part; without comments, the end of the gap.
  private(set) var nextStart: Int
  private(set) var comma: Int?
  /// Whether the first part ends with a comment of the form `//`.
  private(set) var ownEndsWithLine = false
  /// Whether the rest has comments.
  private(set) var hasFree: Bool

  /// After the opening bracket, between two children, or before the closing bracket.
  enum GapPlace { case lead, middle, trail }

  init(_ range: Range<Int>, at place: GapPlace, in text: borrowing Span<UInt8>) {
    self.range = range
    (ownEnd, nextStart) = (range.lowerBound, range.upperBound)
    var (breaks, breaksSinceComment) = (0, 0)
    var firstLine = (beforeComma: range.lowerBound, all: range.lowerBound)
    var lastOfFirstLine = range.lowerBound
    // The comments with which the last part begins, if no blank line follows.
    var last: Int?
    hasFree = false
    var index = range.lowerBound
    while index < range.upperBound {
      if let end = JSONComments.end(ofCommentAt: index, in: text, range) {
        if breaks == 0 {
          firstLine.all = end
          lastOfFirstLine = index
          if comma == nil { firstLine.beforeComma = end }
        }
        last = last ?? index
        index = end
        breaksSinceComment = 0
        continue
      }
      if text[index] == UInt8(ascii: ",") {
        comma = index
        if breaks == 0, place == .middle { last = nil }
      } else if text[index] == UInt8(ascii: "\n") || Self.isLoneReturn(index, in: text) {
        if breaks == 0 { last = nil }
        breaks += 1
        breaksSinceComment += 1
        if breaksSinceComment > 1, last != nil {
          hasFree = true
          last = nil
        }
      }
      index += 1
    }
    if breaks > 0 || place == .trail {
      ownEnd = firstLine.all
      ownEndsWithLine = ownEnd > range.lowerBound && text[lastOfFirstLine + 1] == UInt8(ascii: "/")
    } else if place == .middle {
      ownEnd = firstLine.beforeComma
    }
    if place != .trail {
      nextStart = last ?? range.upperBound
    } else if breaks > 0, last != nil {
      hasFree = true
    }
  }

  /// CR ends a line too, as in the files of old editors; before LF it is a part of that line end.
  private static func isLoneReturn(_ index: Int, in text: borrowing Span<UInt8>) -> Bool {
    text[index] == UInt8(ascii: "\r") && (index + 1 == text.count || text[index + 1] != UInt8(ascii: "\n"))
  }

  /// A text between two tokens as it would be without comments. With them go blank lines, as those are no habit.
  static func layout(of range: Range<Int>, in text: borrowing Span<UInt8>) -> [UInt8] {
    guard firstIndex(of: UInt8(ascii: "/"), in: text, range) != nil else {
      var plain: [UInt8] = []
      for index in range { plain.append(text[index]) }
      return plain
    }
    var result: [UInt8] = []
    // Of the line: the blanks at its start, the comma or colon, and whether there are other blanks.
    var (indentation, marks, hasBlanks): ([UInt8], [UInt8], Bool) = ([], [], false)
    var (isFirst, isAtStart) = (true, false)
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = text[index]
      if let end = JSONComments.end(ofCommentAt: index, in: text, range) {
        isAtStart = false
        index = end
        continue
      }
      index += 1
      if byte.isBlank {
        if isAtStart { indentation.append(byte) } else { hasBlanks = true }
        continue
      }
      isAtStart = byte == UInt8(ascii: "\n")
      marks.append(byte)
      guard isAtStart else { continue }
      if isFirst || !marks.allSatisfy(\.isLineEnd) { result += indentation + marks }
      (indentation, marks, hasBlanks, isFirst) = ([], [], false, false)
    }
    return result + indentation + marks + (hasBlanks && (isFirst || !marks.isEmpty) ? [UInt8(ascii: " ")] : [])
  }
}
