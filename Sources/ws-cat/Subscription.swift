// Messages over any number of connections.

import FeedCore
import FeedHTTP

struct Subscription: Followed {
  private let options: Options
  private let streams: StandardStreams
  private let client: HTTPClient
  private var pump: MessagePump
  private var source: MessageSource
  private(set) var closing: Closing?

  init(_ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.options = options
    self.streams = streams
    pump = MessagePump(options, source: options.url.display, streams)
    source = MessageSource(options, streams)
    client = try HTTPClient(keepsCookies: true)
  }

  var count: Int { pump.count }
  var hasFoundNothing: Bool { source.hasFoundNothing }

  func check(_ http: HTTPOptions) throws(ToolFailure) { try options.refuseReservedHeaders(http) }

  mutating func flush() throws(ToolFailure) { try pump.flush() }

  mutating func print(_ note: Note) throws(ToolFailure) { try pump.print(note) }

  mutating func abandon() { try? pump.flush() }

  mutating func connect(_ follower: inout Follower) throws(ToolFailure) -> ConnectionEnding {
    // Each connection begins at the original URL.
    var request = follower.http.request(options.url.http)
    var redirects = Redirects()
    // Messages name the original URL, so they also say where a redirect has led.
    var reached = ""
    let timeLimit = Clock.monotonic() + request.route.connectTimeout
    while true {
      var connection: Connection
      do { connection = try Connection(request, options, of: client, follower, streams) } catch {
        return ConnectionEnding.failed(error).adding(reached)
      }
      switch connection.open(&redirects, until: timeLimit) {
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
    _ connection: inout Connection, _ follower: inout Follower
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
    return try connection.run(&pump, &source)
  }
}

extension ConnectionEnding {
  /// The same, with more words in the message of a connection that did not open.
  fileprivate func adding(_ words: String) -> ConnectionEnding {
    switch self {
    case .failed(let error): .failed(HTTPError(error.kind, error.message + words))
    case .refused(let refusal): .refused(refusal.adding(words))
    default: self
    }
  }
}
