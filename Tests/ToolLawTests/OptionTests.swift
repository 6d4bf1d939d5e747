import Foundation
import TestSupport
import Testing

@testable import FeedCore

/// What all tools' command lines share.
@Suite struct OptionTests {
  @Test(arguments: Repository.tools)
  func helpAndVersion(_ tool: String) throws {
    for option in ["-h", "--help"] {
      let help = try Command.shell("\(tool) \(option)")
      #expect(help.status == 0 && help.error.isEmpty)
      #expect(try help.text == Tables.of(tool).help)
      for line in help.text.split(separator: "\n") { #expect(line.count <= ToolSpec.helpWidth, "\(line)") }
    }
    let counted = try #require(Tables.of(tool).options.first { $0.value?.name == "N" })
    #expect(try Command.shell("\(tool) --\(counted.name) x --help").status == 0, "a bad value keeps no one from help")
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

  /// On a terminal, a message with a place is followed by the line and a caret; control bytes cannot control the
  /// terminal.
  @Test(.enabled(if: Repository.has("script")))
  func aCaretOnATerminal() throws {
    let input = Command.quote("{\"a\": 1,\n \"b\\\u{1b}\": nul}")
    let result = try Command.shell("script -qec \(Command.quote("printf %s \(input) | jpatch -e '[]'")) /dev/null")
    #expect(result.status == 2)
    #expect(
      result.text.replacingOccurrences(of: "\r", with: "")
        == "jpatch: -:2:4: invalid escape in a string\n   \"b\\\\x1b\": nul}\n     ^\n")
  }

  @Test func everyToolHasATable() {
    #expect(Tables.all.map(\.name).sorted() == Repository.tools.sorted())
    for tool in Tables.all { #expect(tool.options.count > 15 && tool.groups.count > 2, "\(tool.name)") }
  }

  /// Rows refer only to settings that options change, and to valid choices.
  @Test(arguments: Tables.all.map(\.name))
  func theRowsFitTogether(_ tool: String) throws {
    let table = try Tables.of(tool)
    let names = table.options.map(\.name)
    #expect(Set(names).count == names.count)
    let letters = table.options.compactMap(\.letter)
    #expect(Set(letters).count == letters.count)
    for row in table.options {
      let kinds = [OptionRelation.Kind.needs, .excludes, .meaningless]
      for other in kinds.flatMap({ row.conditions($0).joined() }) where other.setting != nil {
        let named = table.options.filter { $0.setting?() == other.setting }
        #expect(!named.isEmpty, "--\(row.name) names a setting that no option changes")
        if let word = other.choice { #expect(named.allSatisfy { $0.choice?.contains(word) == true }, "--\(row.name)") }
      }
      for other in row.conditions(.excludes).joined() { #expect(other.setting != row.setting?(), "--\(row.name)") }
    }
  }

  /// Each option is used in some test: in a case of a tool that has it, or in the tests of
  /// damaged stores.
  @Test func everyOptionIsTried() throws {
    let files = try Repository.files("Tests/Cases").flatMap(Repository.files) + ["Tests/Pipeline/damage"]
    let text = try files.map(Repository.contents).joined()
    for row in Tables.all.flatMap(\.options) where row.group.heading != CommonOptions.group.heading {
      let letter = row.letter.map { "|-[a-zA-Z0-9]*\($0)" } ?? ""
      let isTried = try text.contains(Regex("[ '\"](?:--\(row.name)(?![-a-z])\(letter))"))
      #expect(isTried, "--\(row.name)")
    }
  }

  /// There are few names to learn, not counting those that mean the same in curl.
  @Test func theNamesAreFew() {
    let curl = Set(
      """
      aws-sigv4 cacert cert compressed config connect-timeout cookie data data-binary data-raw data-urlencode digest
      dump-header fail get header help http1.1 http2 insecure ipv4 ipv6 json key location location-trusted max-time
      netrc no-buffer oauth2-bearer parallel proxy request resolve show-error silent unix-socket user user-agent
      verbose version
      """.split(whereSeparator: \.isWhitespace).map(String.init))
    let own = Set(Tables.all.flatMap(\.options).map(\.name)).subtracting(curl)
    #expect(own.count <= 180, "\(own.count): \(own.sorted())")
  }

  /// The same long name has the same letter and value in every tool.
  @Test func sameNameSameMeaning() throws {
    var known: [String: (row: OptionSpec, tool: String)] = [:]
    for tool in Tables.all {
      for row in tool.options {
        // paginate waits for another run of its feed without a limit, deliver for a command that may hang.
        if row.name == "wait" { continue }
        if let (other, owner) = known[row.name] {
          let isSame = other.letter == row.letter && (other.value == nil) == (row.value == nil)
          // The first choice is the same in all tools; a tool may lack others.
          let isAlike = other.choice?.first == row.choice?.first && other.isFile == row.isFile
          #expect(isSame && isAlike, "--\(row.name): \(tool.name) and \(owner)")
        }
        known[row.name] = (row, tool.name)
      }
    }
    #expect(known.count > 100)
  }
}

extension OptionSpec {
  fileprivate var isFile: Bool { value?.completion == .file }
}
