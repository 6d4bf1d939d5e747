// A feed over any number of connections: what the end of a connection means, when to connect again, and when to give
// up. `Follower` connects and waits; the decisions are here, without network or clock.

import FeedCore

/// How a connection ended.
package enum ConnectionEnding: Sendable {
  /// Everything wanted has been printed.
  case finished
  /// The server asked to stop (HTTP 204).
  case stopped
  /// The feed came to its end.
  case closed
  /// The feed was open, and the connection failed.
  case lost(HTTPError)
  /// The connection failed before the feed was open.
  case failed(HTTPError)
  /// The server gave another answer.
  case refused(Refusal)
  /// `--max-time` has passed.
  case outOfTime
  /// The tool must end.
  case interrupted(Interruption)
}

/// When to connect again.
package struct Reconnection: Sendable {
  package enum Verdict: Equatable, Sendable {
    case end(ExitStatus)
    /// End by this signal.
    case die(of: Int32)
    /// Wait, then connect again.
    /// - Parameter isTold: whether to print the message always, or only with -v.
    case wait(seconds: Double, message: String, isTold: Bool)
  }

  /// The kind of feed.
  package enum Rule: Sendable {
    /// An event stream, which resumes where it broke, by WHATWG HTML §9.2.3.
    case events
    /// A body that never ends, by X's rule for streams.
    case stream
  }

  /// The statuses to retry, unless `--retry-status` says otherwise, once a feed was open: a deployment must not end a
  /// client.
  private static let transient = StatusSet(429, 502, 503, 504)

  /// A proxy's answers for an unreachable server. Without a proxy, an unreachable server is retried from the start.
  private static let unreachable = StatusSet(502, 503, 504)

  /// In seconds: the shortest wait after a feed that brought nothing, and the shortest delay that a server can set.
  private static let shortestPause = 0.1
  /// The longest wait, in seconds, unless the delay is longer.
  private static let longestPause = 30.0

  /// The longest wait that a server may ask readers of streams for, in seconds.
  private static let longestAsked = 86_400.0

  /// The statuses that end a stream: the request is wrong, not the server.
  private static let final = StatusSet(401, 403, 404, 406, 410)
  /// The statuses that may be temporary even for the first request.
  private static let passing = StatusSet(408, 420, 425, 429)

  /// The shortest time between two connections, in seconds, if the wait may be zero: a body that is complete at once
  /// must not be requested thousands of times a second.
  package var spacing: Double { rule == .stream ? Self.shortestPause : 0 }

  private let options: ConnectionOptions
  private let rule: Rule
  private let source: String
  /// `no event stream`, for messages.
  private let missing: String
  /// `no match`, for messages; nil if any feed is enough.
  private let awaited: String?
  private var policy: RetryPolicy
  private var wasOpen = false
  private var isFailing = false
  private var lastFailure: String?

  /// - Parameters:
  ///   - source: the URL, for messages.
  ///   - missing: the thing that had not come when the time was up.
  ///   - awaited: the same for an open feed, in which something was awaited.
  ///   - random: numbers from 0 to 1; a test passes its own.
  package init(
    _ options: ConnectionOptions, source: String, missing: String, awaited: String? = nil, rule: Rule = .events,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    self.options = options
    self.source = source
    self.missing = missing
    self.awaited = awaited
    self.rule = rule
    policy = RetryPolicy(
      base: options.delay, rule == .stream ? .stream : .spread(longest: Self.longestPause), retries: options.retries,
      random: random)
  }

  /// A feed is open.
  package mutating func open() {
    wasOpen = true
    isFailing = false
    if rule == .events { policy.succeed() }
  }

  /// Sets the delay that the server asks for, in seconds. It cannot make a client reconnect without a pause.
  package mutating func setDelay(_ seconds: Double) { policy.base = max(seconds, Self.shortestPause) }

  /// - Parameter broughtAny: whether the ended connection brought any data.
  /// - Throws: a failure that ends the tool.
  package mutating func judge(_ ending: ConnectionEnding, broughtAny: Bool) throws(ToolFailure) -> Verdict {
    switch ending {
    case .finished, .stopped: return .end(.yes)
    case .outOfTime: return .end(try timeLimitStatus())
    case .interrupted(.hangUp): throw .brokenPipe
    case .interrupted(.signal(let number)): return .die(of: number)
    case .closed:
      if broughtAny || rule == .events { recover() }
      guard options.reconnects else { return .end(.yes) }
      // A stream that ends loses what is sent until the next connection, like one that breaks.
      if rule == .stream { return try verdict(policy.lose(), after: "closed by the server", isLoss: !options.resumes) }
      // A server that closes at once must not be asked thousands of times a second.
      let seconds = max(policy.base, broughtAny ? 0 : Self.shortestPause)
      return wait(seconds, after: "closed by the server", isTold: false)
    case .lost(let error):
      guard options.reconnects else { throw error.failure(source) }
      if broughtAny { recover() }
      return try verdict(policy.lose(), after: error.message, isLoss: !options.resumes)
    case .failed(let error):
      if case .proxy(let status) = error.kind { return try refused(status, error.message, isFromProxy: true) }
      let isFinal = error.kind == .local || (error.kind == .permanent && !wasOpen)
      if !options.reconnects || isFinal { throw error.failure(source) }
      return try retry(error.message, .network)
    case .refused(let refusal):
      return try refused(
        refusal.status, refusal.message, isFromProxy: refusal.isFromProxy, asked: refusal.retryAfter ?? 0)
    }
  }

  /// Resets the failures after a success.
  private mutating func recover() {
    policy.recover()
    // For a stream, being open is not yet a success.
    if rule == .stream { policy.succeed() }
  }

  /// The exit status when the time is up.
  package func timeLimitStatus() throws(ToolFailure) -> ExitStatus {
    let isWell = wasOpen && !isFailing
    if isWell, awaited == nil { return .yes }
    let time = secondsText(options.maxTime ?? 0)
    let reason = isWell ? "" : lastFailure.map { ": " + $0 } ?? ""
    let missing = isWell ? awaited ?? missing : missing
    throw .failed(.later, "\(missing) within \(time) s" + reason, source: source)
  }

  private mutating func refused(
    _ status: Int, _ message: String, isFromProxy: Bool, asked: Double = 0
  ) throws(ToolFailure) -> Verdict {
    guard options.reconnects, isRetried(status, isFromProxy: isFromProxy) else {
      throw .failed(.otherEnd, message, source: source)
    }
    return try retry(message, .status(status), asked: rule == .stream ? min(asked, Self.longestAsked) : asked)
  }

  private func isRetried(_ status: Int, isFromProxy: Bool) -> Bool {
    if let chosen = options.retryStatus { return chosen.contains(status) }
    switch rule {
    case .events: return (wasOpen ? Self.transient : isFromProxy ? Self.unreachable : .none).contains(status)
    case .stream: return wasOpen ? !Self.final.contains(status) : status >= 500 || Self.passing.contains(status)
    }
  }

  private mutating func retry(
    _ message: String, _ cause: RetryPolicy.Cause, asked: Double = 0
  ) throws(ToolFailure) -> Verdict {
    isFailing = true
    return try verdict(policy.fail(cause, asked: asked), after: message)
  }

  private mutating func verdict(
    _ verdict: RetryPolicy.Verdict, after message: String, isLoss: Bool = false
  ) throws(ToolFailure) -> Verdict {
    guard case .wait(let seconds, let isTold) = verdict else {
      throw .failed(.otherEnd, message + policy.gaveUp, source: source)
    }
    lastFailure = message
    return wait(seconds, after: message, isTold: isTold || isLoss)
  }

  private func wait(_ seconds: Double, after message: String, isTold: Bool) -> Verdict {
    let words = RetryPolicy.words(wasOpen ? "reconnecting" : "retrying", in: seconds)
    return .wait(seconds: seconds, message: message + words, isTold: isTold)
  }
}
