// A stream over as many connections as it takes: when to connect again, when to give up, and from which event on.

import FeedCore
import FeedHTTP

struct Subscription {
  /// What is retried unless `--retry-status` says otherwise, once a stream was open: a deployment must not end a
  /// client. The standard would stop at any of them.
  private static let passing = StatusSet(429, 502, 503, 504)

  /// In seconds, after a stream without an event; `retry:` may ask for less.
  private static let shortestIdlePause = 0.1

  private let options: Options
  private let url: HTTPURL
  private let streams: StandardStreams
  private let client: HTTPClient
  private let deadline: Double?
  private var pump: EventPump
  private var backoff: Backoff
  /// Attempts since the last open stream that did not become one.
  private var failedAttempts = 0
  private var wasOpen = false
  /// Whether the last stream had any event.
  private var broughtEvents = false
  private var isFailing = false
  private var refusedID: [UInt8] = []

  init(_ url: HTTPURL, _ options: Options, _ streams: StandardStreams) throws(ToolError) {
    self.url = url
    self.options = options
    self.streams = streams
    deadline = options.maxTime.map { Clock.monotonic() + $0 }
    pump = EventPump(options, source: url.display, blame: .otherEnd, streams)
    backoff = Backoff(base: options.reconnectDelay)
    do { client = try HTTPClient() } catch { throw ToolError(.trouble, error.message, source: url.display) }
  }

  private var reconnects: Bool { options.reconnects ?? options.http.isPlainGet }

  mutating func run() throws(ToolError) -> ExitStatus {
    do throws(ToolError) {
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

  private mutating func connect() throws(ToolError) -> Ending {
    tell("connecting" + (pump.parser.lastEventID.isEmpty ? "" : " after event ID '\(quoted(pump.parser.lastEventID))'"))
    var connection: Connection
    do {
      connection = try Connection(
        request(), of: client, deadline: deadline, idleTimeout: options.idleTimeout, streams.output)
    } catch {
      return .failed(error)
    }
    if let ending = try connection.open() { return ending }
    tell("open")
    wasOpen = true
    isFailing = false
    failedAttempts = 0
    backoff.succeed()
    pump.restart()
    let before = pump.count
    let ending = try connection.run(&pump)
    broughtEvents = pump.count > before
    if let milliseconds = pump.retry { backoff.base = Double(milliseconds) / 1000 }
    return ending
  }

  private mutating func request() -> HTTPRequest {
    var request = options.http.request(url)
    request.setDefault("Accept", Array("text/event-stream".utf8))
    request.setDefault("Cache-Control", Array("no-cache".utf8))
    let id = pump.parser.lastEventID
    if isSendable(id) {
      if !id.isEmpty { request.set("Last-Event-ID", id) }
    } else if id != refusedID {
      refusedID = id
      complain("the event ID '\(quoted(id))' does not go into a header: resuming without it")
    }
    return request
  }

  // MARK: Afterwards

  /// - Returns: the exit status, or nil when it is time to connect again.
  private mutating func judge(_ ending: Ending) throws(ToolError) -> ExitStatus? {
    switch ending {
    case .finished: return .yes
    case .stopped:
      tell("the server asks to stop (HTTP 204)")
      return .yes
    case .outOfTime: return try endOfTime()
    case .closed:
      guard reconnects else {
        tell("closed by the server")
        return .yes
      }
      // A server that closes at once must not be asked for more thousands of times a second.
      let shortest = broughtEvents ? 0 : Self.shortestIdlePause
      return try pause(max(backoff.base, shortest), after: "closed by the server", isSilent: true)
    case .lost(let error):
      guard reconnects else { throw failure(error) }
      return try pause(backoff.fail(), after: error.message)
    case .failed(let error):
      let isHopeless = error.kind == .local || (error.kind == .permanent && !wasOpen)
      if !reconnects || isHopeless { throw failure(error) }
      return try retry(error.message, atLeast: 0)
    case .refused(let refusal):
      let retried = options.retryStatus ?? (wasOpen ? Self.passing : .none)
      guard reconnects, retried.contains(refusal.status) else {
        throw ToolError(.otherEnd, refusal.message, source: url.display)
      }
      return try retry(refusal.message, atLeast: refusal.retryAfter ?? 0)
    }
  }

  private mutating func retry(_ message: String, atLeast: Double) throws(ToolError) -> ExitStatus? {
    isFailing = true
    failedAttempts += 1
    if failedAttempts > options.retries {
      let attempts = failedAttempts == 1 ? "" : "; gave up after \(failedAttempts) attempts"
      throw ToolError(.otherEnd, message + attempts, source: url.display)
    }
    return try pause(max(backoff.fail(), atLeast), after: message)
  }

  /// Waits until it is time to connect again.
  private mutating func pause(
    _ seconds: Double, after message: String, isSilent: Bool = false
  ) throws(ToolError) -> ExitStatus? {
    let text = message + "; \(wasOpen ? "reconnecting" : "retrying") in \(secondsText(seconds)) s"
    if isSilent { tell(text) } else { complain(text) }
    let until = Clock.monotonic() + seconds
    _ = try sleep(until: min(until, deadline ?? until), or: nil, streams.output)
    if let deadline, deadline <= until { return try endOfTime() }
    return nil
  }

  private func endOfTime() throws(ToolError) -> ExitStatus {
    if wasOpen && !isFailing { return .yes }
    let time = secondsText(options.maxTime ?? 0)
    throw ToolError(.later, "no event stream when \(time) s had passed", source: url.display)
  }

  private func failure(_ error: HTTPError) -> ToolError {
    let status: ExitStatus =
      switch error.kind {
      case .local: .trouble
      case .timedOut: .later
      case .transient, .permanent: .otherEnd
      }
    return ToolError(status, error.message, source: url.display)
  }

  private func tell(_ message: String) {
    if options.isVerbose { complain(message) }
  }

  private func complain(_ message: String) {
    streams.complain(ToolError(.later, message, source: url.display), as: sseCat.name)
  }
}
