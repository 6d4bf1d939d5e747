import FeedCore
import FeedHTTP

/// Messages over any number of connections.
struct MessageSubscription: Resuming {
  private let options: Options
  private let streams: StandardStreams
  private let client: HTTPClient
  private var pump: MessagePump
  private var source: MessageSource
  private(set) var closing: (code: Int?, reason: String?)?
  /// Whether there has been a connection.
  private var wasOpen = false

  init(_ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.options = options
    self.streams = streams
    pump = try MessagePump(options, source: options.url.display, streams)
    source = MessageSource(options, streams)
    client = try HTTPClient(keepsCookies: true)
  }

  var count: Int { pump.count }
  var point: ResumePoint {
    get { pump.point }
    set { pump.point = newValue }
  }
  var hasFoundNothing: Bool { source.hasFoundNothing }

  func check(_ http: HTTPOptions) throws(ToolFailure) { try options.refuseReservedHeaders(http) }

  mutating func flush() throws(ToolFailure) { try pump.flush() }

  mutating func print(_ note: Note) throws(ToolFailure) { try pump.print(note) }

  mutating func abandon() { try? pump.flush() }

  mutating func connectOnce(_ follower: inout Follower) throws(ToolFailure) -> ConnectionEnding {
    // Each connection begins at the original URL.
    var request = follower.http.request(options.url.http)
    try pump.point.values.apply(to: &request)
    // Messages name the original URL, so they also say where a redirect has led.
    var reached = ""
    let timeLimit = Clock.monotonic() + request.route.connectTimeout
    while true {
      var connection: WebSocketConnection
      do { connection = try WebSocketConnection(request, options, of: client, follower, streams) } catch {
        return ConnectionEnding.failed(error).adding(reached)
      }
      switch try follower.open(&self, { connection.open(until: timeLimit, orLateAt: $0) }) {
      case .ended(let ending): return ending.adding(reached)
      case .redirected(let next):
        request = next
        let words = "redirected to \(WebSocketURL(next.url).display)"
        reached = " (\(words))"
        if options.connection.isVerbose { follower.complain(words) }
      case .open: return try run(&connection, &follower)
      }
    }
  }

  private mutating func run(
    _ connection: inout WebSocketConnection, _ follower: inout Follower
  ) throws(ToolFailure) -> ConnectionEnding {
    closing = nil
    let choice = connection.choice
    let subprotocol = choice.subprotocol.map { ", subprotocol \(quoted($0))" } ?? ""
    let compression = choice.compression == nil ? "" : ", compressed"
    try follower.open(&self, at: connection.url.display, subprotocol + compression)
    defer { closing = connection.closing }
    let resent = source.restart()
    if let resent, options.connection.isVerbose {
      follower.complain("sending \(resent) \(resent == 1 ? "message" : "messages") again")
    }
    wasOpen = true
    let ending = try connection.run(&pump, &source)
    if case .interrupted(.signal) = ending, let words = unsentWords() { follower.complain(words) }
    return ending
  }

  // MARK: The end

  /// What was not sent, for a message: `2 messages were not sent`; nil if there is nothing, or if `-n` or
  /// `--until-match` ended everything.
  mutating func unsentWords() -> String? {
    guard wasOpen, !pump.isFinished else { return nil }
    let (found, isLeast) = source.countUnsent()
    let count = found + pump.talk.unsent
    guard count > 0 else { return nil }
    let words = count == 1 ? "1 message was not sent" : "\(count) messages were not sent"
    return (isLeast ? "at least " : "") + words + pump.talk.problem
  }
}

extension ConnectionEnding {
  /// The same, with more words in the message of a connection that did not open.
  fileprivate func adding(_ words: String) -> ConnectionEnding {
    switch self {
    case .failed(let error): .failed(HTTPError(error.kind, error.message + words))
    case .refused(let refusal): .refused(refusal.adding(words))
    case .finished, .stopped, .closed, .lost, .outOfTime, .interrupted: self
    }
  }
}
