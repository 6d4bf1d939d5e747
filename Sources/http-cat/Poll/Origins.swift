// Which servers may be asked now. Each has one connection at a time, and is not asked for several resources at once.

/// The origins (RFC 6454) of what is polled.
struct Origins {
  /// Between two resources of one origin, in seconds.
  private static let pause = 1.0

  private var busy: Set<String> = []
  private var moments: [String: Double] = [:]

  func isBusy(_ origin: String) -> Bool { busy.contains(origin) }

  /// When it may be asked, by the monotonic clock.
  func notBefore(_ origin: String) -> Double { moments[origin] ?? 0 }

  /// A request has begun.
  /// - Parameter pausing: whether the next one to the same origin waits a second.
  mutating func begin(_ origin: String, _ now: Double, pausing: Bool) {
    busy.insert(origin)
    if pausing { hold(origin, until: now + Self.pause) }
  }

  mutating func end(_ origin: String) { busy.remove(origin) }

  /// The server wants no request before this moment.
  mutating func hold(_ origin: String, until moment: Double) {
    moments[origin] = max(moment, moments[origin] ?? 0)
  }
}
