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
    self.child = child
    self.command = command
    self.options = options
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
      if let ended, ended.verdict == .taken || child.running.isEmpty { return ended }
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

/// How a run ended.
struct Ended: Equatable {
  enum TakenPart: Equatable { case taken, refused, notNow, cannotRun }

  let verdict: TakenPart
  /// As in a shell: 128 plus the signal that killed the program; 124 if its time was up.
  let status: Int32
  /// In words.
  let text: String
  /// The last line of standard error.
  let lastWords: [UInt8]

  init(_ ending: ChildProcess.Ending, isLate: Bool, _ options: Options, _ lastWords: [UInt8]) {
    self.lastWords = lastWords
    switch ending {
    case _ where isLate:
      (verdict, status) = (.notNow, 124)
      text = "no end within \(secondsText(options.timeout)) s (--timeout)"
    case .exited(let number):
      status = number
      verdict =
        switch number {
        case 0: .taken
        case 126, 127: .cannotRun
        default: options.refused.contains(number) ? .refused : .notNow
        }
      text = "exit status \(number)"
    case .killed(let number):
      (verdict, status) = (.notNow, 128 + number)
      text = "killed by signal \(number)"
    }
  }

  /// The ending of a COMMAND that could not be started.
  init(_ error: SystemError, _ program: [UInt8]) {
    verdict = error.isUnusableProgram ? .cannotRun : .notNow
    status = error.isMissingFile ? 127 : 126
    text = error.message + Self.hint(error, program)
    lastWords = []
  }

  /// Advice for errors that the system's own words do not explain.
  private static func hint(_ error: SystemError, _ program: [UInt8]) -> String {
    if error.isNoProgram { return " (a script begins with a line such as '#!/bin/sh')" }
    guard error.isMissingFile else { return "" }
    if Descriptor.realPath(program) != nil {
      let isPath = program.contains(UInt8(ascii: "/"))
      return isPath ? ": the program that its '#!' line names" : "; did you mean './\(quoted(program))'?"
    }
    return program.contains(UInt8(ascii: " ")) ? " (for a shell command: sh -c)" : ""
  }

  /// The text for messages.
  var words: String { text + (lastWords.isEmpty ? "" : ": " + shortened(lastWords)) }
}
