// A stream of documents as event records: first a whole document, then its changes. `jpatch --follow` reads them.

import FeedCore

struct Follow: DocumentFollower {
  private let options: Options
  private let streams: StandardStreams
  private let file: InputFile
  private var output: ByteWriter
  private var eventStream = EventStreamWriter()
  private var checkpoint = CheckpointKeeper()

  /// The document that the reader of the records has now.
  private var current: Side?
  /// The id of the last event; nil before the first, and if events have none.
  private var lastID: Int?
  /// The ids up to this one are of this run only, as the checkpoint says; nil if it says nothing. If the run is killed,
  /// an event may have been printed after the last checkpoint. A reader that has it must not take another event for it.
  private var reservedID: Int?
  private static let reservation = 100
  /// Whether all documents so far were event records, which should not be compared themselves.
  private var areRecords: Bool?
  /// How many changes were printed since the last whole document.
  private var changesSinceFull = 0

  init(_ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.options = options
    self.streams = streams
    file = options.files[0]
    output = ByteWriter(streams.output, records: .filter)
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    var input = DocumentInput(
      file, try file.open(streams), maxDepth: options.maxDepth, maxSize: options.maxSize,
      skippingLinesWith: options.skipsErrors ? streams : nil, record: "document",
      progress: ReadingProgress(streams, of: [file]))
    try resume()
    do { try input.feed(&self, orHangUpOf: streams.output) } catch {
      if error != .brokenPipe { try releaseIDs() }
      throw error
    }
    try releaseIDs()
    return areRecords == true || input.hasSkipped ? .no : .yes
  }

  /// Resumes from the checkpoint's document, which the reader has too.
  private mutating func resume() throws(ToolFailure) {
    checkpoint = try CheckpointKeeper(options.checkpoint)
    guard let path = options.checkpoint, let saved = try checkpoint.saved() else { return }
    if options.firstID != nil, !saved.id.isEmpty {
      lastID = Int(decimal: saved.id)
      guard let lastID, Options.ids.contains(lastID) else {
        throw .failed(
          .trouble, "the id '\(shortened(saved.id))' of the checkpoint is not a number to continue from (--no-ids)",
          source: quoted(path))
      }
    }
    if let document = saved.document {
      var text = ByteWriter()
      JSONWriter.writeCompact(document, to: &text)
      let side = try side(JSONDocument(known: text.take()), nil)
      current = side
      printDocument(side)
    }
    // The number after the last reserved one is left out too. Otherwise a server could take the next change for the one
    // that follows the last event of a reader.
    if options.firstID != nil, let reserved = saved.extra[Self.reservedName].flatMap({ Int(decimal: $0) }) {
      lastID = min(reserved, Options.ids.upperBound) + 1
    }
  }

  mutating func take(_ item: StreamedDocument) throws(ToolFailure) {
    let record = "document \(item.number)"
    tellOfRecords(item, record)
    if let current, current.whole.bytes == item.document.bytes { return }
    let new = try side(item.document, record)
    guard let old = current else {
      try advance(to: new)
      printDocument(new)
      return try output.checkOutput()
    }
    // If the patch is as large as the document, the whole document is sent; also if a merge patch cannot express the
    // change.
    let patch: Patch?
    if options.isMergePatch {
      var diff = MergeDiff(old, new)
      switch Result(catching: { () throws(MergeDiff.NotRepresentable) in try diff.patch() }) {
      case .success(nil): return
      case .success(let text?): patch = .merge(text)
      case .failure: patch = nil
      }
    } else {
      var differ = Differ(old, new, options.differ)
      differ.run()
      if differ.changes.isEmpty { return }
      patch = .operations(differ.patch())
    }
    if options.verifies { try patch?.verify(from: old, to: new, options.scope) }
    let held = try held(old, new, patch, record)
    try advance(to: held)
    changesSinceFull += 1
    if let text = patch?.document, changesSinceFull != options.fullEvery, text.bytes.count < held.whole.bytes.count {
      print(options.isMergePatch ? "merge" : "patch", JSONTree(text.root))
    } else {
      printDocument(held)
    }
    try output.checkOutput()
  }

  /// Reports event records, once: the documents in them should be compared instead (law 12).
  private mutating func tellOfRecords(_ item: StreamedDocument, _ record: String) {
    // A note proves nothing: it may come before records, and it may be a document.
    if areRecords == false || EventRecord.isNote(item.document.root) { return }
    let isRecord = EventRecord.isUnmistakable(item.document.root)
    if areRecords == nil, isRecord {
      let text = "this is an event record, and jdiff compares documents (sse-cat --raw prints only the data)"
      streams.say(Diagnostic(text, source: file.name, record: record))
    }
    areRecords = isRecord
  }

  /// The reader's document after a change: the new document. If something is ignored or has no order, it is the result
  /// of the patch instead.
  private func held(_ old: Side, _ new: Side, _ patch: Patch?, _ record: String) throws(ToolFailure) -> Side {
    guard !options.scope.isEmpty, let patch else { return new }
    do { return try side(try patch.applied(to: old.whole), record) } catch {
      throw error.saying { Diagnostic($0.text, source: file.name, record: record) }
    }
  }

  private func side(_ document: JSONDocument, _ record: String?) throws(ToolFailure) -> Side {
    try Side(document, options.scope, of: file.name, record: record)
  }

  // MARK: Printing

  private mutating func advance(to held: Side) throws(ToolFailure) {
    if let first = options.firstID {
      let next = lastID.map { $0 + 1 } ?? first
      if checkpoint.isKept, reservedID.map({ next > $0 }) ?? true { try reserveIDs(upTo: next + Self.reservation - 1) }
      lastID = next
    }
    current = held
    checkpoint.invalidate()
  }

  private var id: [UInt8] { lastID.map { Array(String($0).utf8) } ?? [] }

  private mutating func printDocument(_ side: Side) {
    changesSinceFull = 0
    print("data", JSONTree(side.whole.root))
  }

  private mutating func print(_ event: String, _ document: JSONTree) {
    if options.printsEventStream {
      var text = ByteWriter()
      JSONWriter.writeCompact(document, to: &text)
      eventStream.write(type: Array(event.utf8), id: id, data: text.take(), to: &output)
    } else {
      output.beginRecord(event: Array(event.utf8).span, id: id.span)
      output.appendDocument(document)
      output.endRecord(options.stamp)
    }
  }

  // MARK: The checkpoint

  private static let reservedName = "reserved"

  /// - Parameter id: the last id that this run may use; nil for no more.
  private mutating func reserveIDs(upTo id: Int?) throws(ToolFailure) {
    let before = reservedID
    reservedID = id
    checkpoint.invalidate()
    do { try commit() } catch {
      reservedID = before
      throw error
    }
  }

  /// Ends a run: the next one continues after the last id.
  private mutating func releaseIDs() throws(ToolFailure) {
    if reservedID != nil { try reserveIDs(upTo: nil) }
  }

  var isCommitDue: Bool { checkpoint.isDue }

  mutating func commit() throws(ToolFailure) {
    try output.flushOutput()
    if current == nil, reservedID == nil { return }
    let extra = reservedID.map { [Self.reservedName: Array(String($0).utf8)] } ?? [:]
    try checkpoint.save(Checkpoint(id: id, document: current.map { JSONTree($0.whole.root) }, extra: extra))
  }
}
