// From event records to the stream that all clients share, and to the document that a late one is given first.
//
// In a document stream (feedutils(7)) a record is served once it has been applied here. A change that does not apply
// reaches no client, and neither do the changes after it, until the next whole document. So each client that follows has
// the document that is held here.

import FeedCore

struct Publisher {
  /// Text that several connections send; it lives as long as one of them does.
  final class Text {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
  }

  private struct WeakText { weak var text: Text? }

  /// What a client is sent after the greeting, and where in the log it goes on.
  struct Beginning {
    var preamble: [UInt8] = []
    var document: Text?
    var place: Int
  }

  /// What `/snapshot` answers.
  enum Snapshot {
    case none
    /// There is a document, but not what `--select` asks for.
    case notThere
    case document(Text, tag: [UInt8])
  }

  private(set) var log = ByteLog()
  private(set) var index: EventIndex
  /// The clients that wait for an event to come.
  var waiting = WaitingList()
  /// Whether a record was skipped.
  private(set) var hasSkipped = false
  /// Whether there was something in the input, and nothing that is served or a note.
  var hasFoundNothing: Bool { records.hasFoundNothing }
  /// Whether the input has told that all that was missed has come.
  var isLive: Bool { records.isLive }

  private let options: Options
  private var document = DocumentStream()
  private var writer = EventStreamWriter()
  private var count = 0
  private var records: RecordReader
  /// The document as an event, and as an answer, until it changes.
  private var event: Text?
  private var snapshot: Snapshot?
  /// Documents that clients may still be in the midst of, in the order in which they were made.
  private var held: [WeakText] = []
  /// What goes before the numbers of added ids: those of another run must not be taken for ours.
  private let run = Array("\(Clock.now() / 1000)-".utf8)

  /// A comment: all that a client needs to know that the connection is alive, and a proxy to pass on the head.
  static let comment = Array(":\n\n".utf8)
  /// Of an id in bytes: one that a client can send back beside all else that it says.
  private static let maxID = 4096
  private static let dataName = Array("data".utf8)
  private static let messageName = Array("message".utf8)

  init(_ options: Options, _ streams: StandardStreams) {
    self.options = options
    let maker = options.isPlain ? "paginate --records makes them of items" : "jdiff --follow makes them of documents"
    records = RecordReader(InputFile.standardInput.name, streams, remedy: maker, isVerbose: options.isVerbose)
    index = EventIndex(options.replay)
    document.options = options.patching
    document.maxOperations = options.maxOperations
    document.dataEvent = options.dataEvent
    document.patchEvent = options.patchEvent
  }

  // MARK: Records

  /// Takes a record in.
  /// - Throws: where it is malformed and `--on-error` does not say to go on.
  mutating func take(_ item: StreamedDocument) throws(ToolFailure) {
    do throws(ToolFailure) { try publish(item) } catch {
      // A change that does not fit ends nothing: the next whole document makes it good.
      guard options.skipsErrors || error.status == .no else { throw error }
      skip(error)
    }
  }

  /// Goes on after input that is no record.
  mutating func skip(_ error: ToolFailure) {
    records.skip(error, losesChanges: !options.isPlain)
    hasSkipped = true
    // It may have been a change: those after it need not fit any more.
    document.loseSync()
  }

  private mutating func publish(_ item: StreamedDocument) throws(ToolFailure) {
    guard let record = try records.record(item) else { return }
    let id = record.id(or: options.idFrom, maxDepth: options.patching.maxDepth)
    try check(record.event, "'event'", item)
    try check(id, idName(of: record), item)
    if id.count > Self.maxID {
      throw records.failure("\(idName(of: record)) has more than \(Self.maxID) bytes", item, at: 0)
    }
    guard let data = record.data else { throw records.failure("no 'data'", item, at: 0) }
    if !options.isPlain {
      let outcome = try records.apply(record, item, to: &document)
      if outcome == .skipped { return }
      if outcome == .document || outcome == .change { snapshot = nil }
    }
    append(record, data, id: id)
  }

  /// - Throws: where no field of an event stream can have the value.
  private func check(
    _ value: [UInt8], _ name: @autoclosure () -> String, _ item: StreamedDocument
  ) throws(ToolFailure) {
    guard let bad = value.first(where: { $0.isLineEnd || $0 == 0 }) else { return }
    let what = bad == 0 ? "NUL" : "a line end"
    throw records.failure("\(name()) has \(what), which an event stream cannot carry", item, at: 0)
  }

  /// For messages.
  private func idName(of record: EventRecord) -> String {
    guard record.id.isEmpty, let pointer = options.idFrom else { return "'id'" }
    return "the ID at '\(pointer.shown)'"
  }

  private mutating func append(_ record: EventRecord, _ data: JSONValue, id: [UInt8]) {
    count += 1
    var id = id
    if id.isEmpty && options.addsIDs { id = run + Array(String(count).utf8) }
    var output = ByteWriter()
    let type = record.event.isEmpty ? Self.messageName : record.event
    writer.write(type: type, id: id, data: Self.wireText(data), to: &output)
    log.append(output.take())
    index.append(end: log.end, id: id)
    event = nil
    if waiting.count > 0 { waiting.take(id.trimmed(\.isBlank), endingAt: log.end) }
  }

  /// A string goes out raw, any other value as JSON text.
  private static func wireText(_ data: JSONValue) -> [UInt8] {
    if var string = data.string {
      // A lone surrogate, which JSON can write, has no place in UTF-8.
      if data.kind == .escapedString { UTF8Repair.repair(&string) }
      return string
    }
    if data.document.isCompact { return data.text }
    var text = ByteWriter()
    JSONWriter.writeCompact(JSONTree(data), to: &text)
    return text.take()
  }

  /// Tells all clients that the connection is alive.
  mutating func appendComment() { log.append(Self.comment) }

  /// Forgets the part of the log that no client needs any more.
  /// - Parameter place: up to where all clients have been sent the log.
  mutating func drop(before place: Int) {
    index.drop(before: place)
    log.drop(before: min(place, index.windowStart))
  }

  // MARK: Clients

  /// What each client is sent at once.
  var greeting: [UInt8] {
    // The wire has milliseconds.
    Self.comment + (options.retry.map { Array("retry: \(Int(($0 * 1000).rounded()))\n\n".utf8) } ?? [])
  }

  /// Has a client wait for the event `id` that it has seen, if nothing that came here is as new: a number that is
  /// greater than the newest belongs to another server of the feed, which is ahead.
  /// - Returns: whether it waits. Then `waiting` tells when it goes on.
  mutating func wait(_ token: UInt64, for id: [UInt8], until deadline: Double) -> Bool {
    let id = Array(id.trimmed(\.isBlank))
    guard id.count <= Self.maxID, let number = DecimalText(id), !number.isNegative else { return false }
    let isAhead = count == 0 || DecimalText(index.newestID).map { $0 < number } ?? false
    guard isAhead, index.place(after: id) == .unknown else { return false }
    waiting.add(token, id: id, number: number, deadline: deadline)
    return true
  }

  /// How a client begins that has seen the event `id`, empty for none.
  /// - Parameter found: where that event ends, of one that has waited for it. It may have left the window since.
  mutating func begin(after id: [UInt8], at found: Int? = nil) -> Beginning {
    var place = index.place(after: id)
    if let found { place = [.unknown, .after(found)].contains(place) ? .after(found) : .ambiguous(found) }
    switch place {
    case .after(let place): return Beginning(place: place)
    case .ambiguous(let place) where options.isPlain: return Beginning(place: place)
    case .ambiguous, .unknown: break
    }
    var beginning = Beginning(place: log.end)
    if !options.isPlain { beginning.document = currentEvent() }
    guard !id.isEmpty, beginning.document == nil else { return beginning }
    if options.isPlain, index.hasIDs {
      // What is here is all there is left to make the gap as small as can be.
      beginning.place = index.windowStart
      beginning.preamble += Array(": the event to resume after is no longer known\n\n".utf8)
    }
    // The id that is not known must not stay the client's last one where the events that follow have none.
    beginning.preamble += Array("id\n\n".utf8)
    return beginning
  }

  /// The document as the event that a late client gets, with the id of the last event.
  private mutating func currentEvent() -> Text? {
    if let event { return event }
    guard let tree = document.document else { return nil }
    var text = ByteWriter()
    JSONWriter.writeCompact(tree, to: &text)
    var output = ByteWriter()
    var writer = EventStreamWriter()
    // With an id, even if it is an empty one: the client may have one from before.
    output.append("id: ")
    output.append(index.lastID)
    output.append("\n")
    writer.write(type: document.dataEvent, id: [], data: text.take(), to: &output)
    let made = Text(output.take())
    event = made
    held.append(WeakText(text: made))
    return made
  }

  /// The document, or the part of it that `--select` asks for, as JSON with a newline.
  mutating func currentSnapshot() -> Snapshot {
    if let snapshot { return snapshot }
    var made = Snapshot.none
    if document.document != nil {
      made = .notThere
      if let part = document.value(at: options.select) {
        var text = ByteWriter()
        JSONWriter.writeCompact(part, to: &text)
        text.append("\n")
        let bytes = text.take()
        let content = Text(bytes)
        held.append(WeakText(text: content))
        made = .document(content, tag: EntityTag.of(bytes))
      }
    }
    snapshot = made
    return made
  }

  /// How many bytes of old documents there may be beside a few times the current one.
  private static let spareText = 64 << 20

  /// The oldest document, if slow clients keep too many of them in memory. Each change makes a new document for the
  /// clients that come after it; in a stream of small changes, a client that reads nothing is never too far behind.
  mutating func excessText() -> Text? {
    held.removeAll { $0.text == nil }
    guard held.count > 2 else { return nil }
    let texts = held.compactMap(\.text)
    let total = texts.reduce(0) { $0 + $1.bytes.count }
    guard total > Self.spareText + 4 * (texts.last?.bytes.count ?? 0) else { return nil }
    // What is current is held by no client alone, and goes by itself.
    if case .document(let current, _) = snapshot, texts[0] === current { return nil }
    return texts[0] === event ? nil : texts[0]
  }
}
