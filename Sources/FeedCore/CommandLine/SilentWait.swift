// What a tool has asked for and does not get is named once, after ten seconds: nobody should have to guess why nothing
// comes. feedutils(7) says what each tool may wait for. This type has the time; the tool has the words.

/// A wait for something that was asked for: an answer, a message, an event that can be used, a lock.
package struct SilentWait: Sendable {
  /// How long a wait may last before it is named, in seconds.
  package static let patience = 10.0

  /// A wait that has lasted too long.
  package struct Report: Equatable, Sendable {
    /// How long it has lasted, in seconds.
    package let seconds: Double
    /// Whether the wait before it came to its end in time. If not, only `-v` reports this one too.
    package let isFirst: Bool

    /// `no answer yet, after 10 s`.
    package func words(_ what: String) -> String { "\(what) yet, after \(secondsText(seconds)) s" }
  }

  /// In seconds.
  private var patience = Self.patience
  private var isWaiting = false
  private var wasReported = false
  /// When to report, by the monotonic clock; nil if nothing is awaited, or if that has been reported.
  package private(set) var dueTime: Double?

  package init() {}

  /// Begins to wait, if it does not wait already.
  /// - Parameters:
  ///   - streams: those of the tool, which know how long a wait may last.
  ///   - now: by the monotonic clock.
  package mutating func begin(_ streams: StandardStreams, _ now: Double = Clock.monotonic()) {
    guard !isWaiting else { return }
    isWaiting = true
    patience = streams.patience
    dueTime = now + patience
  }

  /// It has come, or nobody waits for it any more.
  package mutating func end() {
    if dueTime != nil { wasReported = false }
    isWaiting = false
    dueTime = nil
  }

  /// What to report now; nil if there is nothing to report. Each wait is reported once.
  /// - Parameter now: by the monotonic clock.
  package mutating func report(_ now: Double = Clock.monotonic()) -> Report? {
    guard let due = dueTime, now >= due else { return nil }
    dueTime = nil
    defer { wasReported = true }
    return Report(seconds: patience, isFirst: !wasReported)
  }
}
