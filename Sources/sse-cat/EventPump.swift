import FeedCore
import FeedHTTP

/// From the bytes of a stream to standard output: parse, select, print, count. It serves files and connections, and is
/// kept when a connection ends.
struct EventPump: BodySink {
  private(set) var parser: EventStreamParser
  /// The reconnection time that the stream asked for, in milliseconds, if it did.
  private(set) var retry: Int?

  private let options: Options
  private let format: Options.Format
  private let looksInside: Bool
  private let hasPointers: Bool
  private let hasEnds: Bool
  /// Where the string is that is printed, if that is the format.
  private let pointer: JSONPointer
  private let source: String
  /// The exit status for malformed input: it depends on the source.
  private let fault: ExitStatus
  private let streams: StandardStreams
  private var output: ByteWriter
  private var frame: RecordFrame
  /// The stream that `--sse` prints.
  private var stream = EventStreamWriter()
  /// The number of events received.
  private(set) var count = 0
  /// The last event ID after the last processed event.
  private var handledID: [UInt8]
  private var printed = 0
  /// The wait for the first event that can be printed, after one that could not (`--print`).
  private var stringWait = SilentWait()
  private var hasMissed = false
  private var checkpoint: CheckpointKeeper
  private var savedID: [UInt8]
  /// The last event ID that is short enough to resume from.
  private var resumableID: [UInt8]
  private var hasReportedLongID = false

  init(_ options: Options, source: String, fault: ExitStatus, _ streams: StandardStreams) {
    self.options = options
    format = options.format
    looksInside = options.looksInside
    hasPointers = options.from.looksInside
    hasEnds = !options.ends.isEmpty
    pointer = options.printed ?? JSONPointer()
    self.source = source
    self.fault = fault
    self.streams = streams
    parser = EventStreamParser(
      maxEventSize: options.maxSize, keepsComments: options.showsComments, lastEventID: options.lastEventID)
    output = ByteWriter(streams.output, records: .network)
    frame = RecordFrame(options.stamp)
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
        if try takeEvent(chunk) == .finished { return .finished }
        cover()
      case .comment: print(comment: parser.comment)
      case .retry(let milliseconds):
        retry = milliseconds
        if format == .sse { stream.write(retry: milliseconds, to: &output) }
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
    let isLong = id.count > EventSubscription.longestID
    if isLong { reportLongID() }
    let id = isLong ? resumableID : id
    if id != savedID { checkpoint.invalidate() }
    try checkpoint.save(Checkpoint(id: id))
    savedID = id
  }

  private mutating func reportLongID() {
    guard options.keepsCheckpoint, !hasReportedLongID, !options.http.isSilent else { return }
    hasReportedLongID = true
    let text = "an event ID is longer than \(EventSubscription.longestID) bytes: the checkpoint does not keep it"
    streams.say(Diagnostic(text, source: source))
  }

  private mutating func nextItem(_ chunk: [UInt8], _ index: inout Int) throws(ToolFailure) -> EventStreamParser.Item? {
    do { return try parser.next(chunk.span, from: &index) } catch {
      throw failure("longer than \(options.maxSize) bytes (--max-size)", event: count + 1)
    }
  }

  /// Prints the event that a chunk completed, if it is wanted.
  private mutating func takeEvent(_ chunk: [UInt8]) throws(ToolFailure) -> BodyProgress {
    let (type, id) = (parser.type, parser.lastEventID)
    guard !looksInside, !hasEnds, let line = parser.dataLine,
      !wants(type) || printAtOnce(type, id: id, chunk.span, line)
    else { return try take(type, id: id, parser.data(in: chunk.span)) }
    count += 1
    return printed >= options.limit ? .finished : .more
  }

  private func wants(_ type: [UInt8]) -> Bool { options.types.isEmpty || options.types.contains(type) }

  /// Prints an event, if it is wanted. All of it is valid UTF-8.
  /// - Parameter id: the last event ID; empty for none.
  mutating func take(_ type: [UInt8], id: [UInt8], _ data: [UInt8]) throws(ToolFailure) -> BodyProgress {
    count += 1
    guard looksInside else { return try take(type, id: id, data, nil) }
    let document = try? PayloadForm.parsed(data)
    guard hasPointers else { return try take(type, id: id, data, .some(document)) }
    return try take(
      options.from.name(in: document, or: type), id: options.from.id(in: document, or: id), data, .some(document))
  }

  /// The same for an event with its final name and ID.
  /// - Parameter parsed: the data as JSON, if it was parsed: inside, nil if it is not JSON.
  private mutating func take(
    _ type: [UInt8], id: [UInt8], _ data: [UInt8], _ parsed: JSONDocument??
  ) throws(ToolFailure) -> BodyProgress {
    let meaning = hasEnds ? options.ends.meaning(type: type, data: data, parsed ?? nil) : .nothing
    if meaning == .sentinel { return .finished }
    if wants(type) {
      do { try print(type, id: id, data, parsed) } catch { throw failure(error.message, event: count) }
    }
    if case .failure(let option) = meaning {
      cover()
      throw EndMarks.failure(option, data, source: source, record: "event \(count)")
    }
    return meaning == .end || printed >= options.limit ? .finished : .more
  }

  /// The last event has been handled: the checkpoint may cover it.
  private mutating func cover() {
    handledID = parser.lastEventID
    if handledID.count <= EventSubscription.longestID { resumableID = handledID }
  }

  private func failure(_ message: String, event: Int) -> ToolFailure {
    .failed(fault, message, source: source, record: "event \(event)")
  }

  /// The exit status when nothing has failed.
  /// - Throws: if events have come, but none that `--print` can print.
  var status: ExitStatus {
    get throws(ToolFailure) {
      guard printed == 0, hasMissed else { return .yes }
      let text = "no event has a string at '\(pointer.shown)' (to see the events, leave out --print)"
      throw .failed(.no, text, source: source)
    }
  }

  /// An event has nothing for `--print`. The first that has something may be far away, or there may be none.
  private mutating func miss() {
    guard printed == 0 else { return }
    hasMissed = true
    stringWait.begin(streams)
    guard let report = stringWait.report(), !options.http.isSilent else { return }
    streams.say(Diagnostic(report.words("no event with a string at '\(pointer.shown)'"), source: source))
  }

  // MARK: Printing

  /// Prints and counts an event, if a glance tells how.
  /// - Returns: false if it does not; then nothing is printed.
  private mutating func printAtOnce(
    _ type: [UInt8], id: [UInt8], _ chunk: borrowing Span<UInt8>, _ line: Range<Int>
  ) -> Bool {
    switch format {
    case .records:
      guard let isString = options.dataForm.isString(chunk, line) else { return false }
      if isString {
        frame.begin(event: type, id: id, in: &output)
        JSONString.write(chunk, line, to: &output)
        frame.end(in: &output)
      } else {
        frame.write(event: type, id: id, json: chunk.extracting(line), to: &output)
      }
    case .raw:
      output.append(chunk.extracting(line))
      output.endLine(options.endsWithNull ? 0 : UInt8(ascii: "\n"))
    case .sse, .string: return false
    }
    printed += 1
    return true
  }

  /// Prints and counts an event: as a record, as its data or a string of it alone, or as event stream text.
  private mutating func print(
    _ type: [UInt8], id: [UInt8], _ data: [UInt8], _ parsed: JSONDocument??
  ) throws(FormatError) {
    switch format {
    case .records:
      let form = options.dataForm
      let document = if let parsed { try form.document(of: data, parsed: parsed) } else { try form.document(of: data) }
      frame.begin(event: type, id: id, in: &output)
      output.appendPayload(data, document)
      frame.end(in: &output)
    case .raw:
      output.append(data)
      output.endLine(options.endsWithNull ? 0 : UInt8(ascii: "\n"))
    case .sse:
      if hasPointers { try check(type, id) }
      stream.write(type: type, id: id, data: data, to: &output)
    case .string:
      guard let value = parsed??.root.value(at: pointer), let string = value.string else { return miss() }
      if value.kind == .escapedString, !string.isUTF8 {
        let text = "the string at '\(pointer.shown)' has half a surrogate pair, which cannot be printed as text"
        throw FormatError(text, at: value.range.lowerBound)
      }
      output.append(string)
      output.markRecord()
    }
    printed += 1
  }

  /// Checks a name and an ID that may come from the data, which can hold any text.
  private func check(_ type: [UInt8], _ id: [UInt8]) throws(FormatError) {
    for (name, value) in [("the event name", type), ("the ID", id)] {
      if let problem = EventStreamWriter.problem(of: value) { throw FormatError("\(name) \(problem)", at: 0) }
    }
  }

  private mutating func print(comment: [UInt8]) {
    switch format {
    case .records:
      output.append("{\"comment\":")
      JSONString.write(comment.span, to: &output)
      output.appendSource(options.stamp.source)
      output.endRecord()
    case .raw, .string: return
    case .sse: stream.write(comment: comment, to: &output)
    }
  }
}
