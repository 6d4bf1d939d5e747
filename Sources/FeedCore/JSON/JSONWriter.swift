/// A tree as text, in a new layout: compact, or indented. Unopened parts are copied, in one piece if they are compact
/// already.
package enum JSONWriter {
  /// Writes `tree` on one line without any white space.
  package static func writeCompact(_ tree: JSONTree, to output: inout ByteWriter) {
    if let value = tree.untouched, value.document.isCompact {
      return output.append(value.document.bytes, value.range)
    }
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

  private static let openObject: [UInt8] = [UInt8(ascii: "{")]
  private static let closeObject: [UInt8] = [UInt8(ascii: "}")]
  private static let openArray: [UInt8] = [UInt8(ascii: "[")]
  private static let closeArray: [UInt8] = [UInt8(ascii: "]")]
  private static let comma: [UInt8] = [UInt8(ascii: ",")]
  private static let colon: [UInt8] = [UInt8(ascii: ":")]

  /// Writes `tree` in a layout that does not depend on how it was read.
  package static func write(_ tree: JSONTree, in style: JSONStyle, to output: inout ByteWriter) {
    var formatter = JSONFormatter(style)
    let isCompact = style == .compact
    var run: CopiedRun?
    var open: [(children: JSONTree.Children, isObject: Bool, isFirst: Bool)] = []
    var next: JSONTree? = tree
    while true {
      if let tree = next {
        next = nil
        if let value = tree.untouched {
          write(value, &formatter, isCompact, to: &output)
        } else {
          let isObject = tree.kind == .object
          formatter.write((isObject ? openObject : openArray).span, to: &output)
          open.append((tree.children, isObject, true))
        }
      } else if open.isEmpty {
        return
      } else if let (key, value) = open[open.count - 1].children.next() {
        if isCompact {
          if run?.extend(key, value) == true { continue }
          run?.write(to: &output)
          run = CopiedRun(key, value)
        }
        let top = open.count - 1
        if !open[top].isFirst { formatter.write(comma.span, to: &output) }
        open[top].isFirst = false
        if run != nil { continue }
        if let key {
          write(key, &formatter, isCompact, to: &output)
          formatter.write(colon.span, to: &output)
        }
        next = value
      } else if let (_, isObject, _) = open.popLast() {
        run?.write(to: &output)
        run = nil
        formatter.write((isObject ? closeObject : closeArray).span, to: &output)
      }
    }
  }

  private static func write(
    _ value: JSONValue, _ formatter: inout JSONFormatter, _ isCompact: Bool, to output: inout ByteWriter
  ) {
    let bytes = value.document.bytes
    let text = bytes.span.extracting(value.range)
    if !isCompact {
      formatter.write(text, to: &output)
    } else if value.document.isCompact {
      output.append(text)
    } else {
      JSONFormatter.writeCompact(text, to: &output)
    }
  }

  /// Children of an opened container that are neighbours in one compact document. They are copied at once, with the
  /// commas and colons between them.
  private struct CopiedRun {
    private let document: JSONDocument
    private let first: Int
    private var last: Int
    private var next: Int

    /// - Returns: nil for a child that cannot be copied with its name.
    init?(_ key: JSONValue?, _ value: JSONTree) {
      guard value.node == nil, value.origin.document.isCompact else { return nil }
      document = value.origin.document
      last = value.origin.position
      next = document.next(last)
      guard let key else {
        first = last
        return
      }
      first = key.position
      if key.document !== document || first + 1 != last { return nil }
    }

    /// Adds a child if it is the next one in the document.
    mutating func extend(_ key: JSONValue?, _ value: JSONTree) -> Bool {
      let start = key?.position ?? value.origin.position
      guard start == next, value.node == nil, value.origin.document === document else { return false }
      if let key, key.document !== document || start + 1 != value.origin.position { return false }
      last = value.origin.position
      next = document.next(last)
      return true
    }

    func write(to output: inout ByteWriter) {
      output.append(document.bytes, document.start(first)..<document.end(last))
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
