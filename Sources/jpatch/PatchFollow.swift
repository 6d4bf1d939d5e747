import FeedCore

/// Documents kept up to date by event records, and printed after each of them: the end of a pipeline. Without `--by`
/// there is one document, with the number 0; with it, there is one for each source of the records.
struct PatchFollow: DocumentFollower {
  private let options: Options
  private let streams: StandardStreams
  private var documents: [View] = []
  /// What a new source begins with.
  private var beginning: View
  var output: ByteWriter
  private let redraw: Redraw
  private var status = ExitStatus.yes
  var records: RecordReader
  static let remedy = "--data-event and --patch-event set their names"
  var checkpoint = CheckpointKeeper()

  init(_ options: Options, _ streams: StandardStreams) {
    self.options = options
    self.streams = streams
    beginning = View(options)
    output = ByteWriter(streams.output, records: .filter)
    redraw = Redraw(options.redraws, on: streams.output)
    records = RecordReader(
      options.file.name, streams, remedy: "jdiff --follow makes them of documents", reportsAtOnce: false,
      isVerbose: options.isVerbose, sources: options.sources)
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    try begin()
    var input = DocumentInput(
      options.file, try options.file.open(streams), maxDepth: options.maxDepth, maxSize: options.patching.maxSize,
      record: "event", progress: ReadingProgress(streams, of: [options.file]))
    try input.feed(&self, orHangUpOf: streams.output)
    return try records.isOfUse(Self.remedy) ? status : .no
  }

  /// Sets the documents before the first event: those of the checkpoint, else the given one.
  private mutating func begin() throws(ToolFailure) {
    checkpoint = try CheckpointKeeper(options.checkpoint)
    guard options.sources != nil else {
      if let saved = try checkpoint.saved() { beginning.resume(from: saved) }
      if !beginning.hasDocument { try begin(with: options.initial) }
      documents = [beginning]
      return
    }
    try begin(with: options.initial)
    if let path = checkpoint.path {
      try records.resume(from: path) { saved in
        documents.append(beginning)
        documents[documents.count - 1].resume(from: saved)
      }
    }
  }

  private mutating func begin(with file: InputFile?) throws(ToolFailure) {
    guard let file else { return }
    beginning.stream.begin(with: JSONTree(try options.readDocument(file, streams).root))
  }

  /// Applies a record, and prints the document if the options allow it.
  mutating func take(_ item: StreamedDocument) throws(ToolFailure) {
    guard let record = try records.record(item) else { return records.reportUnusable(Self.remedy) }
    // A message needs no source, nor does an event without effect. Neither touches the document that it is applied to.
    let isFollowed = options.sources != nil && beginning.stream.follows(record.event)
    let number = isFollowed ? try records.document(of: item) : 0
    if number == documents.count { documents.append(beginning) }
    let outcome: DocumentStream.RecordEffect
    do { outcome = try records.apply(record, item, to: &documents[number].stream) } catch {
      guard options.resyncs else { throw error }
      records.skip(error, records.reach(of: item))
      status = .no
      return
    }
    if outcome == .other {
      records.report("skipped: not an event of a document stream", of: item)
      return records.reportUnusable(Self.remedy)
    }
    guard outcome == .document || outcome == .change else { return }
    let source = records.sources?.sources[number]
    if let reason = documents[number].show(source, afterDocument: outcome == .document, redraw, to: &output) {
      records.report("not printed: " + reason, of: item)
    }
    checkpoint.invalidate()
    try output.checkOutput()
  }

  var checkpoints: [Checkpoint?] { documents.map(\.checkpoint) }
}
