import FeedCore

/// Writes elements as lines of JSON (--json).
struct JSONSink: ElementSink {
  let form: JSONForm

  var needsTree: Bool { true }
  var needsSiblings: Bool { form.needsSiblings }

  func write(
    _ element: FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) throws(XMLError) {
    form.write(tree, try form.expandedNames(element, tree), to: &output)
    output.endLine()
  }
}

extension JSONForm {
  var needsSiblings: Bool {
    if case .whole(let json) = self { json.needsSiblings } else { false }
  }

  /// The namespaces that names in JSON have; nil if they have none. An element is written only if all are known.
  func expandedNames(_ element: FoundElement, _ tree: ElementTree) throws(XMLError) -> ExpandedNames? {
    guard case .whole(let json) = self, json.names.style == .expanded else { return nil }
    do { return try ExpandedNames(tree, limit: json.names.maxExpanded) } catch {
      throw XMLError(error.message, at: element.range.lowerBound + error.offset)
    }
  }

  /// - Parameter expanded: what `expandedNames` returned.
  func write(_ tree: ElementTree, _ expanded: ExpandedNames?, to output: inout ByteWriter) {
    switch self {
    case .whole(let json): json.write(tree, expanded, to: &output)
    case .fields(let columns, let several):
      for (place, column) in columns.enumerated() {
        output.append(UInt8(ascii: place == 0 ? "{" : ","))
        JSONString.write(column.text, to: &output)
        output.append(UInt8(ascii: ":"))
        switch column.value(in: tree, several) {
        case .missing: output.append("null")
        case .text(let text), .firstOfSeveral(let text): JSONString.write(text, to: &output)
        case .count(let count): output.append(String(count))
        case .several(let values):
          for (place, value) in values.enumerated() {
            output.append(UInt8(ascii: place == 0 ? "[" : ","))
            JSONString.write(value, to: &output)
          }
          output.append(UInt8(ascii: "]"))
        }
      }
      output.append(UInt8(ascii: "}"))
    }
  }
}
