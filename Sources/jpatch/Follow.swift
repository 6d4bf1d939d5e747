// A document kept up to date by event records, printed after each: the end of a pipeline.

import FeedCore

struct Follow {
  private let options: Options
  private let streams: StandardStreams
  private var stream = DocumentStream()
  private var view: View
  private var output: ByteWriter
  private var status = ExitStatus.yes
  /// What the records have been so far.
  private var census = Census()

  private struct Census {
    /// Events of a document stream, and notes.
    var known = 0
    /// Events of other names.
    var others = 0
    /// What is no record.
    var foreign = 0
  }
  private var checkpoint = CheckpointKeeper()
  /// Whether changes are skipped, since one has failed.
  private var isSkipping = false

  /// The member of the checkpoint that holds the number of `--newer`.
  private static let mark = "mark"

  init(_ options: Options, _ streams: StandardStreams) {
    self.options = options
    self.streams = streams
    view = View(options)
    output = ByteWriter(streams.output, records: .filter)
    stream.options = options.patching
    stream.maxOperations = options.maxOperations
    stream.dataEvent = options.dataEvent
    stream.patchEvent = options.patchEvent
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    try begin()
    var input = DocumentInput(
      options.file, try options.file.open(streams), maxDepth: options.maxDepth, maxSize: options.patching.maxSize,
      record: "event")
    do throws(ToolFailure) {
      while let item = try input.next(
        orHangUpOf: streams.output, beforeWaiting: { () throws(ToolFailure) in try settle() })
      {
        try take(item)
        if checkpoint.isDue { try settle() }
      }
    } catch {
      if error != .brokenPipe { try settle() }
      throw error
    }
    try settle()
    try complainOfNothing()
    return status
  }

  /// Input in which nothing was for this tool is told (law 12).
  private func complainOfNothing() throws(ToolFailure) {
    guard census.known == 0 else { return }
    if census.foreign > 0 {
      let text = "no event records in this input (jdiff --follow makes them of documents)"
      throw .failed(.no, text, source: options.file.name)
    }
    if census.others > 0 {
      let text = "no event here brings a document or a change (--data-event and --patch-event say what they are called)"
      throw .failed(.no, text, source: options.file.name)
    }
  }

  /// The document before the first event: the checkpoint's, else the given one.
  private mutating func begin() throws(ToolFailure) {
    checkpoint = try CheckpointKeeper(options.checkpoint)
    if let saved = try checkpoint.saved() {
      view.mark = saved.extra[Self.mark] ?? []
      if let document = saved.document { return stream.begin(with: document, id: saved.id) }
    }
    guard let file = options.initial else { return }
    stream.begin(with: JSONTree(try options.readDocument(file, streams).root))
  }

  private mutating func take(_ item: StreamedDocument) throws(ToolFailure) {
    let name = "event \(item.number)"
    let record: EventRecord?
    do { record = try EventRecord(item.document.root) } catch {
      throw .failed(
        .trouble, error.message, source: options.file.name, place: item.place(of: error.offset), record: name)
    }
    guard let record else {
      if EventRecord.isNote(item.document.root) {
        census.known += 1
      } else {
        census.foreign += 1
        tell("skipped: no member 'event'", of: name)
      }
      return
    }
    do {
      let outcome = try stream.apply(record)
      if case .other = outcome { census.others += 1 } else { census.known += 1 }
      switch outcome {
      case .document:
        isSkipping = false
        if let reason = view.show(&stream, afterDocument: true, to: &output) { tell("not printed: ", reason, of: name) }
      case .change:
        if let reason = view.show(&stream, afterDocument: false, to: &output) {
          tell("not printed: ", reason, of: name)
        }
      case .message(let text):
        let text = "error: " + String(decoding: text, as: UTF8.self)
        streams.say(Diagnostic(text, source: options.file.name, record: name))
        return
      case .skipped: return tell("skipped until the next document", of: name)
      case .other: return tell("skipped: no event of a document stream", of: name)
      }
    } catch {
      census.known += 1
      let text = options.resyncs && !isSkipping ? "; changes are skipped until the next document" : ""
      let complaint = Diagnostic(
        error.message + text, source: options.file.name, place: error.offset.map(item.place(of:)), record: name)
      guard options.resyncs else { throw .failed(error.isMalformed ? .trouble : .no, complaint) }
      streams.say(complaint)
      isSkipping = true
      self.status = .no
      return
    }
    checkpoint.invalidate()
    try output.checkOutput()
  }

  private func tell(_ message: String, _ reason: View.Reason? = nil, of record: String) {
    guard options.isVerbose else { return }
    let text = message + (reason?.words ?? "")
    streams.say(Diagnostic(text, source: options.file.name, record: record))
  }

  /// Writes out what was printed, and then the checkpoint that covers it.
  private mutating func settle() throws(ToolFailure) {
    try output.flushOutput()
    let extra = view.mark.isEmpty ? [:] : [Self.mark: view.mark]
    try checkpoint.save(Checkpoint(id: stream.id, document: stream.document, extra: extra))
  }
}
