import FeedCore
import FeedHTTP

/// A stream over any number of connections, and the event at which it resumes.
struct EventSubscription: Followed {
  private let options: Options
  private let url: HTTPURL
  private let client: HTTPClient
  private var pump: EventPump
  private var refusedID: [UInt8] = []

  init(_ url: HTTPURL, _ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.url = url
    self.options = options
    pump = EventPump(options, source: url.display, fault: .remote, streams)
    client = try HTTPClient(keepsCookies: true)
  }

  var count: Int { pump.count }

  var resumption: String {
    let id = pump.parser.lastEventID
    return id.isEmpty ? "" : " after event ID '\(shortened(id))'"
  }

  mutating func flush() throws(ToolFailure) { try pump.flush() }

  mutating func print(_ note: Note) throws(ToolFailure) { try pump.print(note) }

  mutating func abandon() { pump.abandon() }

  mutating func connect(_ follower: inout Follower) throws(ToolFailure) -> ConnectionEnding {
    var connection: FeedConnection
    let request = request(follower)
    do {
      connection = try FeedConnection(
        request, of: client, deadline: follower.deadline, idleTimeout: options.connection.idleTimeout,
        follower.interrupts)
    } catch {
      return .failed(error)
    }
    let opening = try follower.open(&self) { moment in
      connection.open(until: moment) { StreamResponse($0, to: request).problem }
    }
    if case .ended(let ending) = opening { return ending }
    try follower.open(&self, at: connection.url.display)
    pump.restart()
    guard StreamResponse(connection.head, to: request) == .stream else { return try takeWhole(&connection) }
    var ending = try connection.run(&pump)
    if let milliseconds = pump.retry { follower.setDelay(Double(milliseconds) / 1000) }
    if case .closed = ending, pump.parser.isInsideEvent {
      ending = .lost(HTTPError(.transient, "the stream ended inside an event"))
    }
    return ending
  }

  /// Reads a response that is no stream: one event, or nothing.
  private mutating func takeWhole(_ connection: inout FeedConnection) throws(ToolFailure) -> ConnectionEnding {
    var body = WholeBody(maxSize: options.maxSize, source: url.display)
    let ending = try connection.run(&body)
    guard case .closed = ending, body.bytes.contains(where: { !$0.isWhiteSpace }) else { return ending }
    body.bytes.repairUTF8()
    return try pump.take(body.event) == .finished ? .finished : ending
  }

  private mutating func request(_ follower: Follower) -> HTTPRequest {
    let both = "text/event-stream, application/json"
    var request = follower.http.request(url, jsonAccept: both)
    // Who asks to reconnect accepts that a POST is sent again.
    request.mayRepeat = options.connection.reconnects
    request.setDefault("Accept", Array((request.body == nil ? "text/event-stream" : both).utf8))
    request.setDefault("Cache-Control", Array("no-cache".utf8))
    let id = pump.parser.lastEventID
    guard let problem = ResumableID.problem(id) else {
      if !id.isEmpty { request.set("Last-Event-ID", id) }
      return request
    }
    if id != refusedID {
      refusedID = id
      follower.complain("the event ID '\(shortened(id))' \(problem); resuming without it")
    }
    return request
  }
}
