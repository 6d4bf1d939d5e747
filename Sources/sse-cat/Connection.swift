// One connection: from the request to the end of its answer, and what that end means.

import FeedCore
import FeedHTTP

struct Connection {
  private let transfer: HTTPTransfer
  private let client: HTTPClient
  private let interrupts: Interrupts
  private let idleTimeout: Double?
  private let deadline: Double?
  private var lastActivity = Clock.monotonic()
  private var isOpen = false

  init(
    _ request: HTTPRequest, of client: HTTPClient, deadline: Double?, idleTimeout: Double?, _ interrupts: Interrupts
  ) throws(HTTPError) {
    transfer = try client.start(request)
    self.client = client
    self.interrupts = interrupts
    self.deadline = deadline
    self.idleTimeout = idleTimeout
  }

  /// Runs until the stream is open, or will not be.
  /// - Returns: nil when it is open.
  mutating func open() -> ConnectionEnding? {
    do throws(HTTPError) {
      while true {
        if try transfer.next() == .head { return answer() }
        if let ending = try waitForNetwork() { return ending }
      }
    } catch {
      return .failed(error)
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
        try pump.flush()
        do { if let ending = try waitForNetwork() { return ending } } catch { return .lost(error) }
      }
    }
  }

  /// Waits for the network.
  /// - Returns: an ending when a time is up.
  private mutating func waitForNetwork() throws(HTTPError) -> ConnectionEnding? {
    let idleDeadline = idleTimeout.map { lastActivity + $0 }
    switch try client.wait(until: [deadline, idleDeadline].compactMap(\.self).min(), interrupts) {
    case .activity: return nil
    case .interrupted(let interruption): return .interrupted(interruption)
    case .timeUp:
      if let deadline, Clock.monotonic() >= deadline { return .outOfTime }
      let what = isOpen ? "nothing received" : "no answer"
      throw HTTPError(.timedOut, "\(what) for \(secondsText(idleTimeout ?? 0)) s")
    }
  }

  /// Judges the head (WHATWG HTML §9.2.3): a stream is status 200 and the right type.
  private mutating func answer() -> ConnectionEnding? {
    let head = transfer.head
    if head.status == 204 { return .stopped }
    let type = head.mediaType
    if head.status == 200 && type == "text/event-stream" {
      isOpen = true
      lastActivity = Clock.monotonic()  // the head is a sign of life too
      return nil
    }
    let found = type.map { quoted($0.utf8) } ?? "no content type"
    let problem = head.status == 200 ? "expected text/event-stream, found \(found)" : nil
    return client.refusal(of: transfer, problem, until: deadline, interrupts)
  }
}
