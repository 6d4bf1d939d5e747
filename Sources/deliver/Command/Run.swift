// One run of COMMAND, from start to end: its time limit, and what its status says about the records.

import FeedCore

struct Run {
  private let child: ChildProcess
  private let options: Options
  /// When it is asked to end, by the monotonic clock; nil for never.
  private var deadline: Double?
  /// When it is killed; nil if it has not been asked to end.
  private var killTime: Double?
  private var isKilled = false
  private var isLate = false

  init(_ child: ChildProcess, _ options: Options) {
    self.child = child
    self.options = options
    deadline = options.timeout > 0 ? Clock.monotonic() + options.timeout : nil
  }

  /// Waits for the end.
  /// - Parameter pause: when to return in any case, by the monotonic clock.
  /// - Returns: nil while it runs.
  mutating func wait(_ watch: inout Watch, until pause: Double?) throws(ToolFailure) -> Ended? {
    while true {
      let ending: ChildProcess.Ending?
      do { ending = try child.ending() } catch { throw .waiting(error) }
      if let ending {
        try watch.finishRun()
        return Ended(ending, isLate: isLate, options, watch.lastWords.text)
      }
      let now = Clock.monotonic()
      if let pause, pause <= now { return nil }
      press(watch, now)
      try watch.waitForChild(until: [pause, deadline, killTime].compactMap { $0 }.min())
    }
  }

  /// Ends the run when needed: by SIGTERM when its time is up, later by SIGKILL.
  private mutating func press(_ watch: Watch, _ now: Double) {
    if case .signal? = watch.interruption, killTime == nil, !isKilled {
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
    if let time = killTime, time <= now || watch.isUrged {
      killTime = nil
      isKilled = true
      child.send(SIGKILL)
    }
  }
}

/// How a run ended.
struct Ended: Equatable {
  enum Verdict: Equatable { case taken, refused, notNow, cannotRun }

  let verdict: Verdict
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
