import FeedCore

/// Streams of documents as event records: first a whole document, then its changes. `jpatch --follow` reads them.
/// Without `--by` there is one document, with the number 0; with it, there is one for each source of the input.
struct DiffFollow: DocumentFollower {
  private let options: Options
  private let streams: StandardStreams
  private let file: InputFile
  var output: ByteWriter
  private let redraw: Redraw
  private var eventStream = EventStreamWriter()
  var checkpoint = CheckpointKeeper()
  private var documents: [DiffedDocument] = []
  var records: RecordReader
  /// Nil if events have none.
  private var ids: EventIDs

  /// Whether all documents so far were event records, which should not be compared themselves.
  private var areRecords: Bool?
  static let remedy = "jpatch --follow --records --data-event sets its name"
  private var hasSkipped = false
  /// How often something was skipped that may have been a change of any document.
  private var losses = 0
  private static let events = DocumentStream()

  init(_ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.options = options
    self.streams = streams
    file = options.files[0]
    output = ByteWriter(streams.output, records: .filter)
    redraw = Redraw(options.redraws, on: streams.output)
    ids = options.ids
    records = RecordReader(
      file.name, streams, remedy: "without --records-in, documents are compared", reportsAtOnce: false,
      isVerbose: false, sources: options.sources)
    if options.sources == nil { documents = [DiffedDocument(options)] }
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    var input = DocumentInput(
      file, try file.open(streams), maxDepth: options.maxDepth, maxSize: options.maxSize,
      skippingLinesWith: options.skipsErrors ? streams : nil, record: options.readsRecords ? "event" : "document",
      progress: ReadingProgress(streams, of: [file]))
    try resume()
    try input.feed(&self, orHangUpOf: streams.output)
    if !hasSkipped, options.readsRecords, try !records.isOfUse(Self.remedy) { return .no }
    return areRecords == true || hasSkipped ? .no : .yes
  }

  // MARK: The checkpoint

  /// Reads the documents that the reader of the records has, with their ids, and prints them first, so that the rest of
  /// the pipe has them too.
  private mutating func resume() throws(ToolFailure) {
    checkpoint = try CheckpointKeeper(options.checkpoint)
    guard let path = checkpoint.path else { return }
    let options = options
    if options.sources == nil {
      if let saved = try checkpoint.saved() { documents = [try DiffedDocument(options, resuming: saved, &ids)] }
    } else {
      try records.resume(from: path) { saved throws(ToolFailure) in
        documents.append(try DiffedDocument(options, resuming: saved, &ids))
      }
    }
    for number in documents.indices {
      if let side = documents[number].current { printDocument(number, side) }
    }
    // For a server that should not say that it does not know a document.
    if options.sources != nil, !options.isText, !options.printsEventStream { output.append(.live) }
  }

  var checkpoints: [Checkpoint?] { documents.map(\.checkpoint) }

  // MARK: Documents

  mutating func hasSkippedLine() {
    hasSkipped = true
    losses += 1
  }

  mutating func take(_ item: StreamedDocument) throws(ToolFailure) {
    if options.readsRecords { return try takeRecord(item) }
    let record = "document \(item.number)"
    reportRecords(item, record)
    if let current = documents[0].current, current.whole.bytes == item.document.bytes { return }
    try compare(item.document, 0, record)
  }

  // MARK: Event records

  /// Applies a record to the document of its source, and prints what has changed by it.
  private mutating func takeRecord(_ item: StreamedDocument) throws(ToolFailure) {
    let number: Int
    do throws(ToolFailure) {
      guard let changed = try apply(item) else { return records.reportUnusable(Self.remedy) }
      number = changed
    } catch {
      guard options.skipsErrors else { throw error }
      let reach = records.reach(of: item)
      records.skip(error, reach)
      hasSkipped = true
      switch reach {
      case .none: break
      case .all: losses += 1
      case .one(let number): documents[number].input.loseSync()
      }
      return
    }
    guard let document = documents[number].news() else { return }
    try compare(document, number, records.label(item))
    // Otherwise the reader lacks what is ignored, and a patch of the input may need it.
    if options.scope.isEmpty, let current = documents[number].current { documents[number].share(current) }
  }

  /// Applies a record to the document of its source.
  /// - Returns: the number of the document; nil if it did not change.
  private mutating func apply(_ item: StreamedDocument) throws(ToolFailure) -> Int? {
    guard let record = try records.record(item) else { return nil }
    // A message needs no source, nor does an event without effect. Neither touches the document that it is applied to.
    let isFollowed = options.sources != nil && Self.events.follows(record.event)
    let number = isFollowed ? try records.document(of: item) : 0
    if number == documents.count { documents.append(DiffedDocument(options)) }
    documents[number].countLosses(losses)
    let outcome = try records.apply(record, item, to: &documents[number].input)
    return outcome == .document || outcome == .change ? number : nil
  }

  /// Reports event records, once: the documents in them should be compared instead.
  private mutating func reportRecords(_ item: StreamedDocument, _ record: String) {
    // A note proves nothing: it may come before records, and it may be a document.
    if areRecords == false || EventRecord.isNote(item.document.root) { return }
    let isRecord = EventRecord.isUnmistakable(item.document.root)
    if areRecords == nil, isRecord {
      let text = "this is an event record, and jdiff compares documents (--records-in, or sse-cat --raw)"
      streams.say(Diagnostic(text, source: file.name, record: record))
    }
    areRecords = isRecord
  }

  // MARK: Changes

  /// Prints what is different in a new document.
  private mutating func compare(
    _ document: JSONDocument, _ number: Int, _ record: String
  ) throws(ToolFailure) {
    let new = try side(document, record)
    guard let old = documents[number].current else {
      advance(number, to: new)
      printDocument(number, new)
      return try output.checkOutput()
    }
    if options.isText {
      if try show(from: old, to: new, record) { advance(number, to: new) }
      return
    }
    // If the patch is as large as the document, the whole document is sent; also if a merge patch cannot express the
    // change.
    let patch: PatchOutput?
    do {
      patch = try PatchOutput.between(old, new, options)
      if patch == nil { return }
    } catch { patch = nil }
    let held = try held(old, new, patch, record)
    advance(number, to: held)
    documents[number].changesSinceFull += 1
    if let text = patch?.document, documents[number].changesSinceFull != options.fullEvery,
      text.bytes.count < held.whole.bytes.count
    {
      print(number, options.isMergePatch ? "merge" : "patch", JSONTree(text.root))
    } else {
      printDocument(number, held)
    }
    try output.checkOutput()
  }

  /// The reader's document after a change: the new document. If something is ignored or has no order, it is the result
  /// of the patch instead.
  private func held(_ old: Side, _ new: Side, _ patch: PatchOutput?, _ record: String) throws(ToolFailure) -> Side {
    guard !options.scope.isEmpty, let patch else { return new }
    do { return try side(try patch.applied(to: old.whole), record) } catch {
      throw error.saying { Diagnostic($0.text, source: file.name, record: record) }
    }
  }

  /// Prints a change for people.
  /// - Returns: whether there is one.
  private mutating func show(from old: Side, to new: Side, _ record: String) throws(ToolFailure) -> Bool {
    var differ = Differ(old, new, options.differ)
    differ.run()
    if differ.changes.isEmpty { return false }
    let view = TextView(title: ["= " + record], options, on: streams.output)
    try redraw.print(to: &output) { output throws(ToolFailure) in try view.write(differ, to: &output) }
    try output.checkOutput()
    return true
  }

  private func side(_ document: JSONDocument, _ record: String?) throws(ToolFailure) -> Side {
    try Side(document, options.scope, of: file.name, record: record)
  }

  /// The reader has this document as soon as the event is printed.
  private mutating func advance(_ number: Int, to held: Side) {
    documents[number].hold(held, id: ids.next())
    checkpoint.invalidate()
  }

  // MARK: Printing

  private mutating func printDocument(_ number: Int, _ side: Side) {
    documents[number].changesSinceFull = 0
    // Only changes are for people.
    if options.isText { return }
    print(number, "data", JSONTree(side.whole.root))
  }

  private mutating func print(_ number: Int, _ event: String, _ document: JSONTree) {
    let id = documents[number].id
    if options.printsEventStream {
      eventStream.write(type: Array(event.utf8), id: id, data: document.compactText, to: &output)
    } else {
      output.beginRecord(event: Array(event.utf8).span, id: id.span)
      output.appendDocument(document)
      output.endRecord(options.stamp, of: records.sources?.sources[number])
    }
  }
}

/// What a reader of the records has of a document, and what the input says of it.
private struct DiffedDocument {
  /// The document that the reader of the records has now.
  private(set) var current: Side?
  /// The id of the last event; empty before the first, and if events have none.
  private(set) var id: [UInt8] = []
  /// How many changes were printed since the last whole document.
  var changesSinceFull = 0
  /// The document of the input, if the input is event records.
  var input = DocumentStream()

  /// How many of the losses of `DiffFollow` it knows.
  private var losses = 0

  /// Less than this is not worth freeing; with many documents, so many bytes for each may be large.
  private static let attachedBytes = 4096

  init(_ options: Options) {
    input.options.maxDepth = options.maxDepth
    input.options.maxSize = options.maxSize
    input.attachedBeforeRebase = Self.attachedBytes
  }

  /// A document of the checkpoint, which the reader has too.
  init(_ options: Options, resuming saved: Checkpoint, _ ids: inout EventIDs) throws(ToolFailure) {
    self.init(options)
    ids.resume(after: saved.id)
    guard let document = saved.document else { return }
    let text = JSONDocument(known: document.compactText)
    hold(try Side(text, options.scope, of: options.files[0].name), id: saved.id)
  }

  /// Nil without a document.
  var checkpoint: Checkpoint? { current.map { Checkpoint(id: id, document: JSONTree($0.whole.root)) } }

  /// Skips all changes until the next whole document if one may have been lost.
  mutating func countLosses(_ count: Int) {
    if losses != count { input.loseSync() }
    losses = count
  }

  /// - Parameter id: of the event that brings it; nil if events have none.
  mutating func hold(_ side: Side, id: [UInt8]?) {
    current = side
    self.id = id ?? []
  }

  /// The document of the input; nil if the reader has it already.
  mutating func news() -> JSONDocument? {
    guard let tree = input.document else { return nil }
    let text = tree.compactText
    if let current, current.whole.bytes == text {
      share(current)
      return nil
    }
    return JSONDocument(known: text)
  }

  /// Holds the document of the input only once, if it is the one that the reader has.
  mutating func share(_ side: Side) { input.begin(with: JSONTree(side.whole.root)) }
}
