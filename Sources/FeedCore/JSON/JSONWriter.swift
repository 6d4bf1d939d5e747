// A tree as text, laid out anew: compact, or indented. What was not opened is copied, at once where it is compact
// already.

public enum JSONWriter {
  /// Writes `tree` on one line without any white space.
  public static func writeCompact(_ tree: JSONTree, to output: inout ByteWriter) {
    write(tree, in: .compact, to: &output)
  }

  /// Writes `tree` as `jq --indent` does: each member and element on a line of its own.
  /// - Parameter spaces: for each level; 0 writes new lines without indentation.
  public static func writeIndented(_ tree: JSONTree, by spaces: Int, to output: inout ByteWriter) {
    write(tree, in: .indented(spaces), to: &output)
  }

  static func write(_ tree: JSONTree, in style: JSONStyle, to output: inout ByteWriter) {
    var formatter = JSONFormatter(style)
    var open: [(children: JSONTree.Children, isObject: Bool, isFirst: Bool)] = []
    var next: JSONTree? = tree
    while true {
      if let tree = next {
        next = nil
        if let value = tree.untouched {
          write(value, &formatter, style, to: &output)
        } else {
          let isObject = tree.kind == .object
          formatter.write((isObject ? Brackets.openObject : Brackets.openArray).span, to: &output)
          open.append((tree.children, isObject, true))
        }
      } else if open.isEmpty {
        return
      } else if let (key, value) = open[open.count - 1].children.next() {
        let top = open.count - 1
        if !open[top].isFirst { formatter.write(Brackets.comma.span, to: &output) }
        open[top].isFirst = false
        if let key {
          write(key, &formatter, style, to: &output)
          formatter.write(Brackets.colon.span, to: &output)
        }
        next = value
      } else if let (_, isObject, _) = open.popLast() {
        formatter.write((isObject ? Brackets.closeObject : Brackets.closeArray).span, to: &output)
      }
    }
  }

  private static func write(
    _ value: JSONValue, _ formatter: inout JSONFormatter, _ style: JSONStyle, to output: inout ByteWriter
  ) {
    let bytes = value.document.bytes
    let text = bytes.span.extracting(value.range)
    if style == .compact && value.document.isCompact { output.append(text) } else { formatter.write(text, to: &output) }
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
