// How long to wait before the next attempt.
//
// What the other side asked for (the base) is always waited: an event source must not come back sooner (WHATWG HTML
// §9.2.3). On top of it comes a random part of a span that doubles with each failure, so that the thousand clients of
// a server that went down do not come back in step, and do not come at all often while it is down.

/// The waits of failed attempts in a row.
package struct Backoff: Sendable {
  /// Unless the base is longer, no wait is; in seconds.
  package static let longest = 30.0

  /// The shortest wait, in seconds.
  package var base: Double
  /// Failed attempts since the last success.
  package private(set) var failures = 0
  private let random: @Sendable () -> Double

  /// - Parameter random: numbers from 0 to 1; a test gives its own.
  package init(base: Double, random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }) {
    self.base = base
    self.random = random
  }

  /// Forgets the failures.
  package mutating func succeed() { failures = 0 }

  /// Counts a failure.
  /// - Returns: the wait in seconds: from `base` to `base` doubled once for each failure in a row.
  package mutating func fail() -> Double {
    failures += 1
    var ceiling = max(base, 0.1)
    // 64 doublings are past any cap.
    for _ in 0..<min(failures, 64) { ceiling *= 2 }
    return base + random() * max(0, min(ceiling, Self.longest) - base)
  }
}
