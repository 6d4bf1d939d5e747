// What stands around every tool: options are parsed, the common ones answered, errors printed, and standard output
// is known to have arrived before the exit status says so.

/// The three standard streams of a run; a test gives its own.
package struct StandardStreams: Sendable {
  package var input = Descriptor.standardInput
  package var output = Descriptor.standardOutput
  package var error = Descriptor.standardError
  /// Who speaks on standard error.
  let program: String

  package init(
    program: String, input: Descriptor = .standardInput, output: Descriptor = .standardOutput,
    error: Descriptor = .standardError
  ) {
    self.program = program
    self.input = input
    self.output = output
    self.error = error
  }

  /// Tells somebody at a terminal that the tool waits for what is typed.
  func announceTerminalInput() {
    guard input.isTerminal, error.isTerminal else { return }
    error.write(Array("\(program): reading standard input\n".utf8).span)
  }

  /// Prints a message that does not end the tool.
  package func say(_ diagnostic: Diagnostic) {
    error.write(diagnostic.rendered(by: program, withExcerpt: error.isTerminal).span)
  }

  /// Prints what ends the tool.
  func say(_ failure: ToolFailure) {
    error.write(failure.rendered(by: program, withExcerpt: error.isTerminal).span)
  }
}

extension ToolSpec {
  /// Runs a tool as the whole process.
  /// - Parameter run: the tool itself; what it throws is printed and gives the exit status.
  package func main(_ run: (Invocation, StandardStreams) throws(ToolFailure) -> ExitStatus) -> Never {
    Process.restoreEnvironment()
    Descriptor.openMissingStandardStreams()
    Signals.ignoreFileSizeLimit()
    let streams = StandardStreams(program: name)
    do throws(ToolFailure) {
      let status = try answer(Process.arguments, streams, run)
      // A disk that fills up may say so only now.
      do { try streams.output.close() } catch { throw .output(error) }
      Process.exit(status.rawValue)
    } catch {
      if error == .brokenPipe { Signals.dieOfBrokenPipe() }
      streams.say(error)
      Process.exit(error.status.rawValue)
    }
  }

  func answer(
    _ arguments: [[UInt8]], _ streams: StandardStreams,
    _ run: (Invocation, StandardStreams) throws(ToolFailure) -> ExitStatus
  ) throws(ToolFailure) -> ExitStatus {
    let invocation = try parse(arguments)
    guard let (option, value) = try invocation.options(CommonOption.self).first else {
      try invocation.checkRelations()
      return try run(invocation, streams)
    }
    let text =
      switch option {
      case .help: Help.text(of: self)
      case .version: "\(name) (feedutils) \(Self.version)\n"
      case .completion: Completion.script(for: try value.get(), of: self)
      }
    if let error = streams.output.write(Array(text.utf8).span).error { throw .output(error) }
    return .yes
  }
}
