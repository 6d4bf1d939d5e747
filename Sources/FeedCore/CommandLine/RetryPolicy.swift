// How long to wait before the next attempt, when to give up, and which failures are reported. There are two ways for the
// waits to grow.
//
// `.spread`, for requests that many clients repeat: each wait is at least the base, which the server may have set,
// because an event source must not reconnect sooner (WHATWG HTML §9.2.3). A random part of a span is added to the base;
// the span doubles with each failure. So the thousand clients of a server that went down do not reconnect all at once,
// and seldom try while it is down (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
//
// `.stream`, for an endless body, where each moment is lost: at once, then 250 ms more each time. If the server refuses:
// from 5 s on (60 s for 420 and 429), doubled each time. This is the rule of X's streams, and before it Twitter's
// (https://docs.x.com/x-api/fundamentals/handling-disconnections).

/// The waits between attempts that fail.
package struct RetryPolicy: Sendable {
  /// What to do after a failure.
  package enum Decision: Equatable, Sendable {
    /// - Parameter isReported: whether to report it without -v too.
    case wait(seconds: Double, isReported: Bool)
    case giveUp
  }

  /// How the waits grow.
  package enum Growth: Equatable, Sendable {
    /// - Parameter longest: the longest wait, in seconds, unless the base is longer.
    case spread(longest: Double)
    case stream
  }

  /// What has failed: a refusal may ask for another wait than a broken connection.
  package enum Cause: Equatable, Sendable {
    case network
    /// The status of a response.
    case status(Int)
  }

  /// In seconds. A longer wait is always reported, since otherwise the tool would seem dead.
  package static let longWait = 3600.0

  /// The shortest wait, in seconds.
  package var base: Double
  private let growth: Growth
  /// The number of attempts that may follow a failed one.
  private let retries: Int
  private let random: @Sendable () -> Double
  /// Failed attempts since the last success.
  package private(set) var attempts = 0
  /// The number of times that the wait has grown; for `.stream`, only for the cause of the last failure.
  private var steps = 0
  private var wasRefused = false
  /// Failures since the last `recover`. A single one is not reported: it happens every day.
  private var failuresInARow = 0

  /// - Parameter random: numbers from 0 to 1; a test gives its own.
  package init(
    base: Double, _ growth: Growth, retries: Int = .max,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    (self.base, self.growth, self.retries, self.random) = (base, growth, retries, random)
  }

  /// An attempt has succeeded.
  package mutating func succeed() {
    attempts = 0
    steps = 0
  }

  /// The expected data has come: the next failure counts as the first again.
  package mutating func recover() { failuresInARow = 0 }

  /// An attempt has failed.
  /// - Parameter asked: the wait that the server asks for, in seconds.
  package mutating func fail(_ cause: Cause = .network, asked: Double = 0) -> Decision {
    attempts += 1
    return attempts > retries ? .giveUp : pause(cause, asked: asked)
  }

  /// An open connection has broken. The next attempt waits as after a failure, but no attempt is counted as failed.
  package mutating func lose() -> Decision { pause(.network, asked: 0) }

  private mutating func pause(_ cause: Cause, asked: Double) -> Decision {
    failuresInARow += 1
    let seconds =
      switch growth {
      case .spread(let longest): spreadWait(longest)
      case .stream: streamWait(cause)
      }
    let longer = max(asked, seconds)
    return .wait(seconds: longer, isReported: failuresInARow > 1 || longer > Self.longWait)
  }

  /// A random wait: at least `base`, and at most `base` doubled once for each failure.
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

  /// - Parameter times: 64 doublings exceed any bound.
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

/// Seconds for a message, with at most one decimal.
package func secondsText(_ seconds: Double) -> String {
  let tenths = Int((min(seconds, 1e12) * 10).rounded())
  return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
}
