import FeedCore

/// COMMAND, run once for each try of a batch or of a part of it.
///
/// Its standard input is a nameless file that contains the whole part, not a pipe that must be filled. So if deliver is
/// killed, COMMAND still gets every record whole, and neither waits for the other.
struct Command {
  /// Its name in messages.
  let name: String
  private let arguments: [[UInt8]]
  private let streams: StandardStreams

  /// Longer ids are not passed as a variable: all variables and arguments together have a limit (execve(2)).
  private static let longestVariable = 4096

  init(_ arguments: [[UInt8]], _ streams: StandardStreams) {
    self.arguments = arguments
    self.streams = streams
    name = quoted(arguments[0])
    RunningProcess.adoptOrphans()
  }

  /// Starts COMMAND.
  /// - Parameters:
  ///   - count: the number of records in the input.
  ///   - ids: of the first and the last one; empty for a record without one.
  ///   - attempt: how many times COMMAND has been given these records, including this time.
  /// - Throws: why it cannot run.
  func start(
    _ input: ChildInput, _ count: Int, ids: (first: [UInt8], last: [UInt8]), attempt: Int, errors: Descriptor
  ) throws(SystemError) -> ChildProcess {
    try ChildProcess(
      arguments,
      variables: [
        ("FEED_COUNT", Array("\(count)".utf8)), ("FEED_ATTEMPT", Array("\(attempt)".utf8)),
        ("FEED_FIRST_ID", Self.variable(ids.first)), ("FEED_LAST_ID", Self.variable(ids.last)),
      ],
      input: input, output: streams.output, error: errors)
  }

  func report(_ text: String) { streams.say(Diagnostic(text, source: name)) }

  private static func variable(_ id: [UInt8]) -> [UInt8]? {
    id.isEmpty || id.count > longestVariable || id.contains(0) ? nil : id
  }
}

/// How a run ended.
struct Ended: Equatable {
  /// What COMMAND did with the records.
  enum Outcome { case taken, refused, notNow, cannotRun }

  let outcome: Outcome
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
      (outcome, status) = (.notNow, 124)
    case .exited(let number):
      status = number
      outcome =
        switch number {
        case 0: .taken
        case 126, 127: .cannotRun
        default: options.refused.contains(number) ? .refused : .notNow
        }
    case .killed(let number):
      (outcome, status) = (.notNow, 128 + number)
    }
    text = isLate ? "no end within \(secondsText(options.timeout)) s (--timeout)" : ending.words
  }

  /// The ending of a COMMAND that could not be started.
  init(_ error: SystemError, _ program: [UInt8]) {
    outcome = error.isUnusableProgram ? .cannotRun : .notNow
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
