// One request and its whole response. Nothing here waits, so many exchanges can run at once.

import FeedCore

/// A complete response, with any status.
package struct HTTPResponse: Sendable {
  package let head: HTTPHead
  /// Unpacked; if the response is not wanted, only as much as a message needs. A tool may put what it made of it here.
  package var body: [UInt8]
  /// The answered request, after redirects.
  package let request: HTTPRequest

  /// The URL that answered.
  package var url: HTTPURL { request.url }
}

/// A request whose response is being read: call `advance` until it returns the response, and wait between calls.
package struct HTTPExchange {
  /// Limits for a response.
  package struct Bounds: Sendable {
    /// What messages call the body: `page`, `body`.
    package var noun: String
    /// The largest body in bytes, unpacked.
    package var maxSize: Int
    /// The longest time without data, in seconds; the head of the response counts as data.
    package var idleTimeout: Double
    /// The longest time for the whole response, in seconds.
    package var requestTimeout: Double
    /// Whether a body may be an event stream. Most never end, so nothing of them would ever be printed.
    package var takesEventStreams: Bool

    package init(
      noun: String, maxSize: Int, idleTimeout: Double, requestTimeout: Double, takesEventStreams: Bool = false
    ) {
      (self.noun, self.maxSize, self.takesEventStreams) = (noun, maxSize, takesEventStreams)
      (self.idleTimeout, self.requestTimeout) = (idleTimeout, requestTimeout)
    }
  }

  private let transfer: HTTPTransfer
  private let limits: Bounds
  private let isWanted: @Sendable (HTTPHead) -> Bool
  private var body: [UInt8] = []
  /// Whether the head of the response has come.
  package private(set) var hasHead = false
  private var isRefused = false
  private var end: Double
  private var lastActivity: Double

  /// Sends a request.
  /// - Parameter isWanted: whether to read the whole body. Otherwise only what a message needs is read.
  package init(
    _ request: HTTPRequest, of client: HTTPClient, _ limits: Bounds,
    isWanted: @escaping @Sendable (HTTPHead) -> Bool = { _ in true }
  ) throws(HTTPError) {
    transfer = try client.start(request)
    self.limits = limits
    self.isWanted = isWanted
    lastActivity = Clock.monotonic()
    end = lastActivity + limits.requestTimeout
  }

  /// When to time out, by the monotonic clock, if no data comes.
  package var deadline: Double { min(end, lastActivity + limits.idleTimeout) }

  /// Ignores some seconds in which nobody read the data.
  package mutating func extendTimeout(by seconds: Double) {
    end += seconds
    lastActivity += seconds
  }

  /// Reads the data that has come.
  /// - Returns: the response once it is complete; nil if there is nothing more to read now.
  package mutating func advance() throws(HTTPError) -> HTTPResponse? {
    do { return try read() } catch {
      // The status is known; the rest would only have explained it.
      guard isRefused else { throw error }
      transfer.cancel()
      return response
    }
  }

  private mutating func read() throws(HTTPError) -> HTTPResponse? {
    while let event = try transfer.next() {
      lastActivity = Clock.monotonic()
      switch event {
      case .head:
        hasHead = true
        guard !isWanted(transfer.head) else {
          guard let problem = problem(transfer.head) else { break }
          transfer.cancel()
          throw problem
        }
        isRefused = true
        end = min(end, lastActivity + Refusal.timeout)
      case .body:
        body += transfer.chunk
        guard body.count <= limits.maxSize else {
          transfer.cancel()
          throw HTTPError(.permanent, "a \(limits.noun) of more than \(limits.maxSize) bytes (--max-size)")
        }
        if isRefused, Refusal.isEnough(body) {
          transfer.cancel()
          return response
        }
      case .end: return response
      }
      // A server that sends a byte from time to time is never idle.
      if lastActivity > end { throw tooLong }
    }
    let now = Clock.monotonic()
    if now >= end { throw tooLong }
    guard now < lastActivity + limits.idleTimeout else {
      throw transfer.unanswered(.idle(limits.idleTimeout, isOpen: hasHead))
    }
    return nil
  }

  /// Why the body of a response cannot be read; nil if it can.
  private func problem(_ head: HTTPHead) -> HTTPError? {
    if head.hasDoubtfulLength {
      return transfer.unanswered(HTTPError(.transient, "the response does not say clearly how long it is"))
    }
    let kind = MediaKind(head)
    guard kind == .eventStream, (200..<300).contains(head.status), !limits.takesEventStreams else { return nil }
    return HTTPError(.permanent, "expected a \(limits.noun), found an event stream\(kind.reader)")
  }

  /// Whether a request was sent that must not be repeated without need.
  package var mayHaveTakenEffect: Bool { transfer.mayHaveTakenEffect }

  private var response: HTTPResponse {
    HTTPResponse(head: transfer.head, body: body, request: transfer.request)
  }

  private var tooLong: HTTPError {
    let time = secondsText(limits.requestTimeout)
    let what = hasHead ? "the \(limits.noun) took longer than" : "no response within"
    return transfer.unanswered(HTTPError(.timedOut, "\(what) \(time) s (--request-timeout)"))
  }
}
