// Messages over as many connections as it takes.

import FeedCore
import FeedHTTP

struct Subscription {
  private var options: Options
  private let streams: StandardStreams
  private let client: HTTPClient
  private let signals: Descriptor
  private var pump: MessagePump
  private var source: MessageSource
  private var reconnection: Reconnection

  init(_ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.options = options
    self.streams = streams
    let name = options.url.display
    var rules = options.rules
    rules.resumes = false
    reconnection = Reconnection(rules, source: name, missing: "no connection")
    pump = MessagePump(options, source: name, streams)
    source = MessageSource(options, streams)
    client = try HTTPClient()
    signals = try naming(nil, Signals.caught())
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    do throws(ToolFailure) {
      while true {
        let before = pump.count
        let ending = try connect()
        try pump.settle()
        guard let status = try judge(ending, broughtAny: pump.count > before) else { continue }
        return status == .yes && source.hasFoundNothing ? .no : status
      }
    } catch {
      // What was good is not lost.
      try? pump.settle()
      throw error
    }
  }

  private mutating func connect() throws(ToolFailure) -> ConnectionEnding {
    tell("connecting")
    if let problem = options.http.readAgain(refusing: options.refuseReservedHeaders) { complain(problem) }
    var connection: Connection
    do {
      connection = try Connection(
        options, of: client, deadline: reconnection.deadline, signals: signals, streams)
    } catch {
      return .failed(error)
    }
    var ending = connection.open()
    if ending == nil {
      tell("open" + (connection.subprotocol.map { ", speaking \(quoted($0))" } ?? ""))
      reconnection.open()
      ending = try connection.run(&pump, &source)
    }
    if let summons = connection.summons { try obey(summons) }
    return ending ?? .closed
  }

  /// Ends as the world wants it, with all that was printed written out.
  private mutating func obey(_ summons: Connection.Summons) throws(ToolFailure) {
    switch summons {
    case .hangUp: throw .brokenPipe
    case .signal(let number):
      try pump.settle()
      Signals.die(of: number)
    }
  }

  /// - Returns: the exit status, or nil when it is time to connect again.
  private mutating func judge(_ ending: ConnectionEnding, broughtAny: Bool) throws(ToolFailure) -> ExitStatus? {
    switch try reconnection.judge(ending, broughtAny: broughtAny) {
    case .end(let status):
      if case .closed = ending { tell("closed by the server") }
      return status
    case .wait(let seconds, let message, let isSilent):
      if isSilent { tell(message) } else { complain(message) }
      let until = Clock.monotonic() + seconds
      if try sleep(until: min(until, reconnection.deadline ?? until), or: signals, streams.output) {
        var number: [UInt8] = []
        do { _ = try signals.read(upTo: 1, into: &number) } catch {
          throw .failed(.trouble, "cannot take a signal: " + error.message)
        }
        if let number = number.first { try obey(.signal(Int32(number))) }
      }
      if let deadline = reconnection.deadline, deadline <= until { return try reconnection.endOfTime() }
      return nil
    }
  }

  private func tell(_ message: String) { if options.rules.isVerbose { complain(message) } }

  private func complain(_ message: String) { complain(Diagnostic(message, source: options.url.display)) }

  private func complain(_ diagnostic: Diagnostic) { if !options.http.isSilent { streams.say(diagnostic) } }
}
