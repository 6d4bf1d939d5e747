// One connection whose answer is a feed: from the request to the end of the answer, and what that end means.

import FeedCore

/// What takes the body of a feed.
package protocol BodySink {
  /// - Returns: whether all that was wanted has been printed.
  mutating func take(_ chunk: [UInt8]) throws(ToolFailure) -> BodyProgress
  /// Writes out what has been printed: before anything is waited for.
  mutating func flush() throws(ToolFailure)
}

package enum BodyProgress: Sendable { case more, finished }

package struct FeedConnection {
  /// What a head means to a tool.
  package enum Acceptance: Sendable {
    case feed
    /// - Parameter problem: what is wrong with the answer; its status if nil.
    case refused(problem: String?)
  }

  private let transfer: HTTPTransfer
  private let client: HTTPClient
  private let interrupts: Interrupts
  private let idleTimeout: Double?
  private let deadline: Double?
  private var lastActivity = Clock.monotonic()
  private var isOpen = false

  /// - Parameters:
  ///   - deadline: when to end, by the monotonic clock.
  ///   - idleTimeout: how long nothing may come, in seconds.
  package init(
    _ request: HTTPRequest, of client: HTTPClient, deadline: Double?, idleTimeout: Double?, _ interrupts: Interrupts
  ) throws(HTTPError) {
    transfer = try client.start(request)
    self.client = client
    self.interrupts = interrupts
    self.deadline = deadline
    self.idleTimeout = idleTimeout
  }

  /// Of the answer, once `open` has returned.
  package var head: HTTPHead { transfer.head }
  /// Where the answer came from, after redirects.
  package var url: HTTPURL { transfer.request.url }

  /// Runs until the feed is open, or will not be.
  /// - Returns: nil when it is open.
  package mutating func open(_ judge: (HTTPHead) -> Acceptance) -> ConnectionEnding? {
    do throws(HTTPError) {
      while true {
        if try transfer.next() == .head { return answer(judge) }
        if let ending = try waitForNetwork() { return ending }
      }
    } catch {
      return .failed(error)
    }
  }

  /// Hands over what comes until the feed ends.
  package mutating func run(_ sink: inout some BodySink) throws(ToolFailure) -> ConnectionEnding {
    while true {
      let event: HTTPTransfer.Event?
      do { event = try transfer.next() } catch { return .lost(error) }
      switch event {
      case .head?: continue
      case .end?: return .closed
      case .body?:
        if try sink.take(transfer.chunk) == .finished { return .finished }
        // After it, since a reader that is slow makes no server idle.
        lastActivity = Clock.monotonic()
        if let deadline, lastActivity >= deadline { return .outOfTime }
      case nil:
        let start = Clock.monotonic()
        try sink.flush()
        lastActivity += Clock.monotonic() - start
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

  private mutating func answer(_ judge: (HTTPHead) -> Acceptance) -> ConnectionEnding? {
    if transfer.head.status == 204 { return .stopped }
    switch judge(transfer.head) {
    case .feed:
      isOpen = true
      lastActivity = Clock.monotonic()  // the head is a sign of life too
      return nil
    case .refused(let problem): return client.refusal(of: transfer, problem, until: deadline, interrupts)
    }
  }
}
