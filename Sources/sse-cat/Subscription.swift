// A stream over any number of connections, and the event at which it resumes.

import FeedCore
import FeedHTTP

struct Subscription: Followed {
  private let idleTimeout: Double?
  private let url: HTTPURL
  private let client: HTTPClient
  private var pump: EventPump
  private var refusedID: [UInt8] = []

  init(_ url: HTTPURL, _ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.url = url
    idleTimeout = options.connection.idleTimeout
    pump = EventPump(options, source: url.display, fault: .otherEnd, streams)
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
    do {
      connection = try FeedConnection(
        request(follower), of: client, deadline: follower.deadline, idleTimeout: idleTimeout, follower.interrupts)
    } catch {
      return .failed(error)
    }
    let opening = try follower.open(&self) { connection.open(until: $0, Self.judge) }
    if case .ended(let ending) = opening { return ending }
    try follower.open(&self, at: connection.url.display)
    pump.restart()
    let ending = try connection.run(&pump)
    if let milliseconds = pump.retry { follower.setDelay(Double(milliseconds) / 1000) }
    return ending
  }

  /// A stream has status 200 and the right type (WHATWG HTML §9.2.3).
  private static func judge(_ head: HTTPHead) -> FeedConnection.Acceptance {
    let type = head.mediaType
    if head.status == 200 && type == "text/event-stream" { return .feed }
    let found = type.map { quoted($0.utf8) } ?? "no content type"
    return .refused(problem: head.status == 200 ? "expected text/event-stream, found \(found)" : nil)
  }

  private mutating func request(_ follower: Follower) -> HTTPRequest {
    var request = follower.http.request(url)
    request.setDefault("Accept", Array("text/event-stream".utf8))
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
