// When to poll again: after an interval, after a failure, or when a response is no longer fresh.

import FeedCore

/// When to poll again.
package enum Interval: Equatable, Sendable {
  /// In seconds, from the start of one poll to the start of the next.
  case fixed(Double)
  /// When the response is no longer fresh (RFC 9111 §4.2).
  case auto

  /// In seconds; for `auto`, the interval until a server sets one.
  package var seconds: Double { if case .fixed(let seconds) = self { seconds } else { 60 } }

  /// The longest that one poll may take, in seconds.
  package var longestPoll: Double {
    if case .fixed(let seconds) = self, seconds > 0 { max(seconds, 1) } else { .infinity }
  }
}

extension OptionType<Interval> {
  /// An `Interval` of more than 0 seconds.
  package static let interval = Self("SECONDS|auto", .words(["auto"])) { bytes throws(OptionRefusal) in
    let interval = try polls(bytes)
    if interval.seconds == 0 { throw .expected("more than 0 seconds, or auto", found: bytes) }
    return interval
  }

  /// An `Interval`. With 0 seconds, the next request is made at once.
  package static let longPolling = Self("SECONDS|auto", .words(["auto"])) { bytes throws(OptionRefusal) in
    try polls(bytes)
  }

  private static func polls(_ bytes: [UInt8]) throws(OptionRefusal) -> Interval {
    if bytes.elementsEqual("auto".utf8) { return .auto }
    guard let seconds = try? OptionType<Double>.time(bytes) else {
      throw .expected("a number of seconds such as 30, 2.5 or 250ms, or auto", found: bytes)
    }
    return .fixed(seconds)
  }
}

/// Why a poll has failed.
package struct PollFailure: Error {
  /// What has failed: each kind has its own wait.
  package enum Kind: Equatable {
    case network(HTTPError.Kind)
    /// The response was a refusal.
    case status(HTTPHead)
    /// The response came, but is not what was wanted.
    case content
  }

  /// What to print, or how to end.
  package let failure: ToolFailure
  package let kind: Kind
  /// How many seconds the server asks to wait.
  package var asked: Double?

  /// - Parameter asked: how many seconds the server asks to wait; nil if it does not.
  package init(failure: ToolFailure, kind: Kind, asked: Double? = nil) {
    self.failure = failure
    self.kind = kind
    self.asked = asked
  }

  /// A poll without a response.
  package init(_ error: HTTPError, of url: HTTPURL) {
    self.init(failure: error.failure(url.display), kind: .network(error.kind))
  }

  /// The cause for `RetryPolicy`.
  package var cause: RetryPolicy.Cause {
    if case .status(let head) = kind { .status(head.status) } else { .network }
  }

  /// The status of the response; nil if there was none, or it was not the reason.
  package var status: Int? { if case .status(let head) = kind { head.status } else { nil } }

  /// Whether further polls cannot succeed.
  /// - Parameter hasSucceeded: whether an earlier poll has.
  package func isFinal(hasSucceeded: Bool) -> Bool {
    switch kind {
    case .network(.local), .network(.unanswered): true
    case .network(.permanent): !hasSucceeded
    case .network: false
    case .status(let head): !StatusPolicy().isRetried(head, at: hasSucceeded ? .polled : .first)
    case .content: false
    }
  }

  /// Whether it is about the number of requests, so that it is true of all requests to this server.
  package var isLimit: Bool {
    guard case .status(let head) = kind else { return false }
    return head.status == 429 || (head.status == 403 && StatusPolicy().isRetried(head, at: .first))
  }
}

/// The times of one resource's polls, by the monotonic clock.
package struct PollSchedule: Sendable {
  /// The usual share of the interval, 0 to 1, that is added at random: clients must not all ask at the same moment.
  package static let jitter = 0.1

  /// The time of the next poll.
  package var due: Double
  /// The time of the last one.
  package private(set) var start = 0.0
  private var policy: RetryPolicy
  /// The failure that was last reported, so that it is not repeated at each poll.
  private var reportedContent = ""

  /// - Parameter due: when to poll first, by the monotonic clock.
  package init(due: Double, _ policy: RetryPolicy) {
    self.due = due
    self.policy = policy
  }

  /// A poll begins: the interval counts from here.
  package mutating func begin(at now: Double) { start = now }

  /// Sets the time of the next poll after a response.
  /// - Parameters:
  ///   - head: the head of the response; nil if it is not known.
  ///   - jitter: the share of the interval, 0 to 1, to add.
  package mutating func succeed(_ head: HTTPHead?, every interval: Interval, jitter: Double, now: Double) {
    switch interval {
    case .fixed(let seconds): due = start + seconds * (1 + jitter)
    case .auto: due = now + (head.map { $0.freshness() } ?? interval.seconds) * (1 + jitter)
    }
  }

  /// The next failure counts as the first again.
  package mutating func recover() {
    reportedContent = ""
    policy.succeed()
    policy.recover()
  }

  /// Sets the time of the next poll after a failure.
  /// - Returns: how long to wait, and whether to report it; nil to give up.
  package mutating func fail(_ failure: PollFailure, now: Double) -> (seconds: Double, isReported: Bool)? {
    guard case .wait(let seconds, var isReported) = policy.fail(failure.cause, asked: failure.asked ?? 0) else {
      return nil
    }
    // A wrong response is reported at once, and only once.
    if failure.kind == .content {
      isReported = failure.failure.message != reportedContent
      reportedContent = failure.failure.message
    }
    due = now + seconds
    return (seconds, isReported)
  }

  /// For the end of a message, after giving up.
  package var gaveUp: String { policy.gaveUp }
}

extension RetryPolicy {
  /// The waits after polls that fail.
  /// - Parameters:
  ///   - longest: in seconds; nil for a value that suits the interval.
  package init(polling interval: Interval, longest: Double? = nil, retries: Int = .max) {
    let base = interval.seconds
    self.init(base: base, .spread(longest: longest ?? max(60, 10 * base)), retries: retries)
  }
}

extension HTTPHead {
  /// The shortest and the longest time, in seconds.
  private static let bounds = (5.0, 3600.0)

  /// How long the response may be used without asking again (RFC 9111 §4.2), in seconds.
  ///
  /// From 5 seconds to an hour; a minute if the server says nothing. The shortest time if the server says that the
  /// response is never fresh.
  /// - Parameter now: microseconds since 1970, for a response without `Date`.
  package func freshness(now: Int64 = Clock.now()) -> Double {
    let directives = fields.filter { $0.name == "cache-control" }
      .flatMap { $0.value.split(separator: UInt8(ascii: ",")).map { Array($0.trimmed().lowercased) } }
    // With an argument, `no-cache` is about some fields only (§5.2.2.4).
    let never = ["no-cache", "no-store"].map { Array($0.utf8) }
    if directives.contains(where: never.contains) { return Self.bounds.0 }
    guard let lifetime = Self.maxAge(directives) ?? untilExpiry(now: now) else { return 60 }
    // Of several ages, the first counts (§5.1): that of the cache closest to us.
    let age = fields.first { $0.name == "age" }?.value.split(separator: UInt8(ascii: ",")).first
    let spent = age.flatMap { Self.delta(Array($0.trimmed())) } ?? 0
    return min(max(lifetime - spent, Self.bounds.0), Self.bounds.1)
  }

  private static func maxAge(_ directives: [[UInt8]]) -> Double? {
    let name = Array("max-age=".utf8)
    return directives.first { $0.starts(with: name) }
      .flatMap { delta($0.dropFirst(name.count).filter { $0 != UInt8(ascii: "\"") }) }
  }

  /// `Expires` less `Date`. A value that is no date, such as 0, is a time in the past (§5.3).
  private func untilExpiry(now: Int64) -> Double? {
    guard let expires = fields.first(where: { $0.name == "expires" }) else { return nil }
    let date = value(of: "date").flatMap { HTTPDate.seconds($0, now: now) } ?? Int(now / 1_000_000)
    return Double((HTTPDate.seconds(expires.value, now: now) ?? date) - date)
  }

  /// Seconds; a number too large counts as the largest (RFC 9111 §1.2.2).
  /// - Returns: nil if the text is not a number.
  private static func delta(_ text: [UInt8]) -> Double? {
    guard !text.isEmpty, text.allSatisfy(\.isDigit) else { return nil }
    return Int(decimal: text).map(Double.init) ?? 0x8000_0000
  }
}
