// White space between tokens. A formatter takes the text of valid JSON, in pieces cut between tokens, and replaces its
// white space. It needs no tape and no recursion: its only state is the depth.

/// How white space is set.
struct JSONStyle: Equatable, Sendable {
  /// The start of each line in a multi-line layout: the line end, then the indentation of the surrounding text. Nil:
  /// all on one line.
  var lineStart: [UInt8]?
  /// One level of indentation.
  var unit: [UInt8] = []
  var afterComma: [UInt8] = []
  var afterColon: [UInt8] = []

  static let compact = JSONStyle(lineStart: nil)

  static func indented(_ spaces: Int) -> JSONStyle {
    JSONStyle(
      lineStart: [UInt8(ascii: "\n")], unit: [UInt8](repeating: UInt8(ascii: " "), count: spaces),
      afterColon: [UInt8(ascii: " ")])
  }
}

struct JSONFormatter {
  private let style: JSONStyle
  private var depth = 0
  /// A bracket was just opened: the closing one follows directly, anything else starts a new line.
  private var atStart = false

  /// The longest line start that was needed so far.
  private var indentation: [UInt8]

  /// Deeper containers are written on one line. Otherwise n nested brackets would produce n² blanks.
  private static let deepestLine = 200

  init(_ style: JSONStyle) {
    self.style = style
    indentation = style.lineStart ?? []
  }

  /// Writes `text` with new white space. What needs none in between is copied at once.
  mutating func write(_ text: borrowing Span<UInt8>, to output: inout ByteWriter) {
    var start = 0
    var index = 0
    while index < text.count {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
        copy(text, &start, index, to: &output)
        start = index + 1
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        startToken(text, &start, index, &output)
        depth += 1
        atStart = true
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if !atStart, depth < Self.deepestLine {
          copy(text, &start, index, to: &output)
          newLine(&output)
        }
        atStart = false
      case UInt8(ascii: ","):
        copy(text, &start, index + 1, to: &output)
        if !style.afterComma.isEmpty { output.append(style.afterComma) }
        newLine(&output)
      case UInt8(ascii: ":"):
        copy(text, &start, index + 1, to: &output)
        if !style.afterColon.isEmpty { output.append(style.afterColon) }
      default:
        startToken(text, &start, index, &output)
        index = endOfScalar(text, index)
        continue
      }
      index += 1
    }
    copy(text, &start, index, to: &output)
  }

  /// Copies what was read since `start`.
  @inline(__always)
  private func copy(_ text: borrowing Span<UInt8>, _ start: inout Int, _ end: Int, to output: inout ByteWriter) {
    if start < end { output.append(text.extracting(start..<end)) }
    start = end
  }

  /// Writes `text` without white space: the bytes between two stretches of white space are copied at once.
  static func writeCompact(_ text: borrowing Span<UInt8>, to output: inout ByteWriter) {
    var start = 0
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "\"") {
        var escaped = false
        index += 1
        _ = scanString(text, &index, escaped: &escaped)
      } else if text[index].isWhiteSpace {
        output.append(text.extracting(start..<index))
        repeat { index += 1 } while index < text.count && text[index].isWhiteSpace
        start = index
      } else {
        index += 1
      }
    }
    output.append(text.extracting(start..<text.count))
  }

  @inline(__always)
  private mutating func startToken(
    _ text: borrowing Span<UInt8>, _ start: inout Int, _ index: Int, _ output: inout ByteWriter
  ) {
    guard atStart else { return }
    atStart = false
    copy(text, &start, index, to: &output)
    newLine(&output)
  }

  @inline(__always)
  private mutating func newLine(_ output: inout ByteWriter) {
    guard let lineStart = style.lineStart, depth <= Self.deepestLine else { return }
    let count = lineStart.count + depth * style.unit.count
    while indentation.count < count { indentation += style.unit }
    output.append(indentation, 0..<count)
  }

  @inline(__always)
  private func endOfScalar(_ text: borrowing Span<UInt8>, _ start: Int) -> Int {
    var index = start + 1
    if text[start] == UInt8(ascii: "\"") {
      var escaped = false
      _ = scanString(text, &index, escaped: &escaped)
      return index
    }
    while index < text.count, !isDelimiter(text[index]) { index += 1 }
    return index
  }

  private func isDelimiter(_ byte: UInt8) -> Bool {
    byte.isWhiteSpace || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
  }
}
