import FeedCore
import FeedHTTP

/// From a message to standard output: unpack it, name it, select, print, count. It is kept when a connection ends.
struct MessagePump {
  enum PumpProgress { case more, finished }

  private let source: String
  private let streams: StandardStreams
  private let printer: MessagePrinter
  private let stamp: RecordStamp
  private let inflates: MessageCoding?
  private let binaryForm: BinaryForm
  private let maxSize: Int
  private let idFrom: JSONPointer?
  private let sendAfter: Condition?
  private let ends: EndMarks
  private let limit: Int
  /// Whether the name, the ID or the end depends on the contents of a message.
  private let looksInside: Bool
  private var names: EventNames
  private var output: ByteWriter
  /// The number of messages received.
  private(set) var count = 0
  private var printed = 0
  /// Whether the message of `--send-after` has come on this connection.
  private(set) var maySend = false
  /// The wait for that message.
  var helloWait = SilentWait()
  /// Whether the last message that was wanted has come.
  private(set) var isFinished = false

  init(_ options: Options, source: String, _ streams: StandardStreams) {
    self.source = source
    self.streams = streams
    printer = MessagePrinter(options)
    stamp = options.stamp
    inflates = options.inflates
    binaryForm = options.binaryForm
    maxSize = options.maxSize
    idFrom = options.idFrom
    sendAfter = options.sendAfter
    ends = options.ends
    limit = options.limit
    looksInside = options.eventFrom != nil || options.idFrom != nil || options.ends.looksInside
    names = EventNames(options)
    output = ByteWriter(streams.output, records: .network)
  }

  /// Starts a new connection.
  mutating func restart() {
    maySend = sendAfter == nil
    if !maySend { helloWait.begin(streams) }
  }

  mutating func take(_ message: [UInt8], isText: Bool) throws(ToolFailure) -> PumpProgress {
    count += 1
    let progress = isText ? try take(text: message) : try takeBinary(message)
    isFinished = progress == .finished
    return progress
  }

  private mutating func takeBinary(_ message: [UInt8]) throws(ToolFailure) -> PumpProgress {
    if let inflates {
      let unpacked: [UInt8]?
      do { unpacked = try inflates.unpacked(message, limit: maxSize) } catch {
        throw error.kind == .local ? error.failure(source) : failure(error.message)
      }
      if let unpacked { return unpacked.isUTF8 ? try take(text: unpacked) : try take(binary: unpacked) }
    }
    return binaryForm == .text && message.isUTF8 ? try take(text: message) : try take(binary: message)
  }

  private mutating func take(text: [UInt8]) throws(ToolFailure) -> PumpProgress {
    let isParsed = looksInside || !maySend
    let document = isParsed ? try? PayloadForm.parsed(text) : nil
    if !maySend, let document, let sendAfter, sendAfter.holds(for: document) { allowSending() }
    names.find(in: document)
    if names.isWanted {
      let id = idFrom.flatMap { document?.root.recordID(at: $0) } ?? []
      do {
        try printer.print(text: text, document, isParsed: isParsed, event: names.name, id: id, to: &output)
      } catch {
        throw failure(error.message)
      }
      try countPrinted()
    }
    return try progress(after: text, document, of: names.name)
  }

  private mutating func allowSending() {
    maySend = true
    helloWait.end()
  }

  private mutating func take(binary message: [UInt8]) throws(ToolFailure) -> PumpProgress {
    if names.isBinaryWanted {
      printer.print(binary: message, to: &output)
      try countPrinted()
    }
    return try progress(after: message, nil, of: EventNames.binary)
  }

  private mutating func countPrinted() throws(ToolFailure) {
    try output.checkOutput()
    printed += 1
  }

  /// What a message means for the end, whether or not it was printed.
  private func progress(
    after message: [UInt8], _ document: JSONDocument?, of event: [UInt8]
  ) throws(ToolFailure) -> PumpProgress {
    let meaning = ends.isEmpty ? .nothing : ends.meaning(type: event, data: message, document)
    if case .failure(let option) = meaning {
      throw EndMarks.failure(option, message, source: source, record: "message \(count)")
    }
    return meaning == .end || printed >= limit ? .finished : .more
  }

  private func failure(_ message: String) -> ToolFailure {
    .failed(.remote, message, source: source, record: "message \(count)")
  }

  /// Prints a note, which does not count as a message.
  mutating func print(_ note: Note) throws(ToolFailure) {
    output.append(stamp.stamped(note))
    try output.checkOutput()
  }

  /// Flushes the output; called before waiting, and at the end.
  mutating func flush() throws(ToolFailure) { try output.flushOutput() }
}
