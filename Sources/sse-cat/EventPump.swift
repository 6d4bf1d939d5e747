import FeedCore
import FeedHTTP

/// From the bytes of a stream to standard output: parse, select, print, count. It serves files and connections, and is
/// kept when a connection ends.
struct EventPump: BodySink {
  private(set) var parser: EventStreamParser
  /// The reconnection time that the stream asked for, in milliseconds, if it did.
  private(set) var retry: Int?

  private let options: Options
  private let source: String
  /// The exit status for malformed input: it depends on the source.
  private let fault: ExitStatus
  private let streams: StandardStreams
  private var printer: EventPrinter
  private var output: ByteWriter
  /// The number of events received.
  private(set) var count = 0
  /// The last event ID after the last processed event.
  private var handledID: [UInt8]
  private var printed = 0
  private var checkpoint: CheckpointKeeper
  private var savedID: [UInt8]
  /// The last event ID that is short enough to resume from.
  private var resumableID: [UInt8]
  private var hasReportedLongID = false

  init(_ options: Options, source: String, fault: ExitStatus, _ streams: StandardStreams) {
    self.options = options
    self.source = source
    self.fault = fault
    self.streams = streams
    parser = EventStreamParser(
      maxEventSize: options.maxSize, keepsComments: options.showsComments, lastEventID: options.lastEventID)
    printer = EventPrinter(options)
    output = ByteWriter(streams.output, records: .network)
    handledID = options.lastEventID
    checkpoint = options.checkpoint
    savedID = options.lastEventID
    resumableID = options.lastEventID
  }

  /// Starts a new connection; only the last event ID is kept.
  mutating func restart() { parser.restart() }

  /// Prints the events that a chunk completes.
  mutating func take(_ chunk: [UInt8]) throws(ToolFailure) -> BodyProgress {
    var index = 0
    while let item = try nextItem(chunk, &index) {
      switch item {
      case .event:
        let event = StreamEvent(type: parser.type, id: parser.lastEventID, data: parser.data)
        if try take(event) == .finished { return .finished }
        cover()
      case .comment: printer.print(comment: parser.comment, to: &output)
      case .retry(let milliseconds):
        retry = milliseconds
        printer.print(retry: milliseconds, to: &output)
      }
    }
    if checkpoint.isDue { try flush() }
    try output.checkOutput()
    return .more
  }

  /// Prints a note. It is not an event, so it is not counted and changes no checkpoint.
  mutating func print(_ note: Note) throws(ToolFailure) {
    output.append(options.stamp.stamped(note))
    try output.checkOutput()
  }

  /// Writes out what was printed, then saves the checkpoint that covers it; called before waiting, and at the end.
  mutating func flush() throws(ToolFailure) {
    try output.flushOutput()
    try save(parser.lastEventID)
  }

  /// After an error: writes out and covers the complete events, but not the broken one.
  mutating func abandon() {
    guard (try? output.flush()) != nil else { return }
    try? save(handledID)
  }

  private mutating func save(_ id: [UInt8]) throws(ToolFailure) {
    // An older ID repeats some events; a very long one might be refused for ever.
    let isLong = id.count > ResumableID.longest
    if isLong { reportLongID() }
    let id = isLong ? resumableID : id
    if id != savedID { checkpoint.invalidate() }
    try checkpoint.save(Checkpoint(id: id))
    savedID = id
  }

  private mutating func reportLongID() {
    guard options.keepsCheckpoint, !hasReportedLongID, !options.http.isSilent else { return }
    hasReportedLongID = true
    let text = "an event ID is longer than \(ResumableID.longest) bytes: the checkpoint does not keep it"
    streams.say(Diagnostic(text, source: source))
  }

  private mutating func nextItem(_ chunk: [UInt8], _ index: inout Int) throws(ToolFailure) -> EventStreamParser.Item? {
    do { return try parser.next(chunk.span, from: &index) } catch {
      throw failure("longer than \(options.maxSize) bytes (--max-size)", event: count + 1)
    }
  }

  /// Prints an event, if it is wanted.
  mutating func take(_ event: StreamEvent) throws(ToolFailure) -> BodyProgress {
    count += 1
    let ends = options.ends
    let parsed: JSONDocument?? = ends.looksInside ? .some(try? PayloadForm.parsed(event.data)) : nil
    let meaning = ends.isEmpty ? .nothing : ends.meaning(type: event.type, data: event.data, parsed ?? nil)
    if meaning == .sentinel { return .finished }
    if options.types.isEmpty || options.types.contains(event.type) {
      do { try printer.print(event, parsed: parsed, to: &output) } catch { throw failure(error.message, event: count) }
      printed += 1
    }
    if case .failure(let option) = meaning {
      cover()
      throw EndMarks.failure(option, event.data, source: source, record: "event \(count)")
    }
    return meaning == .end || printed >= options.limit ? .finished : .more
  }

  /// The last event has been handled: the checkpoint may cover it.
  private mutating func cover() {
    handledID = parser.lastEventID
    if handledID.count <= ResumableID.longest { resumableID = handledID }
  }

  private func failure(_ message: String, event: Int) -> ToolFailure {
    .failed(fault, message, source: source, record: "event \(event)")
  }
}
