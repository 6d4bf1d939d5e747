import FeedCore

/// Writes elements as lines of JSON (--as-json).
struct JSONSink: ElementSink {
  private let form: JSONForm
  private var writer: ElementJSONWriter?

  init(_ form: JSONForm) {
    self.form = form
    writer = form.writer
  }

  var needsTree: Bool { true }

  mutating func write(
    _ element: borrowing FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) throws(XMLError) {
    try form.content(element, tree).write(tree, by: &writer, to: &output)
    output.endLine()
  }
}

extension JSONForm {
  /// What writes whole elements.
  var writer: ElementJSONWriter? { if case .whole(let json) = self { ElementJSONWriter(json) } else { nil } }

  /// What is written of an element. It is known whole before anything is written, because an element may have too much.
  enum Content {
    /// With the namespaces that names have; nil if they have none.
    case whole(ExpandedNames?)
    case members([(name: [UInt8], value: FieldValue)])
  }

  enum FieldValue {
    case null
    case string([UInt8])
    case array([[UInt8]])
    case number(Int)
  }

  func content(_ element: borrowing FoundElement, _ tree: ElementTree) throws(XMLError) -> Content {
    do throws(XMLError) {
      switch self {
      case .whole(let json):
        guard json.names.style == .expanded else { return .whole(nil) }
        return .whole(try ExpandedNames(tree, limit: json.names.maxExpanded))
      case .fields(let columns, let joining, let limit):
        var members: [(name: [UInt8], value: FieldValue)] = []
        for column in columns { members.append((column.text, try column.member(of: tree, joining, limit: limit))) }
        return .members(members)
      }
    } catch { throw error.moved(by: element.range.lowerBound) }
  }
}

extension Column {
  fileprivate func member(of tree: ElementTree, _ joining: Joining?, limit: Int) throws(XMLError) -> JSONForm.FieldValue
  {
    if isCount { return .number(count(in: tree)) }
    if joining != nil {
      var text: [UInt8] = []
      return try append(to: &text, from: tree, joining: joining) ? .string(text) : .null
    }
    let values = try values(in: tree, limit: limit)
    return values.isEmpty ? .null : values.count == 1 ? .string(values[0]) : .array(values)
  }
}

extension JSONForm.Content {
  func write(_ tree: ElementTree, by writer: inout ElementJSONWriter?, to output: inout ByteWriter) {
    switch self {
    case .whole(let expanded): writer?.write(tree, expanded, to: &output)
    case .members(let members):
      for (place, member) in members.enumerated() {
        output.append(UInt8(ascii: place == 0 ? "{" : ","))
        JSONString.write(member.name, to: &output)
        output.append(UInt8(ascii: ":"))
        switch member.value {
        case .null: output.append("null")
        case .string(let text): JSONString.write(text, to: &output)
        case .number(let number): output.append(String(number))
        case .array(let values):
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

/// Writes elements as event records, each with the element's name as event (--records).
struct RecordSink: ElementSink {
  private let id: Field?
  private let form: JSONForm?
  private let stamp: RecordStamp
  private var writer: ElementJSONWriter?

  /// - Parameter form: nil for the text of the element.
  init(id: Field?, _ form: JSONForm?, _ stamp: RecordStamp) {
    (self.id, self.form, self.stamp) = (id, form, stamp)
    writer = form?.writer
  }

  var needsTree: Bool { true }

  mutating func write(
    _ element: borrowing FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) throws(XMLError) {
    let content = try form?.content(element, tree)
    let id = id?.value(in: tree) ?? []
    output.beginRecord(event: tree.rootName.span, id: id.span)
    if let content {
      content.write(tree, by: &writer, to: &output)
    } else {
      JSONString.write(element.text(bytes), to: &output)
    }
    output.endRecord(stamp)
  }
}
