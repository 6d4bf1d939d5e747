import Foundation

/// Cases in plain files: commands with their output.
///
///     # a comment
///     $ echo '{"a":1}' | jpatch -e '[{"op":"remove","path":"/b"}]'
///     @ jpatch: --expression: op 1 (remove /b): no member 'b' at the top
///     ? 1
///
/// `$` starts a command (a line with `>` continues it). `|` is a line of its standard output, `@` one of its standard
/// error, `?` its exit status if that is not 0. The commands of a file run one after another in one empty folder.
public struct Transcript {
  public struct Step {
    public let line: Int
    public var command: String
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
      case "$": steps.append(Step(line: index + 1, command: body))
      case ">" where !steps.isEmpty: steps[steps.count - 1].command += "\n" + body
      case "|" where !steps.isEmpty: steps[steps.count - 1].output.append(body)
      case "@" where !steps.isEmpty: steps[steps.count - 1].error.append(body)
      case "?" where !steps.isEmpty: steps[steps.count - 1].status = Int32(body) ?? -1
      default: throw Malformed(line: index + 1, text: String(line))
      }
    }
  }

  public init(steps: [Step]) { self.steps = steps }

  struct Malformed: Error { let line: Int, text: String }

  /// Runs all steps.
  /// - Returns: a report for each step with another result.
  public func run(name: String, environment: [String: String] = [:]) throws -> [String] {
    let folder = try ScratchFolder()
    var reports: [String] = []
    for step in steps {
      let result = try Command.shell(step.command, in: folder.path, environment: environment)
      let expected = Self.report(step.output, step.error, step.status)
      let found = Self.report(Self.lines(result.text), Self.lines(result.error), result.status)
      if expected != found {
        reports.append("\(name):\(step.line): $ \(step.command)\n--- expected\n\(expected)--- found\n\(found)")
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
