// Waiting, and the events that end a tool while it waits.

/// Why a tool has to end, whatever it waits for.
package enum Interruption: Equatable, Sendable {
  /// Nobody reads standard output any more.
  case hangUp
  /// SIGHUP, SIGINT or SIGTERM has come.
  case signal(Int32)
}

/// Where interruptions come from.
package struct Interrupts: Sendable {
  package let output: Descriptor
  /// Delivers the numbers of signals as bytes (`Signals.caught`); nil if signals have their default action.
  package let signals: Descriptor?

  package init(_ output: Descriptor, signals: Descriptor? = nil) {
    (self.output, self.signals) = (output, signals)
  }

  /// Waits until one of `interests` is ready, an interruption comes, or a time of the monotonic clock is reached.
  /// - Parameter deadline: nil for ever; in the past to return at once.
  /// - Returns: which of `interests` are ready. After an hour it returns even if nothing has happened.
  package func wait(
    for interests: [Descriptor.Interest] = [], until deadline: Double?
  ) throws(SystemError) -> (ready: [Bool], interruption: Interruption?) {
    var all = interests
    all.append(.init(output, .hangUp))
    if let signals { all.append(.init(signals, .input)) }
    let ready = try Descriptor.wait(for: all, milliseconds: Clock.milliseconds(until: deadline))
    let count = interests.count
    // A signal comes before a hang-up: the tool must die of it.
    let signal = signals != nil && ready[count + 1] ? try takeSignal() : nil
    return (Array(ready[..<count]), signal ?? (ready[count] ? .hangUp : nil))
  }

  /// Takes the signal that has come, if one has.
  package func takeSignal() throws(SystemError) -> Interruption? {
    var number: [UInt8] = []
    guard let signals, try signals.read(upTo: 1, into: &number) == 1 else { return nil }
    return .signal(Int32(number[0]))
  }

  /// Waits until a time of the monotonic clock.
  /// - Returns: the interruption that ended the wait, if any.
  package func sleep(until deadline: Double) throws(ToolFailure) -> Interruption? {
    while deadline > Clock.monotonic() {
      do { if let interruption = try wait(until: deadline).interruption { return interruption } } catch {
        throw .waiting(error)
      }
    }
    return nil
  }
}

/// Waits for input, or until nobody reads `output`.
/// - Parameters:
///   - deadline: of the monotonic clock; nil for ever.
///   - flush: writes out what was printed; called only when there is nothing to read yet.
/// - Returns: false if the time is up.
/// - Throws: a broken pipe if nobody reads, so that a filter ends when its reader has gone.
@discardableResult
package func waitForInput(
  of input: Descriptor, orHangUpOf output: Descriptor, until deadline: Double? = nil,
  beforeWaiting flush: () throws(ToolFailure) -> Void
) throws(ToolFailure) -> Bool {
  do { if try input.hasInput { return true } } catch { throw .waiting(error) }
  try flush()
  let (interrupts, interests) = (Interrupts(output), [Descriptor.Interest(input, .input)])
  while deadline ?? .infinity > Clock.monotonic() {
    let found: (ready: [Bool], interruption: Interruption?)
    do { found = try interrupts.wait(for: interests, until: deadline) } catch { throw .waiting(error) }
    if found.ready[0] { return true }
    if found.interruption != nil { throw .brokenPipe }
  }
  return false
}

/// A wait for something that was asked for: an answer, a message, an event that can be used, a lock.
///
/// What does not come is named once, after ten seconds: nobody should have to guess why nothing comes. feedutils(7)
/// says what each tool may wait for. This type has the time; the tool has the words.
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
