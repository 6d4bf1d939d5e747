// A feed over any number of connections: what the end of a connection means, when to connect again, and when to give
// up. `Follower` connects and waits; the decisions are here, without network or clock.

import FeedCore

/// How a connection ended.
package enum ConnectionEnding: Sendable {
  /// Everything wanted has been printed.
  case finished
  /// The server asked to stop, with a success without a body.
  case stopped(status: Int)
  /// The feed came to its end.
  case closed
  /// The feed was open, and the connection failed.
  case lost(HTTPError)
  /// The connection failed before the feed was open.
  case failed(HTTPError)
  /// The server gave another response.
  case refused(Refusal)
  /// `--max-time` has passed.
  /// - Parameter mayHaveTakenEffect: whether a request was sent that must not be repeated without need.
  case outOfTime(mayHaveTakenEffect: Bool = false)
  /// The tool must end.
  case interrupted(Interruption)
}

extension ConnectionEnding {
  /// The HTTP status of a response that was no feed.
  var code: Int? {
    switch self {
    case .stopped(let status): status
    case .refused(let refusal): refusal.status
    case .failed(let error): if case .proxy(let status) = error.kind { status } else { nil }
    case .finished, .closed, .lost, .outOfTime, .interrupted: nil
    }
  }

  /// The text for `-v`; nil if the tool ended the connection itself.
  var reason: String? {
    switch self {
    case .stopped(let status): "the server asks to stop (HTTP \(status))"
    case .closed: "closed by the server"
    case .lost(let error), .failed(let error): error.message
    case .refused(let refusal): refusal.message
    case .finished, .outOfTime, .interrupted: nil
    }
  }
}

/// What is followed.
package struct FollowedFeed: Sendable {
  /// The URL, for messages.
  let source: String
  /// What has not come when the time is up, for messages: `event stream`.
  let missing: String
  /// The end that is awaited in the feed, for messages (`EndMarks.awaited`); nil for none.
  let awaited: String?
  /// Whether it is a body that never ends, which resumes by X's rule for streams. Otherwise it is an event stream: that
  /// resumes where it broke, by WHATWG HTML §9.2.3.
  let isEndless: Bool

  /// - Parameter awaited: the end that is awaited (`EndMarks.awaited`); nil for none.
  package init(_ source: String, missing: String, awaited: String? = nil, isEndless: Bool = false) {
    (self.source, self.missing, self.awaited, self.isEndless) = (source, missing, awaited, isEndless)
  }
}

/// When to connect again.
package struct Reconnection: Sendable {
  /// What to do when a connection has ended.
  package enum NextTry: Equatable, Sendable {
    case end(ExitStatus)
    /// End by this signal.
    case die(of: Int32)
    /// Wait, then connect again.
    /// - Parameter isReported: whether to print the message always, or only with -v.
    case wait(seconds: Double, message: String, isReported: Bool)
  }

  /// In seconds: the shortest wait after a feed that brought nothing, and the shortest delay that a server can set.
  private static let shortestPause = 0.1
  /// The longest wait, in seconds, unless the delay is longer.
  private static let longestPause = 30.0

  /// The shortest time between two connections, in seconds, if the wait may be zero: a body that is complete at once
  /// must not be requested thousands of times a second.
  package var spacing: Double { feed.isEndless ? Self.shortestPause : 0 }

  private let options: ConnectionOptions
  let feed: FollowedFeed
  private let statuses: StatusPolicy
  private var policy: RetryPolicy
  private var wasOpen = false
  private var isFailing = false
  private var lastFailure: ToolFailure?

  /// - Parameter random: numbers from 0 to 1; a test passes its own.
  package init(
    _ options: ConnectionOptions, _ feed: FollowedFeed,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    self.options = options
    self.feed = feed
    statuses = StatusPolicy(retrying: options.retryStatus)
    let growth = feed.isEndless ? RetryPolicy.Growth.stream : .spread(longest: Self.longestPause)
    policy = RetryPolicy(base: options.delay, growth, retries: options.retries, random: random)
  }

  /// A feed is open.
  package mutating func open() {
    wasOpen = true
    isFailing = false
    if !feed.isEndless { policy.succeed() }
  }

  /// Sets the delay that the server asks for, in seconds. It cannot make a client reconnect without a pause.
  package mutating func setDelay(_ seconds: Double) { policy.base = max(seconds, Self.shortestPause) }

  /// - Parameter broughtAny: whether the ended connection brought any data.
  /// - Throws: a failure that ends the tool.
  package mutating func judge(_ ending: ConnectionEnding, broughtAny: Bool) throws(ToolFailure) -> NextTry {
    switch ending {
    case .finished: return .end(.yes)
    case .stopped: return try end()
    case .outOfTime(let mayHaveTakenEffect): return .end(try timeLimitStatus(mayHaveTakenEffect))
    case .interrupted(.hangUp): throw .brokenPipe
    case .interrupted(.signal(let number)): return .die(of: number)
    case .closed:
      if broughtAny || !feed.isEndless { recover() }
      guard options.reconnects else { return try end() }
      // A stream that ends loses what is sent until the next connection, like one that breaks.
      if feed.isEndless {
        let failure = ToolFailure.failed(.remote, "closed by the server", source: feed.source)
        return try verdict(policy.lose(), after: failure, isLoss: !options.resumes)
      }
      // A server that closes at once must not be asked thousands of times a second.
      let seconds = max(policy.base, broughtAny ? 0 : Self.shortestPause)
      return wait(seconds, after: "closed by the server", isReported: false)
    case .lost(let error):
      // What is wrong here stays wrong, and so does a response that broke the rules of HTTP before it brought anything.
      let isFinal = error.kind == .local || (error.kind == .permanent && !broughtAny)
      if isFinal || !options.reconnects { throw error.failure(feed.source) }
      if broughtAny { recover() }
      return try verdict(policy.lose(), after: error.failure(feed.source), isLoss: !options.resumes)
    case .failed(let error):
      if case .proxy(let status) = error.kind { return try refused(HTTPHead(status: status), error.message) }
      let isFinal = !error.isRetryable && (error.kind != .permanent || !wasOpen)
      if !options.repeatsRequest || isFinal { throw error.failure(feed.source) }
      return try retry(error.failure(feed.source), .network)
    case .refused(let refusal): return try refused(refusal.head, refusal.message)
    }
  }

  /// The other end has ended the feed for good.
  private func end() throws(ToolFailure) -> NextTry {
    if let awaited = feed.awaited { throw .ended(.remote, before: awaited, source: feed.source) }
    return .end(.yes)
  }

  /// Resets the failures after a success.
  private mutating func recover() {
    policy.recover()
    // For a stream, being open is not yet a success.
    if feed.isEndless { policy.succeed() }
  }

  /// The exit status when the time is up.
  package func timeLimitStatus(_ mayHaveTakenEffect: Bool = false) throws(ToolFailure) -> ExitStatus {
    let isWell = wasOpen && !isFailing
    if isWell, feed.awaited == nil { return .yes }
    let reason = isWell ? "" : lastFailure.map { ": " + $0.message } ?? ""
    let missing = isWell ? feed.awaited ?? feed.missing : feed.missing
    let effect = mayHaveTakenEffect && !wasOpen ? HTTPError.effect : ""
    throw .outOfTime(
      mayHaveTakenEffect ? .remote : .tryAgain, options.maxTime ?? 0, awaiting: missing, source: feed.source,
      reason + effect)
  }

  private mutating func refused(_ head: HTTPHead, _ message: String) throws(ToolFailure) -> NextTry {
    let failure = ToolFailure.failed(StatusPolicy.exitStatus(head.status), message, source: feed.source)
    guard options.repeatsRequest, statuses.isRetried(head, at: wasOpen ? .open : .first) else { throw failure }
    let asked = min(AskedWait(head).seconds, AskedWait.longest)
    return try retry(failure, .status(head.status), asked: asked)
  }

  private mutating func retry(
    _ failure: ToolFailure, _ cause: RetryPolicy.Cause, asked: Double = 0
  ) throws(ToolFailure) -> NextTry {
    isFailing = true
    return try verdict(policy.fail(cause, asked: asked), after: failure)
  }

  private mutating func verdict(
    _ verdict: RetryPolicy.Decision, after failure: ToolFailure, isLoss: Bool = false
  ) throws(ToolFailure) -> NextTry {
    guard case .wait(let seconds, let isReported) = verdict else { throw failure.adding(policy.gaveUp) }
    lastFailure = failure
    return wait(seconds, after: failure.message, isReported: isReported || isLoss)
  }

  private func wait(_ seconds: Double, after message: String, isReported: Bool) -> NextTry {
    let words = RetryPolicy.words(wasOpen ? "reconnecting" : "retrying", in: seconds)
    return .wait(seconds: seconds, message: message + words, isReported: isReported)
  }
}
