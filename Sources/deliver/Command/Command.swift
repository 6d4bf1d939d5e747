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
    ChildProcess.adoptOrphans()
  }

  /// What a run gets besides its input.
  struct Facts {
    let count: Int
    /// How many times COMMAND has been given these records, including this time.
    let attempt: Int
    let firstID: [UInt8]
    let lastID: [UInt8]
  }

  /// Starts COMMAND.
  /// - Throws: why it cannot run; see `ended`.
  func start(
    _ input: ChildInput, _ facts: Facts, errors: Descriptor
  ) throws(SystemError) -> ChildProcess {
    try ChildProcess(
      arguments,
      variables: [
        ("FEED_COUNT", Array("\(facts.count)".utf8)), ("FEED_ATTEMPT", Array("\(facts.attempt)".utf8)),
        ("FEED_FIRST_ID", Self.variable(facts.firstID)), ("FEED_LAST_ID", Self.variable(facts.lastID)),
      ],
      input: input, output: streams.output, error: errors)
  }

  /// The ending of a run that could not be started.
  func ended(_ error: SystemError) -> Ended { Ended(error, arguments[0]) }

  func report(_ text: String) { streams.say(Diagnostic(text, source: name)) }

  private static func variable(_ id: [UInt8]) -> [UInt8]? {
    id.isEmpty || id.count > longestVariable || id.contains(0) ? nil : id
  }
}
