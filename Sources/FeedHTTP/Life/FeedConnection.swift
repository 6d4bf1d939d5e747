// One connection whose response is a feed: from the request to the end of the response, and the meaning of that end.

import FeedCore

/// The consumer of a feed's body.
package protocol BodySink {
  /// - Returns: whether everything wanted has been printed.
  mutating func take(_ chunk: [UInt8]) throws(ToolFailure) -> BodyProgress
  /// Flushes the output; called before every wait.
  mutating func flush() throws(ToolFailure)
}

/// Whether a body is wanted any further.
package enum BodyProgress: Sendable { case more, finished }

/// A request whose response is printed as it comes.
package struct FeedConnection {
  /// What the opening has come to.
  package enum Opening {
    case open(FeedConnection)
    case ended(ConnectionEnding)
  }

  private let transfer: HTTPTransfer
  private let client: HTTPClient
  private let interrupts: Interrupts
  /// The longest time without data, in seconds; the head of the response counts as data.
  private let idleTimeout: Double?
  /// When to end, by the monotonic clock.
  private let deadline: Double?
  private var lastActivity = Clock.monotonic()
  private var isOpen = false

  fileprivate init(_ request: HTTPRequest, of client: HTTPClient, _ follower: Follower) throws(HTTPError) {
    transfer = try client.start(request)
    self.client = client
    interrupts = follower.interrupts
    deadline = follower.deadline
    idleTimeout = follower.options.idleTimeout
  }

  package var head: HTTPHead { transfer.head }
  /// The URL that answered, after redirects.
  fileprivate var url: HTTPURL { transfer.request.url }

  /// Runs until the feed is open or has failed.
  /// - Parameters:
  ///   - moment: when to return in any case, by the monotonic clock.
  ///   - problem: what is wrong with the head of a success; nil if the response is a feed.
  /// - Returns: nil if there was no response until then. Call it again.
  fileprivate mutating func open(until moment: Double?, _ problem: (HTTPHead) -> String?) -> Opening? {
    do throws(HTTPError) {
      while true {
        if try transfer.next() == .head { return response(problem).map(Opening.ended) ?? .open(self) }
        if let moment, Clock.monotonic() >= moment { return nil }
        if let ending = try waitForNetwork(until: moment) { return .ended(ending) }
      }
    } catch {
      return .ended(.failed(error))
    }
  }

  /// Passes the data on until the feed ends.
  package mutating func run(_ sink: inout some BodySink) throws(ToolFailure) -> ConnectionEnding {
    while true {
      let event: HTTPTransfer.Event?
      do { event = try transfer.next() } catch { return .lost(error) }
      switch event {
      case .head?: continue
      case .end?: return .closed
      case .body?:
        do {
          if try sink.take(transfer.chunk) == .finished { return .finished }
        } catch {
          // The message may quote what the server has repeated of our request.
          throw error.saying { $0.hidingSecrets(of: transfer.request, and: []) }
        }
        // Taken afterwards: if our reader is slow, the server is not idle.
        lastActivity = Clock.monotonic()
        if let deadline, lastActivity >= deadline { return outOfTime }
      case nil:
        let start = Clock.monotonic()
        try sink.flush()
        lastActivity += Clock.monotonic() - start
        do { if let ending = try waitForNetwork() { return ending } } catch { return .lost(error) }
      }
    }
  }

  /// Waits for the network.
  /// - Parameter moment: when to return in any case.
  /// - Returns: an ending if a timeout has passed.
  private mutating func waitForNetwork(until moment: Double? = nil) throws(HTTPError) -> ConnectionEnding? {
    let idleDeadline = idleTimeout.map { lastActivity + $0 }
    switch try client.wait(until: [deadline, idleDeadline, moment].compactMap(\.self).min(), interrupts) {
    case .activity: return nil
    case .interrupted(let interruption): return .interrupted(interruption)
    case .timeUp:
      let now = Clock.monotonic()
      if let deadline, now >= deadline { return outOfTime }
      if let idleTimeout, now >= lastActivity + idleTimeout {
        throw transfer.unanswered(.idle(idleTimeout, isOpen: isOpen))
      }
      return nil
    }
  }

  private var outOfTime: ConnectionEnding { .outOfTime(mayHaveTakenEffect: transfer.mayHaveTakenEffect) }

  private mutating func response(_ problem: (HTTPHead) -> String?) -> ConnectionEnding? {
    let head = transfer.head
    var found: String?
    switch StatusPolicy().verdict(head, to: transfer.request) {
    case .empty: return .stopped(status: head.status)
    case .taken:
      found = problem(head)
      if found == nil {
        isOpen = true
        lastActivity = Clock.monotonic()  // the head is activity too
        return nil
      }
    case .retried, .final: if head.status == 206 { found = StatusPolicy.part }
    }
    return client.refusal(of: transfer, found, until: deadline, interrupts)
  }
}

extension Follower {
  /// Requests a feed, and notes when it is open.
  /// - Parameter problem: what is wrong with the head of a success; nil if the response is a feed.
  package mutating func open(
    _ feed: inout some Followed, _ request: HTTPRequest, of client: HTTPClient, _ problem: (HTTPHead) -> String?
  ) throws(ToolFailure) -> FeedConnection.Opening {
    var connection: FeedConnection
    do { connection = try FeedConnection(request, of: client, self) } catch { return .ended(.failed(error)) }
    let opening = try open(&feed) { connection.open(until: $0, problem) }
    if case .open(let connection) = opening { try open(&feed, at: connection.url.display) }
    return opening
  }
}
