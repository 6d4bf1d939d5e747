import FeedCore
import FeedHTTP

/// A stream over any number of connections, and the event at which it resumes.
struct EventSubscription: Followed {
  private let options: Options
  private let url: HTTPURL
  private let client: HTTPClient
  private(set) var pump: EventPump
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
    switch try follower.open(&self, request, of: client, { StreamResponse($0, to: request).problem }) {
    case .ended(let ending): return ending
    case .open(let opened): connection = opened
    }
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
    if try pump.take(Array("message".utf8), id: [], body.bytes) == .finished { return .finished }
    guard let awaited = options.ends.awaited else { return ending }
    throw .ended(.remote, before: awaited + "; the response is JSON, not an event stream", source: url.display)
  }

  private mutating func request(_ follower: Follower) -> HTTPRequest {
    let both = "text/event-stream, application/json"
    var request = follower.http.request(url, jsonAccept: both)
    // Who asks to reconnect accepts that a POST is sent again.
    request.mayRepeat = options.connection.reconnects
    request.setDefault("Accept", Array((request.body == nil ? "text/event-stream" : both).utf8))
    request.setDefault("Cache-Control", Array("no-cache".utf8))
    let id = pump.parser.lastEventID
    guard let problem = Self.problem(ofID: id) else {
      if !id.isEmpty { request.set("Last-Event-ID", id) }
      return request
    }
    if id != refusedID {
      refusedID = id
      follower.complain("the event ID '\(shortened(id))' \(problem); resuming without it")
    }
    return request
  }

  /// The most bytes of an ID to resume from. Servers accept heads of 8 KiB and more; a refused ID would be refused again
  /// and again.
  static let longestID = 4096

  /// Why an ID cannot be used to resume; nil if it can. It may be any text, but a header cannot contain all texts.
  private static func problem(ofID id: [UInt8]) -> String? {
    if id.count > longestID { return "is longer than \(longestID) bytes" }
    return isSendable(id) ? nil : "cannot be sent in a header"
  }
}

/// What kind of response a request for an event stream gets, if it is a success.
enum StreamResponse: Equatable {
  case stream
  /// A whole body: JSON, or nothing. A POST may be answered so: by servers that choose (MCP's "streamable HTTP"), by
  /// gateways with an error, and with 202.
  case whole
  /// - Parameter found: the media type.
  case other(found: String?)

  init(_ head: HTTPHead, to request: HTTPRequest) {
    let type = head.mediaType
    let isEmpty = head.value(of: "content-length") == [UInt8(ascii: "0")] || (head.status == 202 && type == nil)
    let kind = MediaKind(type)
    if kind == .eventStream {
      self = .stream
    } else if request.body != nil, isEmpty || kind == .json {
      self = .whole
    } else {
      self = .other(found: type)
    }
  }

  /// What is wrong with it (WHATWG HTML §9.2.3); nil if it can be read.
  var problem: String? {
    guard case .other(let found) = self else { return nil }
    let name = found.map { quoted($0.utf8) } ?? "no content type"
    return "expected text/event-stream, found \(name)\(MediaKind(found).reader)"
  }
}

/// Collects a whole body.
struct WholeBody: BodySink {
  var bytes: [UInt8] = []
  let maxSize: Int
  let source: String

  mutating func take(_ chunk: [UInt8]) throws(ToolFailure) -> BodyProgress {
    bytes += chunk
    if bytes.count > maxSize { throw .failed(.remote, "longer than \(maxSize) bytes (--max-size)", source: source) }
    return .more
  }

  mutating func flush() throws(ToolFailure) {}
}
