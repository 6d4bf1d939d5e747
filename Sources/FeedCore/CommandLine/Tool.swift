// The frame of every tool: parses the options, answers the common ones, prints errors, and makes sure that standard
// output has arrived before the exit status says so.

/// The three standard streams of a run; a test gives its own.
package struct StandardStreams: Sendable {
  package var input = Descriptor.standardInput
  package var output = Descriptor.standardOutput
  package var error = Descriptor.standardError
  /// How long a tool waits before it names what does not come, in seconds. A test sets its own.
  package var patience = SilentWait.patience
  /// The name that begins each message on standard error.
  let program: String

  package init(
    program: String, input: Descriptor = .standardInput, output: Descriptor = .standardOutput,
    error: Descriptor = .standardError
  ) {
    (self.program, self.input, self.output, self.error) = (program, input, output, error)
  }

  /// Says to a user at a terminal that the tool waits for typed input.
  func announceTerminalInput() {
    guard input.isTerminal, error.isTerminal else { return }
    say(Diagnostic("reading standard input"))
  }

  /// Whether a status line can be shown: standard output is a file. If it is a pipe, its reader may write to the same
  /// terminal, into the middle of the line.
  package var showsStatus: Bool { output.fileSize != nil && error.takesControlSequences }

  /// Shows a status line in place of the one before.
  package func show(status: String) { StatusLine.draw("\(program): \(status)", on: error) }

  /// Prints a message that does not end the tool.
  package func say(_ diagnostic: Diagnostic) {
    StatusLine.erase()
    error.write(diagnostic.rendered(by: program, style).span)
  }

  /// Prints the message that ends the tool.
  func say(_ failure: ToolFailure) {
    StatusLine.erase()
    error.write(failure.rendered(by: program, style).span)
  }

  private var style: Diagnostic.Style { error.wantsColor ? .colored : error.isTerminal ? .excerpt : .plain }
}

extension ToolSpec {
  /// The tool itself. What it throws is printed and sets the exit status.
  package typealias Run = @Sendable (Invocation, StandardStreams) throws(ToolFailure) -> ExitStatus

  /// Runs a tool as the whole process.
  package func main(_ tool: Run) -> Never {
    Process.restoreEnvironment()
    Descriptor.openMissingStandardStreams()
    Signals.ignoreFileSizeLimit()
    guard let status = run(Process.arguments, StandardStreams(program: name), tool) else { Signals.dieOfBrokenPipe() }
    Process.exit(status.rawValue)
  }

  /// Runs a tool on the given streams, as a test does within its own process.
  /// - Returns: the exit status; nil if nobody reads the output any more, which ends a process by a signal.
  package func run(_ arguments: [[UInt8]], _ streams: StandardStreams, _ tool: Run) -> ExitStatus? {
    defer { StatusLine.erase() }
    do throws(ToolFailure) {
      let status = try answer(arguments, streams, tool)
      // A full disk may cause an error only now.
      do { try streams.output.close() } catch { throw .output(error) }
      return status
    } catch {
      if error == .brokenPipe { return nil }
      streams.say(error)
      return error.status
    }
  }

  private func answer(
    _ arguments: [[UInt8]], _ streams: StandardStreams, _ tool: Run
  ) throws(ToolFailure) -> ExitStatus {
    let invocation = try parse(arguments)
    var common = CommonOptions()
    try invocation.fill(&common)
    let text: String
    if common.wantsHelp {
      text = help
    } else if common.wantsVersion {
      text = "\(name) (feedutils) \(Self.version)\n"
    } else if let shell = common.completion {
      text = shell.completion(of: self)
    } else {
      let whole = try withOptionFiles(invocation, streams)
      try checkRelations(whole)
      return try tool(whole, streams)
    }
    if let error = streams.output.write(Array(text.utf8).span).error { throw .output(error) }
    return .yes
  }
}
