import FeedCore
import FeedHTTP

/// Standard input as messages: one for each line, or one for each event record. Input waits here until there is a
/// connection for it, and messages that a connection did not send come back.
struct MessageSource {
  private static let name = "-"
  /// How many pieces of the input are read only to count their messages.
  private static let mostCounted = 64

  let descriptor: Descriptor
  private let options: Options
  private var records: JSONStream?
  private var buffer: [UInt8] = []
  /// The start of the next line in the buffer, how far the search for its end got, and the line's number.
  private var start = 0
  private var searched = 0
  private var line = 1
  /// Messages that came back, the next one last.
  private var returned: [OutgoingMessage] = []
  private var resent: ResentMessages
  /// Whether all input has been read.
  private(set) var isAtEnd = false
  private var reader: RecordReader
  /// Whether all input has been read, and it had neither a note nor anything to send.
  var hasFoundNothing: Bool { isAtEnd && reader.hasFoundNothing }

  init(_ options: Options, _ streams: StandardStreams) {
    descriptor = streams.input
    self.options = options
    resent = ResentMessages(options.resent, maxSize: options.maxSize)
    reader = RecordReader(
      Self.name, streams, remedy: "without --records-in, lines are sent as they are",
      isVerbose: options.connection.isVerbose
    )
    // A record may be longer than its message, because of base64 and escapes.
    let room = options.maxSize > Int.max / 8 ? Int.max : options.maxSize * 6 + 1024
    if options.readsRecords { records = JSONStream(maxSize: room) }
  }

  /// Reads the available input.
  mutating func read() throws(ToolFailure) {
    do throws(SystemError) {
      if records != nil {
        isAtEnd = try records?.read(from: descriptor) == 0
        return
      }
      if start > 0, start >= buffer.count / 2 {
        buffer.removeFirst(start)
        searched -= start
        start = 0
      }
      isAtEnd = try descriptor.read(upTo: ByteReader.chunkSize, into: &buffer) == 0
    } catch {
      // Another process took the input.
      if !error.wouldBlock { throw .system(error, Self.name) }
    }
  }

  /// Starts a new connection: messages that it needs again come before further input.
  /// - Returns: how many these are; nil for the first connection, and if none are ever sent again.
  mutating func restart() -> Int? { resent.restart() }

  /// The next complete message.
  mutating func next() throws(ToolFailure) -> OutgoingMessage? {
    if let message = resent.next() { return message }
    if let message = returned.popLast() {
      resent.keepReturned(message)
      return message
    }
    return records == nil ? try nextLine() : try nextRecord()
  }

  /// Whether all input has been read and handed out.
  mutating func isUsedUp() throws(ToolFailure) -> Bool {
    guard let message = try next() else { return isAtEnd }
    putBack([message])
    return false
  }

  /// Counts the messages that no connection has sent, after the last one. Reads the input that has come, but no more
  /// than a few MiB of it.
  /// - Returns: how many there are, and whether there may be more.
  mutating func countUnsent() -> (count: Int, isLeast: Bool) {
    var count = 0
    do {
      for _ in 0..<Self.mostCounted {
        while let message = try next() { if message.sending != .again { count += 1 } }
        guard !isAtEnd, (try? descriptor.hasInput) == true else { return (count, false) }
        try read()
      }
    } catch {
      // What cannot be sent is not a message.
      return (count, false)
    }
    return (count, true)
  }

  /// Takes back unsent messages.
  mutating func putBack(_ messages: [OutgoingMessage]) {
    resent.forget(messages)
    returned += messages.reversed()
  }

  // MARK: Lines

  private mutating func nextLine() throws(ToolFailure) -> OutgoingMessage? {
    let found = firstIndex(of: UInt8(ascii: "\n"), in: buffer.span, max(start, searched)..<buffer.count)
    searched = found ?? buffer.count
    let end = found ?? buffer.count
    if end - start > options.maxSize { throw failure("more than \(options.maxSize) bytes (--max-size)", at: 0) }
    // The last line needs no line end.
    guard found != nil || (isAtEnd && end > start) else { return nil }
    let next = found.map { $0 + 1 } ?? buffer.count
    let bytes = Array(buffer[start..<end])
    if !options.isBinary, let bad = UTF8Check.firstInvalid(bytes.span) {
      throw failure("invalid UTF-8 (--binary)", at: bad, in: bytes)
    }
    var message = OutgoingMessage(isText: !options.isBinary, bytes: bytes)
    if let problem = resent.keep(&message) { throw failure(problem, at: 0) }
    start = next
    searched = start
    line += 1
    return message
  }

  private func failure(_ message: String, at offset: Int, in excerpt: [UInt8] = []) -> ToolFailure {
    .failed(
      .error, message, source: Self.name, place: .init(line: line, column: offset + 1, excerpt: excerpt))
  }

  // MARK: Records

  private mutating func nextRecord() throws(ToolFailure) -> OutgoingMessage? {
    while let item = try records?.next(
      isLast: isAtEnd, of: Self.name, record: "event", options: [.size: "--max-size"])
    {
      if let message = try message(item) { return message }
    }
    return nil
  }

  /// - Returns: nil for a note.
  private mutating func message(_ item: StreamedDocument) throws(ToolFailure) -> OutgoingMessage? {
    guard let record = try reader.record(item) else { return nil }
    guard let data = record.data else { throw reader.failure("no member 'data'", item, at: 0) }
    let start = data.range.lowerBound
    var message = OutgoingMessage(bytes: data.string ?? JSONTree(data).bytes)
    if record.event == Array("binary".utf8) {
      guard let bytes = data.string.flatMap(Base64.decoded) else {
        throw reader.failure("expected the base64 of a binary message in 'data'", item, at: start)
      }
      message = OutgoingMessage(isText: false, bytes: bytes)
    } else if !message.bytes.isUTF8 {
      throw reader.failure("'data' has half a surrogate pair, which cannot be sent as text", item, at: start)
    }
    if message.bytes.count > options.maxSize {
      throw reader.failure("a message of more than \(options.maxSize) bytes (--max-size)", item, at: start)
    }
    if let problem = resent.keep(&message) { throw reader.failure(problem, item, at: start) }
    return message
  }
}
