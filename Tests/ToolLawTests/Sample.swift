import Foundation
import TestSupport
import Testing

/// One way to run a tool, from Tests/Fixtures/laws/samples.txt.
struct Sample: CustomTestStringConvertible, Sendable {
  let isLive: Bool
  /// Whether it prints to standard output; a server's output goes elsewhere.
  let prints: Bool
  /// The exit status without errors.
  let status: Int32
  let tool: String
  /// The command without its input.
  let command: String
  let input: Data

  var testDescription: String { command }

  static let all: [Sample] = {
    guard let lines = try? Fixtures.lines("laws/samples.txt") else { return [] }
    return lines.compactMap { _, line in
      guard let mark = line.range(of: " <", options: .backwards), let space = line.firstIndex(of: " ") else {
        return nil
      }
      let folder = Repository.path("Tests/Fixtures/laws") + "/"
      let command = line[line.index(after: space)..<mark.lowerBound].replacingOccurrences(of: "laws/", with: folder)
      return Sample(
        isLive: line[..<space] == "live", prints: line[..<space] != "silent", status: line[..<space] == "no" ? 1 : 0,
        tool: command.split(separator: " ").map(String.init).first(where: Repository.tools.contains) ?? "",
        command: command,
        input: FileManager.default.contents(atPath: folder + line[mark.upperBound...]) ?? Data())
    }
  }()

  /// The first sample of each tool.
  static let firsts: [Sample] = Repository.tools.compactMap { tool in all.first { $0.tool == tool } }

  /// Runs the command with `tail` after it: a redirection, a pipe.
  func run(
    _ tail: String = "", input: Data? = nil, in folder: String? = nil, environment: [String: String] = [:]
  ) throws -> Result {
    try Command.shell(command + " " + tail, input: input ?? self.input, in: folder, environment: environment)
  }

  /// The command with other words before the tool's own name.
  func command(with words: String) -> String { Command.put(words, before: tool, in: command) }

  /// The command with a setting just before the tool starts: a limit, or a closed descriptor.
  /// - Parameter patience: in seconds; after that it is killed, so that a test of what might hang does not hang.
  func command(after setting: String, patience: Int? = nil) -> String {
    let timeout = patience.map { "timeout -s KILL \($0) " } ?? ""
    return command(with: timeout + "sh -c " + Command.quote(setting + "; exec \"$@\"") + " sh")
  }
}
