import Foundation

/// Cases in plain files: commands with their output.
///
///     # a comment
///     $ echo '{"a":1}' | jpatch -e '[{"op":"remove","path":"/b"}]'
///     @ jpatch: --expression: op 1 (remove /b): no member 'b' at the top
///     ? 1
///
/// `$` starts a command (a line with `>` continues it), and so does `~` if the command holds one clock against another, such
/// as a time-out against a server that is slow: it may fail once on a busy machine. `|` is a line of its standard output,
/// `@` one of its standard error, `?` its exit status if that is not 0. The commands of a file run one after another in one empty folder.
public struct Transcript {
  public struct Step {
    public let line: Int
    public var command: String
    public var holdsClocks = false
    public var output: [String] = []
    public var error: [String] = []
    public var status: Int32 = 0

    public init(line: Int, command: String) {
      self.line = line
      self.command = command
    }
  }

  public private(set) var steps: [Step] = []

  public init(parsing text: String) throws {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let body = String(line.dropFirst(2))
      switch line.first {
      case nil, "#": continue
      case "$", "~":
        steps.append(Step(line: index + 1, command: body))
        steps[steps.count - 1].holdsClocks = line.first == "~"
      case ">" where !steps.isEmpty: steps[steps.count - 1].command += "\n" + body
      case "|" where !steps.isEmpty: steps[steps.count - 1].output.append(body)
      case "@" where !steps.isEmpty: steps[steps.count - 1].error.append(body)
      case "?" where !steps.isEmpty: steps[steps.count - 1].status = Int32(body) ?? -1
      default: throw Malformed(line: index + 1, text: String(line))
      }
    }
  }

  public init(steps: [Step]) { self.steps = steps }

  public struct Report: CustomStringConvertible, Sendable {
    public let text: String
    /// Whether it is of a step that holds one clock against another, or of one after it.
    public let isOfClocks: Bool

    public var description: String { text }
  }

  struct Malformed: Error { let line: Int, text: String }

  /// Runs all steps.
  /// - Returns: a report for each step with another result.
  public func run(name: String, environment: [String: String] = [:]) throws -> [Report] {
    let folder = try ScratchFolder()
    var reports: [Report] = []
    var isUncertain = false
    for step in steps {
      let result = try Command.shell(step.command, in: folder.path, environment: environment)
      let expected = Self.report(step.output, step.error, step.status)
      let found = Self.report(Self.lines(result.text), Self.lines(result.error), result.status)
      if expected != found {
        // What comes after such a step may follow from it.
        isUncertain = isUncertain || step.holdsClocks
        let text = "\(name):\(step.line): $ \(step.command)\n--- expected\n\(expected)--- found\n\(found)"
        reports.append(Report(text: text, isOfClocks: isUncertain))
      }
    }
    return reports
  }

  private static func report(_ output: [String], _ error: [String], _ status: Int32) -> String {
    output.map { "| \($0)\n" }.joined() + error.map { "@ \($0)\n" }.joined() + "? \(status)\n"
  }

  /// The lines of `text`; a last line without a newline is marked.
  private static func lines(_ text: String) -> [String] {
    guard !text.isEmpty else { return [] }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() } else { lines[lines.count - 1] += "\\c" }
    return lines
  }
}
