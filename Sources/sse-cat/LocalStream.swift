// An event stream from a file or standard input: `curl -N … | sse-cat`.

import FeedCore

struct LocalStream {
  private let file: InputFile
  private let streams: StandardStreams
  private let deadline: Double?
  private var pump: EventPump

  init(_ file: InputFile, _ options: Options, _ streams: StandardStreams) {
    self.file = file
    self.streams = streams
    deadline = options.connection.maxTime.map { Clock.monotonic() + $0 }
    pump = EventPump(options, source: file.name, fault: .trouble, streams)
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    var reader = ByteReader(try file.openFeed(streams))
    var head: [UInt8] = []
    var isWhole = false
    do throws(ToolFailure) {
      while try waitForInput(reader) {
        isWhole = try !naming(file.name, reader.next())
        if isWhole { break }
        if head.count < InputGuess.size { head += reader.chunk.prefix(InputGuess.size) }
        if try pump.take(reader.chunk) == .finished { break }
      }
    } catch {
      pump.abandon()
      throw error
    }
    try pump.flush()
    if isWhole, pump.parser.isForeign {
      throw .failed(
        .no, "no event stream in this input" + InputGuess.hint(head, wantsEvents: true), source: file.name)
    }
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
