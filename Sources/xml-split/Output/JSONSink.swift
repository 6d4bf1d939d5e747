import FeedCore

/// Writes elements as lines of JSON (--json).
struct JSONSink: ElementSink {
  let form: JSONForm

  var needsTree: Bool { true }

  func write(
    _ element: FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) {
    form.write(tree, to: &output)
    output.endLine()
  }
}

extension JSONForm {
  func write(_ tree: ElementTree, to output: inout ByteWriter) {
    switch self {
    case .whole(let json): json.write(tree, to: &output)
    case .fields(let fields):
      for (place, field) in fields.enumerated() {
        output.append(place == 0 ? "{" : ",")
        JSONString.write(field.text, to: &output)
        output.append(":")
        if let value = field.value(in: tree) { JSONString.write(value, to: &output) } else { output.append("null") }
      }
      output.append("}")
    }
  }
}
