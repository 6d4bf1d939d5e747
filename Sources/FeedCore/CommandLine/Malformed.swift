// The one place that turns an error in an input into a failure of the tool.

extension Limit {
  /// The options that set the limits, in most tools.
  package static let options: [Limit: String] = [.depth: "--max-depth", .size: "--max-size", .operations: "--max-ops"]
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
    _ error: some LocatedError, in text: [UInt8], from position: TextPosition = TextPosition(), of source: String,
    record: String? = nil, status: ExitStatus = .error, hint: String = ""
  ) -> ToolFailure {
    .failed(
      status, error.message() + hint, source: source, place: position.place(of: error.offset, in: text), record: record)
  }
}
