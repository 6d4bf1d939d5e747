import FeedCore

/// One run of COMMAND, from start to end: its time limit, and what its status says about the records. If it has not taken
/// them, it ends only with the last process that it has started: what still writes must not meet the next try.
struct Run {
  private let options: Options
  private let command: Command
  private var child: ChildProcess
  /// How COMMAND itself ended; nil while it runs.
  private var ended: Ended?
  /// When it is asked to end, by the monotonic clock; nil for never.
  private var deadline: Double?
  /// When it is killed; nil if it has not been asked to end.
  private var killTime: Double?
  /// When nobody waits for it any more; nil if it has not been killed.
  private var lastTime: Double?
  private var isLate = false
  /// When to name what still runs after the end of COMMAND; nil for never.
  private var reportTime: Double?

  init(_ child: ChildProcess, of command: Command, _ options: Options) {
    (self.child, self.command, self.options) = (child, command, options)
    deadline = options.timeout > 0 ? Clock.monotonic() + options.timeout : nil
  }

  /// Waits for the end.
  /// - Parameter pause: when to return in any case, by the monotonic clock.
  /// - Returns: nil while it runs.
  /// - Throws: status 4 if it cannot be ended; it keeps the lock.
  mutating func wait(_ watch: inout Watch, until pause: Double?) throws(ToolFailure) -> Ended? {
    while true {
      do { try child.update() } catch { throw .waiting(error) }
      if ended == nil, let ending = child.ending { try end(&watch, ending) }
      if let ended, ended.outcome == .taken || child.running.isEmpty { return ended }
      let now = Clock.monotonic()
      if let pause, pause <= now { return nil }
      try escalate(watch, now)
      try watch.waitForChild(until: [pause, deadline, killTime, lastTime, reportTime].compactMap { $0 }.min())
    }
  }

  /// COMMAND itself has ended.
  private mutating func end(_ watch: inout Watch, _ ending: ChildProcess.Ending) throws(ToolFailure) {
    try watch.finishRun()
    ended = Ended(ending, isLate: isLate, options, watch.lastWords.text)
    guard killTime == nil, lastTime == nil else { return }
    let now = Clock.monotonic()
    deadline = now + options.grace
    if !options.isSilent { reportTime = now + min(options.grace, SilentWait.patience) }
  }

  /// Ends the run when needed: by SIGTERM when its time is up, later by SIGKILL.
  private mutating func escalate(_ watch: Watch, _ now: Double) throws(ToolFailure) {
    if let time = reportTime, time <= now {
      reportTime = nil
      command.report("\(ended?.text ?? ""); still running (--grace): \(names)")
    }
    if case .signal? = watch.interruption, killTime == nil, lastTime == nil {
      // It may still finish: records that it takes are not sent again.
      deadline = nil
      killTime = now + options.grace
    }
    if let time = deadline, time <= now {
      deadline = nil
      killTime = now + options.grace
      isLate = true
      child.send(SIGTERM)
    }
    if let time = killTime, time <= now || watch.hasSecondSignal {
      killTime = nil
      lastTime = now + max(options.grace, Self.leastDeath)
    }
    guard let time = lastTime else { return }
    if time <= now { throw .failed(.tryAgain, "cannot be ended: \(names)", source: command.name) }
    // Again and again, because it may start others.
    child.send(SIGKILL)
  }

  /// How long a process may take to die of SIGKILL, at least, in seconds.
  private static let leastDeath = 10.0

  /// What runs: `1234 (sh), 1235 (sleep)`.
  private var names: String {
    child.running.map { "\($0.identifier)" + ($0.name.isEmpty ? "" : " (\(quoted($0.name)))") }.joined(separator: ", ")
  }
}
