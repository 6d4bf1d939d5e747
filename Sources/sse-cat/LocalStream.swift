import FeedCore

/// Prints an event stream from a file or standard input: `curl -N … | sse-cat`.
func printStream(_ file: InputFile, _ options: Options, _ streams: StandardStreams) throws(ToolFailure) -> ExitStatus {
  let deadline = options.connection.maxTime.map { Clock.monotonic() + $0 }
  var pump = EventPump(options, source: file.name, fault: .error, streams)
  var reader = ByteReader(try file.openFeed(streams))
  var head: [UInt8] = []
  do throws(ToolFailure) {
    while deadline.map({ Clock.monotonic() < $0 }) ?? true,
      try waitForInput(
        of: reader.descriptor, orHangUpOf: streams.output, until: deadline,
        beforeWaiting: { () throws(ToolFailure) in try pump.flush() })
    {
      guard try naming(file.name, reader.next()) else {
        try pump.flush()
        if pump.parser.isForeign {
          let hint = InputGuess.hint(head, wantsEvents: true)
          throw ToolFailure.failed(.no, "no event stream in this input" + hint, source: file.name)
        }
        if let awaited = options.ends.awaited { throw ToolFailure.ended(.no, before: awaited, source: file.name) }
        guard pump.parser.isInsideEvent else { return try pump.status }
        throw ToolFailure.failed(.no, "the input ends inside an event", source: file.name)
      }
      if head.count < InputGuess.size { head += reader.chunk.prefix(InputGuess.size) }
      if try pump.take(reader.chunk) == .finished {
        try pump.flush()
        return try pump.status
      }
    }
  } catch {
    pump.abandon()
    throw error
  }
  try pump.flush()
  guard let awaited = options.ends.awaited else { return try pump.status }
  throw .outOfTime(.tryAgain, options.connection.maxTime ?? 0, awaiting: awaited, source: file.name)
}
