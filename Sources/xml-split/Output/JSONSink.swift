import FeedCore

/// Writes elements as lines of JSON (--as-json).
struct JSONSink: ElementSink {
  let form: JSONForm

  var needsTree: Bool { true }
  var needsSiblings: Bool { form.needsSiblings }

  func write(
    _ element: FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) throws(XMLError) {
    let content = try form.content(element, tree)
    form.write(content, tree, to: &output)
    output.endLine()
  }
}

extension JSONForm {
  var needsSiblings: Bool {
    if case .whole(let json) = self { json.needsSiblings } else { false }
  }

  /// What is written of an element. It is known whole before anything is written, because an element may have too much.
  enum Content {
    /// With the namespaces that names have; nil if they have none.
    case whole(ExpandedNames?)
    case members([(name: [UInt8], value: Value)])
  }

  enum Value {
    case null
    case string([UInt8])
    case array([[UInt8]])
    case number(Int)
  }

  func content(_ element: FoundElement, _ tree: ElementTree) throws(XMLError) -> Content {
    do throws(XMLError) {
      switch self {
      case .whole(let json):
        guard json.names.style == .expanded else { return .whole(nil) }
        return .whole(try ExpandedNames(tree, limit: json.names.maxExpanded))
      case .fields(let columns, let joining, let limit):
        var members: [(name: [UInt8], value: Value)] = []
        for column in columns { members.append((column.text, try column.member(of: tree, joining, limit: limit))) }
        return .members(members)
      }
    } catch { throw error.moved(by: element.range.lowerBound) }
  }
}

extension Column {
  fileprivate func member(of tree: ElementTree, _ joining: Joining?, limit: Int) throws(XMLError) -> JSONForm.Value {
    if isCount { return .number(count(in: tree)) }
    if joining != nil {
      var text: [UInt8] = []
      return try append(to: &text, from: tree, joining: joining) ? .string(text) : .null
    }
    let values = try values(in: tree, limit: limit)
    return values.isEmpty ? .null : values.count == 1 ? .string(values[0]) : .array(values)
  }
}

extension JSONForm {
  func write(_ content: Content, _ tree: ElementTree, to output: inout ByteWriter) {
    switch content {
    case .whole(let expanded): if case .whole(let json) = self { json.write(tree, expanded, to: &output) }
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
  let id: Field?
  let data: RecordData
  let stamp: RecordStamp

  var needsTree: Bool { true }
  var needsSiblings: Bool {
    if case .json(let form) = data { form.needsSiblings } else { false }
  }

  func write(
    _ element: FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) throws(XMLError) {
    var content: JSONForm.Content?
    if case .json(let form) = data { content = try form.content(element, tree) }
    let id = id?.value(in: tree) ?? []
    output.beginRecord(event: tree.rootName.span, id: id.span)
    if let content, case .json(let form) = data {
      form.write(content, tree, to: &output)
    } else {
      JSONString.write(element.text(bytes), to: &output)
    }
    output.endRecord(stamp)
  }
}
