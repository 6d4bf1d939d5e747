import FeedCore

/// An event stream from a file or standard input: `curl -N … | sse-cat`.
struct LocalStream {
  private let file: InputFile
  private let streams: StandardStreams
  private let options: Options
  private let deadline: Double?
  private var pump: EventPump

  init(_ file: InputFile, _ options: Options, _ streams: StandardStreams) {
    self.file = file
    self.streams = streams
    deadline = options.connection.maxTime.map { Clock.monotonic() + $0 }
    self.options = options
    pump = EventPump(options, source: file.name, fault: .error, streams)
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    var reader = ByteReader(try file.openFeed(streams))
    var head: [UInt8] = []
    do throws(ToolFailure) {
      while try waitForInput(reader) {
        if try !naming(file.name, reader.next()) {
          try pump.flush()
          return try end(head)
        }
        if head.count < InputGuess.size { head += reader.chunk.prefix(InputGuess.size) }
        if try pump.take(reader.chunk) == .finished {
          try pump.flush()
          return .yes
        }
      }
    } catch {
      pump.abandon()
      throw error
    }
    try pump.flush()
    if let awaited = options.ends.awaited {
      throw .outOfTime(options.connection.maxTime ?? 0, awaiting: awaited, source: file.name)
    }
    return .yes
  }

  /// The input has ended.
  /// - Parameter head: its beginning.
  private func end(_ head: [UInt8]) throws(ToolFailure) -> ExitStatus {
    if pump.parser.isForeign {
      throw .failed(
        .no, "no event stream in this input" + InputGuess.hint(head, wantsEvents: true), source: file.name)
    }
    if let awaited = options.ends.awaited { throw .ended(.no, before: awaited, source: file.name) }
    if pump.parser.isInsideEvent { throw .failed(.no, "the input ends inside an event", source: file.name) }
    return .yes
  }

  /// - Returns: false if the time is up.
  private mutating func waitForInput(_ reader: ByteReader) throws(ToolFailure) -> Bool {
    if let deadline, Clock.monotonic() >= deadline { return false }
    return try FeedCore.waitForInput(
      of: reader.descriptor, orHangUpOf: streams.output, until: deadline
    ) { () throws(ToolFailure) in try pump.flush() }
  }
}
