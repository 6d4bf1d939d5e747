// A feed over as many connections as it takes: what each end of a connection means, when to connect again, and when to
// give up. The tool connects, waits and complains; the judgement is here, the same for every tool that stays connected.

import FeedCore

/// How a connection ended.
package enum ConnectionEnding: Sendable {
  /// All that was wanted has been printed.
  case finished
  /// The server asked to stop (HTTP 204).
  case stopped
  /// The feed came to its end.
  case closed
  /// The feed was open, and broke.
  case lost(HTTPError)
  /// There was none.
  case failed(HTTPError)
  /// The server gave another answer.
  case refused(HTTPRefusal)
  /// `--max-time` has passed.
  case outOfTime
}

/// An answer that opens no feed.
package struct HTTPRefusal: Sendable {
  package let status: Int
  /// A proxy can have given it, instead of the server.
  package let isFromProxy: Bool
  /// In seconds.
  package let retryAfter: Double?
  /// What was expected or the status, and the first line of the body.
  package let message: String

  package init(_ head: HTTPHead, _ problem: String, firstLine: String, isFromProxy: Bool = false) {
    status = head.status
    self.isFromProxy = isFromProxy
    retryAfter = head.value(of: "retry-after").flatMap { RetryAfter.seconds($0) }
    message = problem + (firstLine.isEmpty ? "" : ": " + firstLine)
  }
}

/// When to connect again.
package struct Reconnection: Sendable {
  /// What options say about it.
  package struct Rules: Sendable {
    /// In seconds.
    package var delay = 3.0
    package var retries = Int.max
    package var retryStatus: StatusSet?
    package var reconnects = true
    /// Whether the next connection goes on where the last one broke. Where it does not, a break is always told, for what
    /// was sent at that time is lost.
    package var resumes = true
    /// In seconds.
    package var maxTime: Double?
    /// In seconds: how long nothing may come.
    package var idleTimeout: Double?
    /// Whether every attempt is told.
    package var isVerbose = false

    package init() {}
  }

  package enum Verdict: Sendable {
    case end(ExitStatus)
    /// Wait, then connect again. The message is for people who asked to be told all, or, if not silent, for everybody.
    case wait(seconds: Double, message: String, isSilent: Bool)
  }

  /// What is retried unless `--retry-status` says otherwise, once a feed was open: a deployment must not end a client.
  private static let passing = StatusSet(429, 502, 503, 504)

  /// What a proxy says of a server that cannot be connected to, which without one is retried from the first time on.
  private static let unreachable = StatusSet(502, 503, 504)

  /// In seconds: after a feed that brought nothing, and whatever a server says.
  private static let shortestPause = 0.1
  /// In seconds. A longer wait is always told: nobody may be looking at what seems to be dead.
  package static let longWait = 3600.0

  /// When the time is up, by the monotonic clock.
  package let deadline: Double?
  private let rules: Rules
  private let source: String
  /// `no event stream`, for messages.
  private let missing: String
  private var backoff: Backoff
  /// Attempts since the last open feed that did not become one.
  private var failedAttempts = 0
  private var wasOpen = false
  private var isFailing = false
  /// Connections that failed, or brought nothing before they broke, since the last one that was good. One is nothing to
  /// talk about: it happens every day.
  private var failuresInARow = 0
  private var lastFailure: String?

  /// - Parameters:
  ///   - source: the URL, for messages.
  ///   - missing: what there was none of when the time was up.
  package init(_ rules: Rules, source: String, missing: String) {
    self.rules = rules
    self.source = source
    self.missing = missing
    backoff = Backoff(base: rules.delay)
    deadline = rules.maxTime.map { Clock.monotonic() + $0 }
  }

  /// A feed is open.
  package mutating func open() {
    wasOpen = true
    isFailing = false
    failedAttempts = 0
    backoff.succeed()
  }

  /// The server asks for another delay, in seconds. No server makes a client come back at once, for ever.
  package mutating func setDelay(_ seconds: Double) { backoff.base = max(seconds, Self.shortestPause) }

  /// - Parameter broughtAny: whether anything came over the connection that ended.
  /// - Throws: what ends the tool otherwise than well.
  package mutating func judge(_ ending: ConnectionEnding, broughtAny: Bool) throws(ToolFailure) -> Verdict {
    switch ending {
    case .finished, .stopped: return .end(.yes)
    case .outOfTime: return .end(try endOfTime())
    case .closed:
      failuresInARow = 0
      guard rules.reconnects else { return .end(.yes) }
      // A server that closes at once must not be asked for more thousands of times a second.
      let shortest = broughtAny ? 0 : Self.shortestPause
      return wait(max(backoff.base, shortest), after: "closed by the server", isSilent: true)
    case .lost(let error):
      guard rules.reconnects else { throw error.failure(source) }
      if broughtAny { failuresInARow = 0 }
      return wait(backoff.fail(), afterFailure: error.message, isLoss: !rules.resumes)
    case .failed(let error):
      if case .proxy(let status) = error.kind {
        return try refused(status, error.message, isFromProxy: true, atLeast: 0)
      }
      let isHopeless = error.kind == .local || (error.kind == .permanent && !wasOpen)
      if !rules.reconnects || isHopeless { throw error.failure(source) }
      return try retry(error.message, atLeast: 0)
    case .refused(let refusal):
      return try refused(
        refusal.status, refusal.message, isFromProxy: refusal.isFromProxy, atLeast: refusal.retryAfter ?? 0)
    }
  }

  /// What it means that the time is up.
  package func endOfTime() throws(ToolFailure) -> ExitStatus {
    if wasOpen && !isFailing { return .yes }
    let time = secondsText(rules.maxTime ?? 0)
    let reason = lastFailure.map { ": " + $0 } ?? ""
    throw .failed(.later, "\(missing) when \(time) s had passed" + reason, source: source)
  }

  private mutating func refused(
    _ status: Int, _ message: String, isFromProxy: Bool, atLeast: Double
  ) throws(ToolFailure) -> Verdict {
    let retried = rules.retryStatus ?? (wasOpen ? Self.passing : isFromProxy ? Self.unreachable : .none)
    guard rules.reconnects, retried.contains(status) else { throw .failed(.otherEnd, message, source: source) }
    return try retry(message, atLeast: atLeast)
  }

  private mutating func retry(_ message: String, atLeast: Double) throws(ToolFailure) -> Verdict {
    isFailing = true
    failedAttempts += 1
    if failedAttempts > rules.retries {
      let attempts = failedAttempts == 1 ? "" : "; gave up after \(failedAttempts) attempts"
      throw .failed(.otherEnd, message + attempts, source: source)
    }
    return wait(max(backoff.fail(), atLeast), afterFailure: message)
  }

  private mutating func wait(_ seconds: Double, afterFailure message: String, isLoss: Bool = false) -> Verdict {
    lastFailure = message
    failuresInARow += 1
    return wait(seconds, after: message, isSilent: failuresInARow < 2 && seconds <= Self.longWait && !isLoss)
  }

  private func wait(_ seconds: Double, after message: String, isSilent: Bool) -> Verdict {
    let time = seconds == 0 ? "at once" : "in \(secondsText(max(seconds, 0.1))) s"
    let text = message + "; \(wasOpen ? "reconnecting" : "retrying") " + time
    return .wait(seconds: seconds, message: text, isSilent: isSilent)
  }
}
