// Many documents, each patched for itself and printed on a line.

import FeedCore

struct EachDocument: DocumentFollower {
  private let options: Options
  private let streams: StandardStreams
  private let patches: [NamedPatch]
  private var output: ByteWriter

  init(_ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.options = options
    self.streams = streams
    patches = try NamedPatch.read(options, streams)
    output = ByteWriter(streams.output, records: .filter)
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    var input = DocumentInput(
      options.file, try options.file.open(streams), maxDepth: options.maxDepth, maxSize: options.patching.maxSize,
      record: "document")
    try input.feed(&self, orHangUpOf: streams.output)
    return .yes
  }

  mutating func take(_ item: StreamedDocument) throws(ToolFailure) {
    let record = "document \(item.number)"
    try SwappedOperands(options).refuse(patches, to: item.document.root, record: record)
    var tree = JSONTree(item.document.root)
    var noUndo: UndoLog?
    for patch in patches {
      try patch.apply(to: &tree, options.patching, undo: &noUndo, record: record)
    }
    let selected = try options.selected(from: &tree, record: record)
    JSONWriter.writeCompact(selected, to: &output)
    output.endLine()
    try output.checkOutput()
  }

  var isCommitDue: Bool { false }

  mutating func commit() throws(ToolFailure) { try output.flushOutput() }
}
