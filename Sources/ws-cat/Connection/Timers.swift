// What happens at its time on an open connection: pings, answers that are missed, texts that are sent again and again, a
// silence that is too long.

import FeedCore
import FeedHTTP

struct Timers {
  enum Event: Equatable {
    case ping
    /// The text of this place in the options.
    case text(Int)
    case lost(HTTPError)
  }

  private let options: Options
  private var nextPing: Double?
  /// When the ping was sent that nothing has answered.
  private var unanswered: Double?
  private var nextTexts: [Double] = []

  init(_ options: Options) { self.options = options }

  /// The connection is open.
  mutating func open(_ now: Double) { nextPing = options.pingInterval.map { now + $0 } }

  /// The first messages went out.
  mutating func ready(_ now: Double) { nextTexts = options.repeated.map { now + $0.interval } }

  /// Something has come. Whatever it is, the server is alive: a pong may have to wait for a long message to end.
  mutating func live() { unanswered = nil }

  /// When to look again.
  func next(_ lastActivity: Double) -> Double? {
    let idle = options.connection.idleTimeout.map { lastActivity + $0 }
    return ([nextPing, unanswered.map { $0 + pingTimeout }, idle].compactMap(\.self) + nextTexts).min()
  }

  /// What is due; to be asked until it is nil.
  mutating func due(_ now: Double, _ lastActivity: Double) -> Event? {
    if let timeout = options.connection.idleTimeout, now >= lastActivity + timeout {
      return .lost(HTTPError(.timedOut, "nothing received for \(secondsText(timeout)) s"))
    }
    if let unanswered, now >= unanswered + pingTimeout {
      return .lost(HTTPError(.timedOut, "no answer to a ping for \(secondsText(pingTimeout)) s"))
    }
    if let moment = nextPing, let interval = options.pingInterval, now >= moment {
      nextPing = now + interval
      if unanswered == nil { unanswered = now }
      return .ping
    }
    for (place, moment) in nextTexts.enumerated() where now >= moment {
      // In step with the first one, but without making up for what was missed while the output was stuck.
      let interval = options.repeated[place].interval
      nextTexts[place] = now - moment < interval ? moment + interval : now + interval
      return .text(place)
    }
    return nil
  }

  private var pingTimeout: Double { options.pingTimeout ?? options.pingInterval ?? 0 }
}
