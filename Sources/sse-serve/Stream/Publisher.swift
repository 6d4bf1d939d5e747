import FeedCore

/// From event records to the stream for all clients, and to the document that a late client gets first.
///
/// In a document stream (feedutils(7)), a record is sent only after it was applied here. A change that does not apply is
/// not sent, nor are the changes after it, until the next whole document. So every client that follows has the document
/// that is held here.
struct Publisher {
  /// What a client gets after the greeting, and where it continues in the plain text.
  struct Start {
    var preamble: [UInt8] = []
    var document: SharedText?
    var place: Int
    /// Whether the client continues after its last event.
    var isResumed = false
  }

  /// The events, in each encoding that clients may get: the plain text, and with `--gzip` the compressed one.
  let logs: [StreamLog]
  private(set) var index: EventIndex
  /// The clients that wait for an event.
  var waiting = WaitingList()

  private let options: Options
  private var document = DocumentStream()
  private var writer = EventStreamWriter()
  private var count = 0
  /// The current document as a response, until it changes.
  private var snapshot: SharedText?
  /// Old documents that clients may still be receiving, in order.
  private var held = HeldTexts()
  /// The IDs that `--add-ids` gives.
  private var ids = EventIDs()

  /// A comment: shows a client that the connection is alive, and makes a proxy forward the head.
  static let comment = Array(":\n\n".utf8)
  /// The longest id in bytes: one that a client can send back with its other headers.
  private static let maxID = 4096

  /// - Parameter logs: that of the plain text first.
  init(_ options: Options, _ logs: [StreamLog]) {
    self.options = options
    self.logs = logs
    index = EventIndex(options.replay)
    document.options = options.patching
    document.dataEvent = options.dataEvent
    document.patchEvent = options.patchEvent
  }

  // MARK: Records

  /// Drops changes until the next whole document.
  mutating func loseSync() { document.loseSync() }

  /// Publishes a record.
  /// - Parameter records: their reader, which makes the messages.
  /// - Returns: whether clients get it; not if changes are skipped.
  mutating func publish(
    _ record: EventRecord, _ item: StreamedDocument, _ records: inout RecordReader
  ) throws(ToolFailure) -> Bool {
    let id = record.id(or: options.idFrom, maxDepth: options.patching.maxDepth)
    try check(record.event, "'event'", item, records)
    try check(id, idName(of: record), item, records)
    if id.count > Self.maxID {
      throw records.failure("\(idName(of: record)) has more than \(Self.maxID) bytes", item, at: 0)
    }
    guard let data = record.data else { throw records.failure("no 'data'", item, at: 0) }
    if !options.isPlain {
      let outcome = try records.apply(record, item, to: &document)
      if outcome == .skipped { return false }
      if outcome == .document || outcome == .change { snapshot = nil }
    }
    // Clients get all documents and patches in one form.
    let part = options.isPlain ? nil : document.part(of: record)
    append(record, part.map { JSONTree($0).compactText } ?? Self.wireText(data), id: id)
    return true
  }

  /// - Throws: if the value cannot be the type or the ID of an event.
  private func check(
    _ value: [UInt8], _ name: @autoclosure () -> String, _ item: StreamedDocument, _ records: RecordReader
  ) throws(ToolFailure) {
    guard let problem = EventStreamWriter.problem(of: value) else { return }
    throw records.failure("\(name()) \(problem)", item, at: 0)
  }

  /// For messages.
  private func idName(of record: EventRecord) -> String {
    guard record.id.isEmpty, let pointer = options.idFrom else { return "'id'" }
    return "the ID at '\(pointer.shown)'"
  }

  private mutating func append(_ record: EventRecord, _ data: [UInt8], id: [UInt8]) {
    count += 1
    var id = id
    if id.isEmpty && options.addsIDs { id = ids.next() }
    var output = ByteWriter()
    writer.write(type: record.event, id: id, data: data, to: &output)
    let bytes = output.take()
    for log in logs { log.append(bytes) }
    index.append(end: end, id: id)
    if waiting.count > 0 { waiting.take(id.trimmed(\.isBlank), endingAt: end) }
  }

  /// A string is sent raw, any other value as JSON text.
  private static func wireText(_ data: JSONValue) -> [UInt8] {
    if var string = data.string {
      // JSON can express a lone surrogate, but UTF-8 cannot.
      if data.kind == .escapedString { string.repairUTF8() }
      return string
    }
    if data.document.isCompact { return data.text }
    var text = ByteWriter()
    JSONWriter.writeCompact(JSONTree(data), to: &text)
    return text.take()
  }

  /// The end of the plain text.
  var end: Int { logs[0].checksum.count }

  /// Drops the parts of the logs that no client needs any more.
  func dropSent() { for log in logs { log.drop(before: index.windowStart) } }

  // MARK: Clients

  /// The text that each client gets first.
  var greeting: [UInt8] {
    // The field is in milliseconds.
    Self.comment + (options.retry.map { Array("retry: \(Int(($0 * 1000).rounded()))\n\n".utf8) } ?? [])
  }

  /// Makes a client wait for the event `id`, which it has seen, if `id` is newer than every event here. That is a
  /// number greater than the newest; it comes from another server of the feed that is ahead of this one.
  /// - Returns: whether the client waits. If so, `waiting` reports when it continues.
  mutating func wait(_ token: UInt64, for id: [UInt8], until deadline: Double) -> Bool {
    let id = Array(id.trimmed(\.isBlank))
    guard id.count <= Self.maxID, let number = DecimalText(id), !number.isNegative else { return false }
    let isAhead = count == 0 || DecimalText(index.newestID).map { $0 < number } ?? false
    guard isAhead, index.place(after: id) == .unknown else { return false }
    waiting.add(token, id: id, number: number, deadline: deadline)
    return true
  }

  /// The beginning for a client that has seen the event `id`, empty for none.
  /// - Parameters:
  ///   - found: the end of that event, for a client that has waited for it. It may have left the window meanwhile.
  ///   - log: the one that the client gets.
  mutating func begin(after id: [UInt8], at found: Int? = nil, in log: StreamLog) -> Start {
    var place = index.place(after: id)
    if let found { place = [.unknown, .after(found)].contains(place) ? .after(found) : .ambiguous(found) }
    switch place {
    case .after(let place): return Start(place: place, isResumed: true)
    case .ambiguous(let place) where options.isPlain: return Start(place: place, isResumed: true)
    case .ambiguous, .unknown: break
    }
    var beginning = Start(place: end)
    if !options.isPlain, let tree = document.document {
      let document = log.document { event(of: tree) }
      held.add(document)
      beginning.document = document
    }
    guard !id.isEmpty, beginning.document == nil else { return beginning }
    if options.isPlain, index.hasIDs {
      // Sending everything that is left makes the gap as small as possible.
      beginning.place = index.windowStart
      beginning.preamble += Array(": the event to resume after is no longer known\n\n".utf8)
    }
    // The client must not keep the unknown id if the events that follow have none.
    beginning.preamble += Array("id\n\n".utf8)
    return beginning
  }

  /// The document as an event for a late client, with the id of the last event.
  private func event(of tree: JSONTree) -> [UInt8] {
    var text = ByteWriter()
    JSONWriter.writeCompact(tree, to: &text)
    var output = ByteWriter()
    var writer = EventStreamWriter()
    // With an id, even an empty one: the client may have an older id.
    output.append("id: ")
    output.append(index.lastID)
    output.append("\n")
    writer.write(type: document.dataEvent.name, id: [], data: text.take(), to: &output)
    return output.take()
  }

  /// Whether a whole document has come. There is none with `--plain`.
  var hasDocument: Bool { document.document != nil }

  /// The document, or the part that `--select` names, as JSON with a newline; nil if there is none.
  mutating func currentSnapshot() -> SharedText? {
    if let snapshot { return snapshot }
    guard let part = document.value(at: options.select) else { return nil }
    var text = ByteWriter()
    JSONWriter.writeCompact(part, to: &text)
    text.append("\n")
    let made = SharedText(text.take())
    snapshot = made
    held.add(made)
    return made
  }

  /// The oldest document, if slow clients keep too many of them in memory. Each change makes a new document for later
  /// clients. In a stream of small changes, a client that reads nothing is never too far behind, so another limit is
  /// needed.
  mutating func excessText() -> SharedText? {
    guard let oldest = held.excess() else { return nil }
    // The current document is not kept by a client alone, and is freed by itself.
    let isCurrent = oldest === snapshot || logs.contains { $0.document === oldest }
    return isCurrent ? nil : oldest
  }
}
