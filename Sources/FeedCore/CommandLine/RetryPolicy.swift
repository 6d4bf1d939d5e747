// How long to wait before the next attempt, when to give up, and which failures are told. There are two ways for the waits
// to grow.
//
// `.spread`, for what many clients ask again and again: each wait is at least the base, which the server may have set: an
// event source must not reconnect sooner (WHATWG HTML §9.2.3). To the base is added a random part of a span that doubles
// with each failure. So the thousand clients of a server that went down do not reconnect all at once, and seldom try while
// it is down (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
//
// `.stream`, for an endless body, where each moment is lost: at once, then 250 ms more each time; but what a server
// refuses, from 5 s on, doubled. This is the rule of X's streams, and before it Twitter's
// (https://docs.x.com/x-api/fundamentals/handling-disconnections).

/// The waits between attempts that fail.
package struct RetryPolicy: Sendable {
  package enum Verdict: Equatable, Sendable {
    /// - Parameter isTold: whether it is told without -v too.
    case wait(seconds: Double, isTold: Bool)
    case giveUp
  }

  package enum Growth: Equatable, Sendable {
    /// - Parameter longest: the longest wait, in seconds, unless the base is longer.
    case spread(longest: Double)
    case stream
  }

  package enum Cause: Equatable, Sendable {
    case network
    /// The status of an answer.
    case status(Int)
  }

  /// In seconds. A longer wait is always told: nobody may be looking at what seems to be dead.
  package static let longWait = 3600.0

  /// The shortest wait, in seconds.
  package var base: Double
  private let growth: Growth
  /// How many attempts may follow one that failed.
  private let retries: Int
  private let random: @Sendable () -> Double
  /// Failed attempts since the last success.
  package private(set) var attempts = 0
  /// How often the wait has grown; for `.stream` by the cause of the last failure alone.
  private var steps = 0
  private var wasRefused = false
  /// Failures since the last `recover`. A single one is not told: it happens every day.
  private var failuresInARow = 0

  /// - Parameter random: numbers from 0 to 1; a test gives its own.
  package init(
    base: Double, _ growth: Growth, retries: Int = .max,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    self.base = base
    self.growth = growth
    self.retries = retries
    self.random = random
  }

  /// An attempt has succeeded.
  package mutating func succeed() {
    attempts = 0
    steps = 0
  }

  /// What was wanted has come: the next failure is a first one again.
  package mutating func recover() { failuresInARow = 0 }

  /// An attempt has failed.
  /// - Parameter asked: the seconds that the server asks to wait.
  package mutating func fail(_ cause: Cause = .network, asked: Double = 0) -> Verdict {
    attempts += 1
    return attempts > retries ? .giveUp : pause(cause, asked: asked)
  }

  /// An open connection has broken. The next attempt waits as after a failure, but none is counted as failed.
  package mutating func lose() -> Verdict { pause(.network, asked: 0) }

  private mutating func pause(_ cause: Cause, asked: Double) -> Verdict {
    failuresInARow += 1
    let seconds =
      switch growth {
      case .spread(let longest): spreadWait(longest)
      case .stream: streamWait(cause)
      }
    let longer = max(asked, seconds)
    return .wait(seconds: longer, isTold: failuresInARow > 1 || longer > Self.longWait)
  }

  /// From `base` to `base` doubled once for each failure.
  private mutating func spreadWait(_ longest: Double) -> Double {
    steps += 1
    return base + random() * max(0, min(Self.doubled(max(base, 0.1), steps), longest) - base)
  }

  private mutating func streamWait(_ cause: Cause) -> Double {
    let isRefused = cause != .network
    if isRefused != wasRefused { steps = 0 }
    wasRefused = isRefused
    defer { steps += 1 }
    guard case .status(let status) = cause else { return min(0.25 * Double(steps), 16) }
    return min(Self.doubled(status == 420 || status == 429 ? 60 : 5, steps), 320)
  }

  /// - Parameter times: 64 doublings are past any bound.
  private static func doubled(_ seconds: Double, _ times: Int) -> Double {
    (0..<min(times, 64)).reduce(seconds) { doubled, _ in doubled * 2 }
  }

  /// For the end of a message, after `giveUp`.
  package var gaveUp: String { attempts == 1 ? "" : "; gave up after \(attempts) attempts" }

  /// For the end of a message: `; retrying in 3 s`.
  package static func words(_ verb: String, in seconds: Double) -> String {
    "; \(verb) " + (seconds == 0 ? "at once" : "in \(secondsText(max(seconds, 0.1))) s")
  }
}

/// Seconds for a message: one decimal at the most.
package func secondsText(_ seconds: Double) -> String {
  let tenths = Int((min(seconds, 1e12) * 10).rounded())
  return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
}
