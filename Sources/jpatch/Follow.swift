// A document kept up to date by event records, and printed after each of them: the end of a pipeline.

import FeedCore

struct Follow: DocumentFollower {
  private let options: Options
  private let streams: StandardStreams
  private var stream = DocumentStream()
  private var view: View
  private var output: ByteWriter
  private var status = ExitStatus.yes
  private var records: RecordReader
  /// Whether there was an event of a document stream.
  private var hasFollowed = false
  private var checkpoint = CheckpointKeeper()

  /// The member of the checkpoint that holds the number of `--newer`.
  private static let mark = "mark"

  init(_ options: Options, _ streams: StandardStreams) {
    self.options = options
    self.streams = streams
    view = View(options)
    output = ByteWriter(streams.output, records: .filter)
    records = RecordReader(
      options.file.name, streams, remedy: "jdiff --follow makes them of documents", tellsAtOnce: false,
      isVerbose: options.isVerbose)
    stream.options = options.patching
    stream.maxOperations = options.maxOperations
    stream.dataEvent = options.dataEvent
    stream.patchEvent = options.patchEvent
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    try begin()
    var input = DocumentInput(
      options.file, try options.file.open(streams), maxDepth: options.maxDepth, maxSize: options.patching.maxSize,
      record: "event", progress: ReadingProgress(streams, of: [options.file]))
    try input.feed(&self, orHangUpOf: streams.output)
    try reportNothingFound()
    return status
  }

  /// Reports input that contained nothing for this tool (law 12).
  private func reportNothingFound() throws(ToolFailure) {
    if hasFollowed || records.hasNotes { return }
    if records.hasNonRecords { throw records.nothing }
    if records.hasEvents {
      let text = "no event brings a document or a change (--data-event and --patch-event set their names)"
      throw .failed(.no, text, source: options.file.name)
    }
  }

  /// Sets the document before the first event: the checkpoint's, else the given one.
  private mutating func begin() throws(ToolFailure) {
    checkpoint = try CheckpointKeeper(options.checkpoint)
    if let saved = try checkpoint.saved() {
      view.mark = saved.extra[Self.mark] ?? []
      if let document = saved.document { return stream.begin(with: document, id: saved.id) }
    }
    guard let file = options.initial else { return }
    stream.begin(with: JSONTree(try options.readDocument(file, streams).root))
  }

  mutating func take(_ item: StreamedDocument) throws(ToolFailure) {
    guard let record = try records.record(item) else { return }
    let outcome: DocumentStream.Outcome
    do { outcome = try records.apply(record, item, to: &stream) } catch {
      guard options.resyncs else { throw error }
      records.skip(error)
      hasFollowed = true
      status = .no
      return
    }
    if outcome == .other { return records.tell("skipped: not an event of a document stream", of: item) }
    hasFollowed = true
    guard outcome == .document || outcome == .change else { return }
    if let reason = view.show(&stream, afterDocument: outcome == .document, to: &output) {
      records.tell("not printed: " + reason.words, of: item)
    }
    checkpoint.invalidate()
    try output.checkOutput()
  }

  var isCommitDue: Bool { checkpoint.isDue }

  mutating func commit() throws(ToolFailure) {
    try output.flushOutput()
    let extra = view.mark.isEmpty ? [:] : [Self.mark: view.mark]
    try checkpoint.save(Checkpoint(id: stream.id, document: stream.document, extra: extra))
  }
}
