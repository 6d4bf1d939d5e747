// How long to wait before the next attempt, when to give up, and which failures are told.
//
// Each wait is at least the base, which the server may have set: an event source must not reconnect sooner (WHATWG HTML
// §9.2.3). To the base is added a random part of a span that doubles with each failure. So the thousand clients of a
// server that went down do not reconnect all at once, and seldom try while it is down
// (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).

import FeedCore

/// The waits between attempts that fail.
package struct RetryPolicy: Sendable {
  package enum Verdict: Equatable, Sendable {
    /// - Parameter isTold: whether it is told without -v too.
    case wait(seconds: Double, isTold: Bool)
    case giveUp
  }

  /// In seconds. A longer wait is always told: nobody may be looking at what seems to be dead.
  package static let longWait = 3600.0

  /// The shortest wait, in seconds.
  package var base: Double
  /// The longest wait, in seconds, unless the base is longer.
  private let longest: Double
  /// How many attempts may follow one that failed.
  private let retries: Int
  private let random: @Sendable () -> Double
  /// Failed attempts since the last success.
  package private(set) var attempts = 0
  /// How often the span has doubled.
  private var doublings = 0
  /// Failures since the last `recover`. A single one is not told: it happens every day.
  private var failuresInARow = 0

  /// - Parameter random: numbers from 0 to 1; a test gives its own.
  package init(
    base: Double, longest: Double, retries: Int = .max,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    self.base = base
    self.longest = longest
    self.retries = retries
    self.random = random
  }

  /// An attempt has succeeded.
  package mutating func succeed() {
    attempts = 0
    doublings = 0
  }

  /// What was wanted has come: the next failure is a first one again.
  package mutating func recover() { failuresInARow = 0 }

  /// An attempt has failed.
  /// - Parameter asked: the seconds that the server asks to wait.
  package mutating func fail(asked: Double = 0) -> Verdict {
    attempts += 1
    return attempts > retries ? .giveUp : pause(asked: asked)
  }

  /// An open connection has broken. The next attempt waits as after a failure, but none is counted as failed.
  package mutating func lose() -> Verdict { pause(asked: 0) }

  /// From `base` to `base` doubled once for each failure, or what the server asks for where that is more.
  private mutating func pause(asked: Double) -> Verdict {
    doublings += 1
    failuresInARow += 1
    var ceiling = max(base, 0.1)
    // 64 doublings are past any cap.
    for _ in 0..<min(doublings, 64) { ceiling *= 2 }
    let seconds = max(asked, base + random() * max(0, min(ceiling, longest) - base))
    return .wait(seconds: seconds, isTold: failuresInARow > 1 || seconds > Self.longWait)
  }

  /// For the end of a message, after `giveUp`.
  package var gaveUp: String { attempts == 1 ? "" : "; gave up after \(attempts) attempts" }

  /// For the end of a message: `; retrying in 3 s`.
  package static func words(_ verb: String, in seconds: Double) -> String {
    "; \(verb) " + (seconds == 0 ? "at once" : "in \(secondsText(max(seconds, 0.1))) s")
  }
}
