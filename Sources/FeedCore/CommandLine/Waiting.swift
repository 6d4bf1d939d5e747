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
    self.output = output
    self.signals = signals
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
    let left = max(0, min(deadline.map { $0 - Clock.monotonic() } ?? 3600, 3600))
    let ready = try Descriptor.wait(for: all, milliseconds: Int32((left * 1000).rounded(.up)))
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
