// What of a page is printed, in the form that was asked for.

import FeedCore

struct PagePrinter {
  private var output: ByteWriter
  private let form: Options.Form

  init(_ form: Options.Form, _ output: Descriptor) {
    self.form = form
    self.output = ByteWriter(output, records: .network)
  }

  mutating func flush() throws(ToolFailure) { try output.flushOutput() }

  mutating func print(_ step: Walker.Step) throws(ToolFailure) {
    switch form {
    case .items:
      for item in step.items {
        item.write(to: &output)
        output.endLine()
      }
    case .records: for item in step.items { printRecord(item) }
    case .pages:
      JSONWriter.writeCompact(JSONTree(step.page.root), to: &output)
      output.endLine()
    case .nextLink: break
    }
    try output.checkOutput()
  }

  mutating func print(link: [UInt8]) {
    output.append(link)
    output.endLine()
  }

  private mutating func printRecord(_ item: PageItem) {
    let event = Array("item".utf8)
    let id = item.id ?? []
    output.beginRecord(event: event.span, id: id.span)
    var text = ByteWriter()
    item.write(to: &text)
    output.appendItem(text.take())
    output.endRecord()
  }
}

extension ByteWriter {
  /// Writes an item as the data of an event record: one that is neither an object nor an array is the string of its text.
  mutating func appendItem(_ text: [UInt8]) {
    if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") {
      append(text)
    } else {
      JSONString.write(text, to: &self)
    }
  }
}
