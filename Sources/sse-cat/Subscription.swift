// A stream over as many connections as it takes, and from which event on.

import FeedCore
import FeedHTTP

struct Subscription {
  private let options: Options
  private let url: HTTPURL
  private let streams: StandardStreams
  private let client: HTTPClient
  private var pump: EventPump
  private var reconnection: Reconnection
  private var http: HTTPOptions
  /// Whether the last stream had any event.
  private var broughtEvents = false
  private var refusedID: [UInt8] = []
  private var hasToldDelay = false

  init(_ url: HTTPURL, _ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.url = url
    self.options = options
    self.streams = streams
    http = options.http
    reconnection = Reconnection(options.rules, source: url.display, missing: "no event stream")
    pump = EventPump(options, source: url.display, blame: .otherEnd, streams)
    client = try HTTPClient()
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    do throws(ToolFailure) {
      while true {
        let ending = try connect()
        try pump.settle()
        if let status = try judge(ending) { return status }
      }
    } catch {
      pump.abandon()
      throw error
    }
  }

  // MARK: Connecting

  private mutating func connect() throws(ToolFailure) -> ConnectionEnding {
    let id = pump.parser.lastEventID
    tell("connecting" + (id.isEmpty ? "" : " after event ID '\(shortened(id))'"))
    if let problem = http.readAgain() { complain(problem) }
    var connection: Connection
    do {
      connection = try Connection(
        request(), of: client, deadline: reconnection.deadline, idleTimeout: options.rules.idleTimeout, streams.output)
    } catch {
      return .failed(error)
    }
    if let ending = try connection.open() { return ending }
    tell("open")
    reconnection.open()
    pump.restart()
    let before = pump.count
    let ending = try connection.run(&pump)
    broughtEvents = pump.count > before
    if let milliseconds = pump.retry { setDelay(Double(milliseconds) / 1000) }
    return ending
  }

  /// The stream says how long to wait before connecting again.
  private mutating func setDelay(_ seconds: Double) {
    reconnection.setDelay(seconds)
    guard seconds > Reconnection.longWait, !hasToldDelay else { return }
    hasToldDelay = true
    complain("the stream asks to wait \(secondsText(seconds)) s before each reconnection ('retry')")
  }

  private mutating func request() -> HTTPRequest {
    var request = http.request(url)
    request.setDefault("Accept", Array("text/event-stream".utf8))
    request.setDefault("Cache-Control", Array("no-cache".utf8))
    let id = pump.parser.lastEventID
    guard let problem = ResumableID.problem(id) else {
      if !id.isEmpty { request.set("Last-Event-ID", id) }
      return request
    }
    if id != refusedID {
      refusedID = id
      complain("the event ID '\(shortened(id))' \(problem): resuming without it")
    }
    return request
  }

  // MARK: Afterwards

  /// - Returns: the exit status, or nil when it is time to connect again.
  private mutating func judge(_ ending: ConnectionEnding) throws(ToolFailure) -> ExitStatus? {
    if case .stopped = ending { tell("the server asks to stop (HTTP 204)") }
    switch try reconnection.judge(ending, broughtAny: broughtEvents) {
    case .end(let status):
      if case .closed = ending { tell("closed by the server") }
      return status
    case .wait(let seconds, let message, let isSilent):
      if isSilent { tell(message) } else { complain(message) }
      let until = Clock.monotonic() + seconds
      _ = try sleep(until: min(until, reconnection.deadline ?? until), or: nil, streams.output)
      if let deadline = reconnection.deadline, deadline <= until { return try reconnection.endOfTime() }
      return nil
    }
  }

  private func tell(_ message: String) { if options.rules.isVerbose { complain(message) } }

  private func complain(_ message: String) { complain(Diagnostic(message, source: url.display)) }

  private func complain(_ diagnostic: Diagnostic) { if !http.isSilent { streams.say(diagnostic) } }
}
