import FeedCore
import FeedHTTP

/// From a message to standard output: unpack it, name it, select, print, count. It is kept when a connection ends.
struct MessagePump {
  private let options: Options
  private let source: String
  private let streams: StandardStreams
  /// Whether the name, the ID or the end depends on the contents of a message.
  private let looksInside: Bool
  private let hasEnds: Bool
  private var names: EventNames
  private var output: ByteWriter
  private var frame: RecordFrame
  /// The number of messages received.
  private(set) var count = 0
  private var printed = 0
  /// What is said on this connection.
  var talk: Talk
  /// The replies that the last message asks for.
  private(set) var replies: [OutgoingMessage] = []
  /// The wait for the message without which nothing more is said.
  var helloWait = SilentWait()
  /// Where the next connection goes on.
  var point: ResumePoint
  /// The request of this connection, and the head of its response.
  private var request = PageRequest(url: [])
  private var head: HTTPHead?
  /// Whether the last message that was wanted has come.
  private(set) var isFinished = false

  init(_ options: Options, source: String, _ streams: StandardStreams) throws(ToolFailure) {
    point = try ResumePoint(options.next, checkpoint: options.checkpoint, resumeFile: options.resumeFile)
    talk = options.talk
    self.options = options
    self.source = source
    self.streams = streams
    looksInside = options.from.looksInside || options.ends.looksInside || options.next.looksInside
    hasEnds = !options.ends.isEmpty
    names = EventNames(options)
    output = ByteWriter(streams.output, records: .network)
    frame = RecordFrame(options.stamp)
  }

  /// Starts a new connection.
  /// - Parameter head: that of the response to its request.
  mutating func restart(_ request: HTTPRequest, _ head: HTTPHead) {
    (self.request, self.head) = (request.page, head)
    talk.restart()
  }

  /// Begins or ends the wait for the next message of the talk. All that can be said has been said.
  mutating func awaitTalk() { if talk.awaited == nil { helloWait.end() } else { helloWait.begin(streams) } }

  mutating func take(_ message: [UInt8], isText: Bool) throws(ToolFailure) -> BodyProgress {
    count += 1
    replies = []
    let progress = isText ? try take(text: message) : try takeBinary(message)
    isFinished = progress == .finished
    return progress
  }

  private mutating func takeBinary(_ message: [UInt8]) throws(ToolFailure) -> BodyProgress {
    if let inflates = options.inflates {
      let unpacked: [UInt8]?
      do { unpacked = try inflates.unpacked(message, limit: options.maxSize) } catch {
        throw error.kind == .local ? error.failure(source) : failure(error.message)
      }
      if let unpacked { return unpacked.isUTF8 ? try take(text: unpacked) : try take(binary: unpacked) }
    }
    return options.binaryForm == .text && message.isUTF8 ? try take(text: message) : try take(binary: message)
  }

  private mutating func take(text: [UInt8]) throws(ToolFailure) -> BodyProgress {
    let isParsed = looksInside || talk.looksInside
    let document = isParsed ? try? PayloadForm.parsed(text) : nil
    names.find(in: document)
    // A glance is enough for most texts of which nothing else is wanted.
    let glances = names.isWanted && !isParsed && !options.isRaw
    let isString = glances ? options.dataForm.isString(text.span, 0..<text.count) : nil
    let embedded: JSONDocument?
    do {
      if try point.isRefused(by: document?.root) { return .finished }
      embedded = names.isWanted && isString == nil ? try self.embedded(text, document, isParsed: isParsed) : nil
    } catch {
      throw failure(error.message)
    }
    if let document {
      do { try point.take(document.root, to: request, head) } catch {
        throw error.failure(source, record: "message \(count)")
      }
    }
    if talk.looksInside {
      replies = talk.take(text, document)
      if talk.awaited == nil { helloWait.end() }
    }
    if names.isWanted {
      // An ID of `--id-from` and a value to send never stand side by side.
      let id = options.from.id == nil ? point.values.id : options.from.id(in: document)
      print(text: text, isJSON: isString == false, embedded, id: id)
      try countPrinted()
    }
    return try progress(after: text, document, of: names.name)
  }

  private mutating func take(binary message: [UInt8]) throws(ToolFailure) -> BodyProgress {
    if names.isBinaryWanted {
      print(binary: message)
      try countPrinted()
    }
    return try progress(after: message, nil, of: EventNames.binary)
  }

  private mutating func countPrinted() throws(ToolFailure) {
    try output.checkOutput()
    printed += 1
  }

  /// What a message means for the end, whether or not it was printed. Mutating, so that nothing is copied for the call.
  private mutating func progress(
    after message: [UInt8], _ document: JSONDocument?, of event: [UInt8]
  ) throws(ToolFailure) -> BodyProgress {
    let meaning = !hasEnds ? .nothing : options.ends.meaning(type: event, data: message, document)
    if case .failure(let option) = meaning {
      throw EndMarks.failure(option, message, source: source, record: "message \(count)")
    }
    return meaning == .end || printed >= options.limit ? .finished : .more
  }

  // MARK: Printing

  /// The text as JSON, if that is what its record holds.
  /// - Parameter isParsed: whether it was parsed; then `document` is nil if it is not JSON.
  private func embedded(_ text: [UInt8], _ document: JSONDocument?, isParsed: Bool) throws(FormatError) -> JSONDocument?
  {
    if options.isRaw { return nil }
    let form = options.dataForm
    return isParsed ? try form.document(of: text, parsed: document) : try form.document(of: text)
  }

  /// Prints a text: as an event record, or as its bytes.
  /// - Parameter isJSON: whether the record holds it as it is.
  private mutating func print(text: [UInt8], isJSON: Bool, _ embedded: JSONDocument?, id: [UInt8]) {
    if options.isRaw { return print(raw: text) }
    if isJSON { return frame.write(event: names.name, id: id, json: text.span, to: &output) }
    frame.begin(event: names.name, id: id, in: &output)
    output.appendPayload(text, embedded)
    frame.end(in: &output)
  }

  /// Prints a binary message.
  private mutating func print(binary message: [UInt8]) {
    if options.isRaw { return print(raw: message) }
    frame.begin(event: EventNames.binary, id: [], in: &output)
    output.append(quoted: Base64.encoded(message).span)
    frame.end(in: &output)
  }

  private mutating func print(raw message: [UInt8]) {
    output.append(message)
    output.endLine(options.endsWithNull ? 0 : UInt8(ascii: "\n"))
  }

  private func failure(_ message: String) -> ToolFailure {
    .failed(.remote, message, source: source, record: "message \(count)")
  }

  /// Prints a note, which does not count as a message.
  mutating func print(_ note: Note) throws(ToolFailure) {
    output.append(options.stamp.stamped(note))
    try output.checkOutput()
  }

  /// Writes out what was printed, then saves the values that it covers; called before waiting, and at the end.
  mutating func flush() throws(ToolFailure) {
    try output.flushOutput()
    try point.save()
  }
}

/// The event name of each message (`--event-from`), and whether it is wanted (`--event`, `--drop`). Messages in a row
/// often have the same name. So the last one is kept: it is compared in place, and not copied or looked up again.
struct EventNames {
  private static let message = Array("message".utf8)
  static let binary = Array("binary".utf8)

  private let options: Options
  /// The value that was found last. Empty if there was none.
  private var found: [UInt8] = []
  /// The name of the last message.
  private(set) var name = Self.message
  /// Whether the last message is to be printed.
  private(set) var isWanted = false
  let isBinaryWanted: Bool

  init(_ options: Options) {
    self.options = options
    isBinaryWanted = options.wants(Self.binary)
    isWanted = options.wants(name)
  }

  /// Finds the name of a text message. It is never the one that marks base64 data.
  /// - Parameter document: nil if the text is not JSON.
  mutating func find(in document: JSONDocument?) {
    guard let pointer = options.from.event else { return }
    guard let document, let value = document.position(of: pointer, comparedTo: found) else { return set([]) }
    if !value.isSame { set(JSONValue(document: document, position: value.position).label) }
  }

  private mutating func set(_ value: [UInt8]) {
    guard value != found else { return }
    found = value
    name = value.isEmpty || value == Self.binary ? Self.message : value
    isWanted = options.wants(name)
  }
}

extension Options {
  /// Whether events of this name are printed.
  fileprivate func wants(_ name: [UInt8]) -> Bool {
    (events.isEmpty || events.contains(name)) && !dropped.contains(name)
  }
}
