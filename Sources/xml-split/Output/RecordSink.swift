import FeedCore

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
