// From a message to standard output: name it, select, print, count. It is kept when a connection ends.

import FeedCore

struct MessagePump {
  enum Progress { case more, finished }

  private let options: Options
  private let source: String
  private let printer: MessagePrinter
  private var output: ByteWriter
  /// The number of messages received.
  private(set) var count = 0
  private var printed = 0
  /// Whether the message of `--send-after` has come on this connection.
  private(set) var maySend = false

  private static let message = Array("message".utf8)
  private static let binary = Array("binary".utf8)

  init(_ options: Options, source: String, _ streams: StandardStreams) {
    self.options = options
    self.source = source
    printer = MessagePrinter(options)
    output = ByteWriter(streams.output, records: .network)
  }

  /// Starts a new connection.
  mutating func restart() { maySend = options.sendAfter == nil }

  mutating func take(_ message: [UInt8], isText: Bool) throws(ToolFailure) -> Progress {
    count += 1
    let parsed: Result<JSONDocument, FormatError>? = isText && looksInside ? Self.parsed(message) : nil
    let document = try? parsed?.get()
    if let document {
      if let condition = options.sendAfter, !maySend, condition.holds(for: document) { maySend = true }
      if let condition = options.until, condition.holds(for: document) { return .finished }
    }
    let event = isText ? name(document) : Self.binary
    guard options.events.isEmpty || options.events.contains(event), !options.dropped.contains(event) else {
      return .more
    }
    let id = options.idFrom.flatMap { document?.root.recordID(at: $0) } ?? []
    do { try printer.print(message, isText: isText, parsed: parsed, event: event, id: id, to: &output) } catch {
      throw .failed(.otherEnd, error.message, source: source, record: "message \(count)")
    }
    try output.checkOutput()
    printed += 1
    return printed < options.limit ? .more : .finished
  }

  /// Prints a note, which does not count as a message.
  mutating func print(_ note: Note) throws(ToolFailure) {
    output.append(options.stamp.stamped(note))
    try output.checkOutput()
  }

  /// Flushes the output; called before waiting, and at the end.
  mutating func flush() throws(ToolFailure) { try output.flushOutput() }

  private static func parsed(_ message: [UInt8]) -> Result<JSONDocument, FormatError> {
    do { return .success(try PayloadForm.parsed(message)) } catch { return .failure(error) }
  }

  /// Whether an option depends on the contents of a message.
  private var looksInside: Bool {
    options.eventFrom != nil || options.idFrom != nil || options.until != nil || (options.sendAfter != nil && !maySend)
  }

  /// The event name of a text message. It is never the one that marks base64 data.
  private func name(_ document: JSONDocument?) -> [UInt8] {
    guard let pointer = options.eventFrom, let name = document?.root.value(at: pointer)?.word, !name.isEmpty else {
      return Self.message
    }
    return name == Self.binary ? Self.message : name
  }
}
