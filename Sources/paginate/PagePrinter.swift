// Prints the wanted parts of a page, in the form that was asked for.

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
    case .items(let form): for item in step.items { form.write(item, to: &output) }
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
}
