import Foundation
import TestSupport
import Testing

/// What every tool's command line has in common.
@Suite struct OptionTests {
  @Test(arguments: Repository.tools)
  func helpAndVersion(_ tool: String) throws {
    for option in ["-h", "--help"] {
      let help = try Command.shell("\(tool) \(option)")
      #expect(help.status == 0 && help.error.isEmpty)
      #expect(help.text.hasPrefix("Usage: \(tool) "))
      let lines = help.text.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count <= 50, "more than a screen")
      for line in lines { #expect(line.count <= 80, "\(line)") }
    }
    for option in ["-V", "--version"] {
      let version = try Command.shell("\(tool) \(option)")
      #expect(version.status == 0 && version.text.hasPrefix("\(tool) (feedutils) "))
    }
    let full = try Command.shell("\(tool) --help >/dev/full")
    #expect(full.status == 2 && full.error == "\(tool): standard output: no space left on device\n")
  }

  @Test(arguments: Repository.tools)
  func whatIsNoOption(_ tool: String) throws {
    let hint = "Try '\(tool) --help' for more information.\n"
    let cases = [
      ("--hepl", "unknown option '--hepl'; did you mean '--help'?"),
      ("--zzz", "unknown option '--zzz'"),
      ("--versio=x", "unknown option '--versio'; did you mean '--version'?"),
      ("--help=x", "option '--help' takes no value"),
      ("--completion", "option '--completion' needs a value (bash|zsh|fish)"),
      ("--completion tcsh", "option '--completion': expected bash|zsh|fish, found 'tcsh'"),
      ("-é", "unknown option '-\\xc3'"),
      ("--\u{1b}[31m", "unknown option '--\\x1b[31m'"),
    ]
    for (arguments, message) in cases {
      let result = try Command.shell("\(tool) \(Command.quote(arguments).replacingOccurrences(of: " ", with: "' '"))")
      #expect(result.status == 2 && result.output.isEmpty)
      #expect(result.error == "\(tool): \(message)\n\(hint)")
    }
  }

  /// On a terminal the line and a caret follow a message that has a place; control bytes cannot drive it.
  @Test(.enabled(if: Repository.has("script")))
  func aCaretOnATerminal() throws {
    let input = Command.quote("{\"a\": 1,\n \"b\\\u{1b}\": nul}")
    let result = try Command.shell("script -qec \(Command.quote("printf %s \(input) | jpatch -e '[]'")) /dev/null")
    #expect(result.status == 2)
    #expect(
      result.text.replacingOccurrences(of: "\r", with: "")
        == "jpatch: -:2:4: invalid escape in a string\n   \"b\\\\x1b\": nul}\n     ^\n")
  }

  /// The same long name has the same letter and value in every tool.
  @Test func sameNameSameMeaning() throws {
    var known: [String: (row: String, tool: String)] = [:]
    for tool in Repository.tools {
      for (name, row) in try OptionRow.all(of: tool) {
        if let other = known[name] { #expect(other.row == row, "--\(name): \(tool) and \(other.tool)") }
        known[name] = (row, tool)
      }
    }
    #expect(known.count > 3)
  }
}

/// The option table as `--help` tells it.
enum OptionRow {
  /// For each long name: its letter and the name of its value.
  static func all(of tool: String) throws -> [(name: String, row: String)] {
    let fish = try Command.shell("\(tool) --completion fish").text
    return fish.split(separator: "\n").filter { $0.hasPrefix("complete ") }.map { line in
      let words = line.split(separator: " ").map(String.init)
      func after(_ flag: String) -> String { words.firstIndex(of: flag).map { words[$0 + 1] } ?? "" }
      let value = words.contains("-x") || words.contains("-r") ? "value" : ""
      // Of the words to choose from, the first is the default, and the same everywhere; a tool may lack others.
      let choice = after("-a").prefix { $0 != " " }
      return (
        after("-l"), [after("-s"), value, words.contains("-F") ? "file" : "", String(choice)].joined(separator: " ")
      )
    }
  }
}
