import FeedCore

/// Writes elements as lines of JSON (--as-json).
struct JSONSink: ElementSink {
  private var form: JSONForm

  init(_ form: JSONForm) { self.form = form }

  var needsTree: Bool { true }

  mutating func write(
    _ element: borrowing FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) throws(XMLError) {
    try form.prepare(element, tree)
    form.write(tree, to: &output)
    output.endLine()
  }
}

/// Writes an element as a JSON value: the whole element, or an object of values (--fields).
struct JSONForm {
  private var whole: ElementJSON?
  private let columns: [Column]
  private var object = ByteWriter()

  init(_ whole: ElementJSON) { (self.whole, columns) = (whole, []) }

  init(_ columns: [Column]) { self.columns = columns }

  /// Prepares what an element may have too much of, before anything is written.
  mutating func prepare(_ element: borrowing FoundElement, _ tree: ElementTree) throws(XMLError) {
    do throws(XMLError) {
      try whole?.prepare(tree)
      if columns.isEmpty { return }
      _ = object.take()
      for (place, column) in columns.enumerated() {
        object.append(UInt8(ascii: place == 0 ? "{" : ","))
        JSONString.write(column.text, to: &object)
        object.append(UInt8(ascii: ":"))
        try column.writeJSON(of: tree, to: &object)
      }
      object.append(UInt8(ascii: "}"))
    } catch { throw error.moved(by: element.range.lowerBound) }
  }

  mutating func write(_ tree: ElementTree, to output: inout ByteWriter) {
    if whole != nil { whole?.write(tree, to: &output) } else { output.append(object.buffer) }
  }
}

extension Column {
  /// Writes a number, a text, several as an array, or null for none.
  fileprivate func writeJSON(of tree: ElementTree, to output: inout ByteWriter) throws(XMLError) {
    if isCount || separator != nil {
      var text: [UInt8] = []
      let hasValue = try append(to: &text, from: tree)
      if isCount { return output.append(text) }
      if hasValue { JSONString.write(text, to: &output) } else { output.append("null") }
      return
    }
    let values = try values(in: tree)
    if values.isEmpty { return output.append("null") }
    if values.count == 1 { return JSONString.write(values[0], to: &output) }
    for (place, value) in values.enumerated() {
      output.append(UInt8(ascii: place == 0 ? "[" : ","))
      JSONString.write(value, to: &output)
    }
    output.append(UInt8(ascii: "]"))
  }
}

/// Writes elements as event records, each with the element's name as event (--records).
struct RecordSink: ElementSink {
  private let id: Field?
  private var form: JSONForm?
  private let stamp: RecordStamp

  /// - Parameter form: nil for the text of the element.
  init(id: Field?, _ form: JSONForm?, _ stamp: RecordStamp) { (self.id, self.form, self.stamp) = (id, form, stamp) }

  var needsTree: Bool { true }
  var isXML: Bool { form == nil }
  var copiesText: Bool { form == nil }

  mutating func write(
    _ element: borrowing FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) throws(XMLError) {
    try form?.prepare(element, tree)
    let id = id?.value(in: tree) ?? []
    output.beginRecord(event: tree.rootName.span, id: id.span)
    if form == nil {
      JSONString.write(element.text(bytes), to: &output)
    } else {
      form?.write(tree, to: &output)
    }
    output.endRecord(stamp)
  }
}
