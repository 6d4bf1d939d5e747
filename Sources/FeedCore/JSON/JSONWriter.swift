/// A tree as text, in a new layout: compact, or indented. Unopened parts are copied, in one piece if they are compact
/// already.
package enum JSONWriter {
  /// Writes `tree` on one line without any white space.
  package static func writeCompact(_ tree: JSONTree, to output: inout ByteWriter) {
    write(tree, in: .compact, to: &output)
  }

  /// The same for the text of a document.
  package static func writeCompact(_ text: borrowing Span<UInt8>, to output: inout ByteWriter) {
    JSONFormatter.writeCompact(text, to: &output)
  }

  /// Writes the text of a document in another layout.
  package static func write(_ text: borrowing Span<UInt8>, in style: JSONStyle, to output: inout ByteWriter) {
    var formatter = JSONFormatter(style)
    formatter.write(text, to: &output)
  }

  /// A container that is being written.
  private struct OpenContainer {
    var slots: SlotList.Iterator
    let document: JSONDocument
    let isObject: Bool
    var isFirst = true
  }

  /// Writes `tree` in a layout that does not depend on how it was read.
  package static func write(_ tree: JSONTree, in style: JSONStyle, to output: inout ByteWriter) {
    if style.isCompact, let value = tree.untouched, value.document.isCompact {
      return output.append(value.document.bytes, value.range)
    }
    var formatter = JSONFormatter(style)
    var open: [OpenContainer] = []
    var next: JSONTree? = tree
    while true {
      if let tree = next {
        next = nil
        if let node = tree.node {
          formatter.write(node.isArray ? UInt8(ascii: "[") : UInt8(ascii: "{"), to: &output)
          open.append(
            OpenContainer(slots: node.slots.makeIterator(), document: tree.origin.document, isObject: !node.isArray))
        } else {
          formatter.write(tree.origin.document, tree.origin.range, to: &output)
        }
        continue
      }
      guard let top = open.indices.last else { return }
      let run = open[top].slots.nextRun()
      let slot = run == nil ? open[top].slots.next() : nil
      if run == nil, slot == nil {
        formatter.write(open[top].isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), to: &output)
        open.removeLast()
        continue
      }
      if !open[top].isFirst { formatter.write(UInt8(ascii: ","), to: &output) }
      open[top].isFirst = false
      if let run { formatter.write(open[top].document, run.range, to: &output) }
      if let key = slot?.key {
        formatter.write(key.document, key.range, to: &output)
        formatter.write(UInt8(ascii: ":"), to: &output)
      }
      next = slot?.value
    }
  }
}

/// How white space is set.
package struct JSONStyle: Equatable, Sendable {
  /// The start of each line in a multi-line layout: the line end, then the indentation of the surrounding text. Nil:
  /// all on one line.
  var lineStart: [UInt8]?
  /// One level of indentation.
  var unit: [UInt8] = []
  var afterComma: [UInt8] = []
  var afterColon: [UInt8] = []

  /// All on one line, without any white space.
  package static let compact = JSONStyle(lineStart: nil)
  var isCompact: Bool { lineStart == nil && afterComma.isEmpty && afterColon.isEmpty }

  /// As `jq --indent` does: each member and element on a line of its own.
  /// - Parameter spaces: for each level; 0 gives new lines without indentation.
  package static func indented(_ spaces: Int) -> JSONStyle {
    JSONStyle(
      lineStart: [UInt8(ascii: "\n")], unit: [UInt8](repeating: UInt8(ascii: " "), count: spaces),
      afterColon: [UInt8(ascii: " ")])
  }
}

/// Takes the text of valid JSON, in pieces cut between tokens, and replaces its white space. It needs no tape and no
/// recursion: its only state is the depth.
struct JSONFormatter {
  private let style: JSONStyle
  private let isCompact: Bool
  private var depth = 0
  /// A bracket was just opened: the closing one follows directly, anything else starts a new line.
  private var atStart = false

  /// The longest line start that was needed so far.
  private var indentation: [UInt8]

  /// Deeper containers are written on one line. Otherwise n nested brackets would produce n² blanks.
  private static let deepestLine = 200

  init(_ style: JSONStyle) {
    self.style = style
    isCompact = style == .compact
    indentation = style.lineStart ?? []
  }

  /// Writes a punctuation mark.
  mutating func write(_ mark: UInt8, to output: inout ByteWriter) {
    if isCompact { return output.append(mark) }
    let text: [1 of UInt8] = [mark]
    write(text.span, to: &output)
  }

  /// Writes a part of a document: a name, a value, or several with what is between them.
  mutating func write(_ document: JSONDocument, _ range: Range<Int>, to output: inout ByteWriter) {
    if isCompact, document.isCompact { return output.append(document.bytes, range) }
    let bytes = document.bytes
    let text = bytes.span.extracting(range)
    if isCompact { Self.writeCompact(text, to: &output) } else { write(text, to: &output) }
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

  /// The first token in a container gets a line of its own; an empty container has none.
  @inline(__always)
  private mutating func startToken(
    _ text: borrowing Span<UInt8>, _ start: inout Int, _ index: Int, _ output: inout ByteWriter
  ) {
    guard atStart else { return }
    atStart = false
    copy(text, &start, index, to: &output)
    newLine(&output)
  }

  /// The line start is kept and only ever grows, so that a line costs one copy.
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
