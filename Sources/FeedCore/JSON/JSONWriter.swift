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

  /// Writes `tree` as `jq --indent` does: each member and element on a line of its own.
  /// - Parameter spaces: for each level; 0 writes new lines without indentation.
  package static func writeIndented(_ tree: JSONTree, by spaces: Int, to output: inout ByteWriter) {
    write(tree, in: .indented(spaces), to: &output)
  }

  /// The same for the text of a document.
  package static func writeIndented(_ text: borrowing Span<UInt8>, by spaces: Int, to output: inout ByteWriter) {
    var formatter = JSONFormatter(.indented(spaces))
    formatter.write(text, to: &output)
  }

  static func write(_ tree: JSONTree, in style: JSONStyle, to output: inout ByteWriter) {
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
          formatter.write((isObject ? Brackets.openObject : Brackets.openArray).span, to: &output)
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
        if !open[top].isFirst { formatter.write(Brackets.comma.span, to: &output) }
        open[top].isFirst = false
        if run != nil { continue }
        if let key {
          write(key, &formatter, isCompact, to: &output)
          formatter.write(Brackets.colon.span, to: &output)
        }
        next = value
      } else if let (_, isObject, _) = open.popLast() {
        run?.write(to: &output)
        run = nil
        formatter.write((isObject ? Brackets.closeObject : Brackets.closeArray).span, to: &output)
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

  private enum Brackets {
    static let openObject: [UInt8] = [UInt8(ascii: "{")]
    static let closeObject: [UInt8] = [UInt8(ascii: "}")]
    static let openArray: [UInt8] = [UInt8(ascii: "[")]
    static let closeArray: [UInt8] = [UInt8(ascii: "]")]
    static let comma: [UInt8] = [UInt8(ascii: ",")]
    static let colon: [UInt8] = [UInt8(ascii: ":")]
  }
}
