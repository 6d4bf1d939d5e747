// One connection: from the request to the end of its answer, and what that end means.

import FeedCore
import FeedHTTP

struct Connection {
  /// How long the body of a refusal is waited for; it is only read for its first line.
  private static let patience = 5.0

  private let transfer: HTTPTransfer
  private let client: HTTPClient
  private let output: Descriptor
  private let idleTimeout: Double?
  private let deadline: Double?
  private var lastActivity = Clock.monotonic()
  private(set) var isOpen = false

  init(
    _ request: HTTPRequest, of client: HTTPClient, deadline: Double?, idleTimeout: Double?, _ output: Descriptor
  ) throws(HTTPError) {
    transfer = try client.start(request)
    self.client = client
    self.output = output
    self.deadline = deadline
    self.idleTimeout = idleTimeout
  }

  /// Runs until the stream is open, or will not be.
  /// - Returns: nil when it is open.
  mutating func open() throws(ToolFailure) -> ConnectionEnding? {
    while true {
      let event: HTTPTransfer.Event?
      do { event = try transfer.next() } catch { return .failed(error) }
      if event == .head { return try answer() }
      // libcurl takes the end of a connection in the middle of the head for the end of an answer.
      if event == .end { return .failed(HTTPError(.transient, "connection closed before the end of the head")) }
      if event == nil, let ending = try waitForNetwork() { return ending }
    }
  }

  /// Pumps until the stream ends.
  mutating func run(_ pump: inout EventPump) throws(ToolFailure) -> ConnectionEnding {
    while true {
      let event: HTTPTransfer.Event?
      do { event = try transfer.next() } catch { return .lost(error) }
      switch event {
      case .head?: continue
      case .end?: return .closed
      case .body?:
        lastActivity = Clock.monotonic()
        if try pump.take(transfer.chunk) == .finished { return .finished }
        if let deadline, lastActivity >= deadline { return .outOfTime }
      case nil:
        try pump.settle()
        if let ending = try waitForNetwork() { return ending }
      }
    }
  }

  /// Waits for the network.
  /// - Returns: an ending when a time is up.
  private mutating func waitForNetwork() throws(ToolFailure) -> ConnectionEnding? {
    let idleDeadline = idleTimeout.map { lastActivity + $0 }
    let first = [deadline, idleDeadline].compactMap(\.self).min()
    let wakeup: HTTPClient.Wakeup
    do { wakeup = try client.wait(until: first, orHangUpOf: output) } catch {
      return isOpen ? .lost(error) : .failed(error)
    }
    switch wakeup {
    case .activity, .input: return nil
    case .hangUp: throw .brokenPipe
    case .timeUp:
      if let deadline, Clock.monotonic() >= deadline { return .outOfTime }
      let what = isOpen ? "nothing received" : "no answer"
      let error = HTTPError(.timedOut, "\(what) for \(secondsText(idleTimeout ?? 0)) s")
      return isOpen ? .lost(error) : .failed(error)
    }
  }

  /// Judges the head (WHATWG HTML §9.2.3): a stream is status 200 and the right type.
  private mutating func answer() throws(ToolFailure) -> ConnectionEnding? {
    let head = transfer.head
    if head.status == 204 { return .stopped }
    let type = head.mediaType
    if head.status == 200 && type == "text/event-stream" {
      isOpen = true
      lastActivity = Clock.monotonic()  // the head is a sign of life too
      return nil
    }
    let isFromProxy = transfer.isFromProxy
    let line = try firstLine()
    let found = type.map { quoted($0.utf8) } ?? "no content type"
    let problem = head.status == 200 ? "expected text/event-stream, found \(found)" : "HTTP \(head.status)"
    return .refused(HTTPRefusal(head, problem, firstLine: line, isFromProxy: isFromProxy))
  }

  /// The first line of the body that is not blank, for a message.
  private mutating func firstLine() throws(ToolFailure) -> String {
    let patience = min(Clock.monotonic() + Self.patience, deadline ?? .infinity)
    var body: [UInt8] = []
    // Whatever goes wrong here, what there is will do.
    reading: while body.count < 4096, !body.drop(while: \.isSpaceOrControl).contains(UInt8(ascii: "\n")) {
      guard let event = try? .some(transfer.next()) else { break }
      switch event {
      case .body?: body += transfer.chunk
      case .end?: break reading
      case .head?: continue
      case nil:
        guard let wakeup = try? client.wait(until: patience, orHangUpOf: output), wakeup != .timeUp else {
          break reading
        }
        if wakeup == .hangUp { throw .brokenPipe }
      }
    }
    transfer.cancel()
    return HTTPExcerpt.firstLine(of: body, for: transfer.request)
  }
}
