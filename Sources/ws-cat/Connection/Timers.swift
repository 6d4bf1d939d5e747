import FeedCore
import FeedHTTP

/// Timed events of an open connection: pings, missing responses, repeated texts, and the idle timeout.
struct Timers {
  enum TimedEvent: Equatable {
    case ping
    /// The text at this index in the options.
    case text(Int)
    case lost(HTTPError)
  }

  private let options: Options
  private var nextPing: Double?
  /// When the unanswered ping was sent.
  private var unanswered: Double?
  private var nextTexts: [Double] = []

  init(_ options: Options) { self.options = options }

  /// Starts the timers of an open connection.
  mutating func open(_ now: Double) { nextPing = options.pingInterval.map { now + $0 } }

  /// Starts the timers of the repeated texts, after the talk.
  mutating func ready(_ now: Double) { nextTexts = options.repeated.map { now + $0.interval } }

  /// Records that data has come. Any data shows that the server is alive: a pong may have to wait for a long message to
  /// end.
  mutating func live() { unanswered = nil }

  /// The time of the next event.
  func next(_ lastActivity: Double) -> Double? {
    let idle = options.connection.idleTimeout.map { lastActivity + $0 }
    return ([nextPing, unanswered.map { $0 + pingInterval }, idle].compactMap(\.self) + nextTexts).min()
  }

  /// The next event that is due. Call this until it returns nil.
  mutating func due(_ now: Double, _ lastActivity: Double) -> TimedEvent? {
    if let timeout = options.connection.idleTimeout, now >= lastActivity + timeout {
      return .lost(.idle(timeout, isOpen: true))
    }
    if let unanswered, now >= unanswered + pingInterval {
      return .lost(HTTPError(.timedOut, "no response to a ping for \(secondsText(pingInterval)) s"))
    }
    if let moment = nextPing, let interval = options.pingInterval, now >= moment {
      nextPing = now + interval
      if unanswered == nil { unanswered = now }
      return .ping
    }
    for (place, moment) in nextTexts.enumerated() where now >= moment {
      // Keeps the rhythm of the first one, but does not catch up on texts missed while the output was blocked.
      let interval = options.repeated[place].interval
      nextTexts[place] = now - moment < interval ? moment + interval : now + interval
      return .text(place)
    }
    return nil
  }

  private var pingInterval: Double { options.pingInterval ?? 0 }
}
