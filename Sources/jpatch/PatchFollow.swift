import FeedCore

/// Documents kept up to date by event records, and printed after each of them: the end of a pipeline. Without `--by`
/// there is one document, with the number 0; with it, there is one for each source of the records.
struct PatchFollow: DocumentFollower {
  private let options: Options
  private let streams: StandardStreams
  private var documents: [PatchedDocument] = []
  /// What a new source begins with.
  private var beginning: PatchedDocument
  private var output: ByteWriter
  private var status = ExitStatus.yes
  private var records: RecordReader
  private static let remedy = "--data-event and --patch-event set their names"
  private var checkpoint = CheckpointKeeper()

  init(_ options: Options, _ streams: StandardStreams) {
    self.options = options
    self.streams = streams
    beginning = PatchedDocument(options)
    output = ByteWriter(streams.output, records: .filter)
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
    if let reason = documents[number].show(source, afterDocument: outcome == .document, to: &output) {
      records.report("not printed: " + reason.words, of: item)
    }
    checkpoint.invalidate()
    try output.checkOutput()
  }

  var isCommitDue: Bool { checkpoint.isDue }

  mutating func commit() throws(ToolFailure) {
    try output.flushOutput()
    guard let sources = records.sources else { return try checkpoint.save(documents[0].checkpoint) }
    try checkpoint.save { path throws(ToolFailure) in
      try Checkpoint.write(
        path, of: sources, documents.lazy.map { $0.hasDocument ? $0.checkpoint : nil })
    }
  }

  mutating func pause() throws(ToolFailure) {
    records.reportUnusable(Self.remedy)
    if records.sources == nil || isCommitDue { try commit() } else { try output.flushOutput() }
  }

  var dueTime: Double? {
    let saving = records.sources == nil ? nil : checkpoint.dueTime
    return [saving, records.dueTime].compactMap(\.self).min()
  }
}

/// A document, and what has been printed of it.
private struct PatchedDocument {
  var stream = DocumentStream()
  private var view: View

  /// The member of the checkpoint that holds the number of `--newer`.
  private static let mark = "mark"
  /// With many documents, so many bytes for each may be large.
  private static let attachedOfMany = 4096

  init(_ options: Options) {
    view = View(options)
    stream.options = options.patching
    stream.dataEvent = options.dataEvent
    stream.patchEvent = options.patchEvent
    if options.sources != nil { stream.attachedBeforeRebase = Self.attachedOfMany }
  }

  var hasDocument: Bool { stream.document != nil }

  mutating func resume(from saved: Checkpoint) {
    view.mark = saved.extra[Self.mark] ?? []
    if let document = saved.document { stream.begin(with: document, id: saved.id) }
  }

  var checkpoint: Checkpoint {
    let extra = view.mark.isEmpty ? [:] : [Self.mark: view.mark]
    return Checkpoint(id: stream.id, document: stream.document, extra: extra)
  }

  mutating func show(_ source: RecordSource?, afterDocument: Bool, to output: inout ByteWriter) -> View.Reason? {
    view.show(&stream, of: source, afterDocument: afterDocument, to: &output)
  }
}
