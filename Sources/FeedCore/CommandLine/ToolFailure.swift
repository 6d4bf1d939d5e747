/// Why a tool fails.
package enum ToolFailure: Error, Equatable, Sendable {
  /// Nobody reads standard output any more. There is no message: `Tool` ends by SIGPIPE.
  case brokenPipe
  /// The command line is wrong. A hint to `--help` follows the message.
  case usage(String)
  case failed(ExitStatus, Diagnostic)

  package static func failed(
    _ status: ExitStatus, _ text: String, source: String? = nil, place: TextPlace? = nil, record: String? = nil
  ) -> ToolFailure {
    .failed(status, Diagnostic(text, source: source, place: place, record: record))
  }

  /// A system call on `source` failed.
  package static func system(_ error: SystemError, _ source: String?) -> ToolFailure {
    .failed(.error, error.message, source: source)
  }

  /// Writing to standard output failed.
  package static func output(_ error: SystemError) -> ToolFailure {
    error.isBrokenPipe ? .brokenPipe : .system(error, "standard output")
  }

  /// Waiting for input or for a time failed.
  package static func waiting(_ error: SystemError) -> ToolFailure {
    .failed(.error, "cannot wait: " + error.message)
  }

  /// The exit status; a usage error has that of any trouble here, 2.
  package var status: ExitStatus {
    if case .failed(let status, _) = self { status } else { .error }
  }

  /// The message.
  package var diagnostic: Diagnostic {
    switch self {
    case .brokenPipe: Diagnostic(SystemError.brokenPipe.message)
    case .usage(let text): Diagnostic(text)
    case .failed(_, let diagnostic): diagnostic
    }
  }

  /// The text of the diagnostic.
  package var message: String { diagnostic.text }

  /// The same failure, with another diagnostic.
  package func saying(_ change: (Diagnostic) -> Diagnostic) -> ToolFailure {
    guard case .failed(let status, let diagnostic) = self else { return self }
    return .failed(status, change(diagnostic))
  }

  /// The same failure, with more after the text.
  package func adding(_ more: String) -> ToolFailure { saying { $0.adding(more) } }

  /// The message as it is printed.
  func rendered(by program: String, _ style: Diagnostic.Style) -> [UInt8] {
    let text = diagnostic.rendered(by: program, style)
    guard case .usage = self else { return text }
    return text + Array("Try '\(program) --help' for more information.\n".utf8)
  }
}

/// Turns a failed system call into a failure of `source` (nil if nothing has a name).
@inline(__always)
package func naming<T>(
  _ source: @autoclosure () -> String?, _ call: @autoclosure () throws(SystemError) -> T
) throws(ToolFailure) -> T {
  do { return try call() } catch { throw .system(error, source()) }
}

/// The exit statuses of every tool; feedutils(7) has the table for users.
package enum ExitStatus: Int32, Sendable {
  /// Yes: done, equal, complete.
  case yes = 0
  /// The answer is no: a patch does not apply, documents differ, events were skipped.
  case no = 1
  /// Trouble here: usage, malformed input from a file or stdin, a file or disk that fails.
  case error = 2
  /// Trouble at the other end: refused, TLS, HTTP status, malformed data on a connection we opened.
  case remote = 3
  /// Try again later: timed out, rate limited, another run is active.
  case tryAgain = 4
}

extension Limit {
  /// The options that set the limits, in most tools.
  package static let options: [Limit: String] = [.depth: "--max-depth", .size: "--max-size"]
}

extension MessageError {
  /// The message, with the option that would help.
  package func message(naming options: [Limit: String] = Limit.options) -> String {
    message + (limit.flatMap { options[$0] }.map { " (\($0))" } ?? "")
  }
}

extension ToolFailure {
  /// - Parameters:
  ///   - text: the text with the error; its first byte is at `position`.
  ///   - hint: follows the message.
  package static func malformed(
    _ error: some LocatedError, in text: [UInt8], from position: TextPlace = TextPlace(), of source: String,
    record: String? = nil, status: ExitStatus = .error, hint: String = ""
  ) -> ToolFailure {
    .failed(
      status, error.message() + hint, source: source, place: position.place(of: error.offset, in: text), record: record)
  }
}

extension ByteWriter {
  /// Writes out what is buffered. A tool does so before it waits and before it ends.
  package mutating func flushOutput() throws(ToolFailure) {
    do { try flush() } catch { throw .output(error) }
  }

  /// For a tool that would go on for long without a flush.
  /// - Throws: the first error of any write so far, which must end the tool.
  package func checkOutput() throws(ToolFailure) {
    do { try check() } catch { throw .output(error) }
  }
}
