import Foundation
import TestSupport
import Testing

@testable import FeedCore

/// Option files: the table Tests/Fixtures/http/config.txt, and their effect on a tool.
@Suite struct OptionFileTests {
  @Test func theTable() throws {
    for (number, line) in try Fixtures.lines("http/config.txt", atLeast: 38) {
      let sides = line.components(separatedBy: " =>")
      let text = Fixtures.bytes(sides[0])
      var found = ""
      do throws(ToolFailure) {
        let options = try OptionLine.parse(text, of: "f")
        found = options.flatMap(\.arguments).map { " '" + String(decoding: $0, as: UTF8.self) + "'" }.joined()
      } catch {
        let place = try #require(error.diagnostic.place)
        found = " \(place.line):\(place.column) \(error.message)"
      }
      #expect(found == String(decoding: Fixtures.bytes(sides[1]), as: UTF8.self), "line \(number)")
    }
  }

  /// A line cut anywhere gives a line, or an error with a place in it.
  @Test func linesThatAreCut() throws {
    for (_, line) in try Fixtures.lines("http/config.txt", atLeast: 38) {
      let text = Fixtures.bytes(line.components(separatedBy: " =>")[0])
      for end in 0...text.count {
        do throws(ToolFailure) { _ = try OptionLine.parse(Array(text[..<end]), of: "f") } catch {
          let place = try #require(error.diagnostic.place)
          #expect(place.line >= 1 && place.column <= end)
        }
      }
    }
  }

  private struct Options: OptionTable {
    var names: [String] = []
    private var name = ""
    private var isQuiet = false
    private var isLoud = false

    static let rows = OptionRows<Self> {
      OptionGroup("Options")
      Option(fileOfOptions: "more", letter: "m", operand: "place", "options in a file")
      Option("name", letter: "n", .text("TEXT"), \.name, "a name") { $0 = String(decoding: $1, as: UTF8.self) }
      Option("other", letter: "o", .text("TEXT"), \.names, "a name") {
        $0.append("other=" + String(decoding: $1, as: UTF8.self))
      }
      .repeating
      Option("file", .text("TEXT"), \.names, "a file") { $0.append(String(decoding: $1, as: UTF8.self)) }
        .repeating.notInFiles
      Option("quiet", letter: "q", \.isQuiet, "no words").excludes(\.isLoud)
      OptionGroup("Others")
      Option("loud", letter: "l", \.isLoud, "words")
      Option("shared", .text("TEXT"), \.names, "a name") { $0.append("shared=" + String(decoding: $1, as: UTF8.self)) }
        .repeating.inFiles
    }

    var words: [String] {
      names + (name.isEmpty ? [] : ["name=" + name]) + (isQuiet ? ["quiet"] : []) + (isLoud ? ["loud"] : [])
    }
  }

  private let tool = ToolSpec(
    "tool", "Do", synopsis: ["PLACE"], readsURL: { $0.first?.starts(with: "at:".utf8) == true }, options: Options.self)

  /// The result of a command line with files of these contents: options in order, and operands; or the message.
  private func run(_ arguments: [String], _ files: [String]) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (index, text) in files.enumerated() {
      try Data(text.utf8).write(to: folder.appendingPathComponent("\(index)"))
    }
    func path(_ text: String) -> String { text.replacingOccurrences(of: "@", with: folder.path + "/") }
    do throws(ToolFailure) {
      let whole = try tool.withOptionFiles(
        tool.parse(arguments.map { Array(path($0).utf8) }), StandardStreams(program: "tool"))
      try tool.checkRelations(whole)
      var options = Options()
      try whole.fill(&options)
      return (options.words + whole.operands.map { String(decoding: $0, as: UTF8.self) }).joined(separator: " ")
    } catch {
      let text = String(decoding: error.rendered(by: "tool", .excerpt), as: UTF8.self)
      return text.split(separator: "\n")[0].replacingOccurrences(of: folder.path + "/", with: "@")
    }
  }

  @Test func optionsComeInThePlaceOfTheFile() throws {
    #expect(
      try run(["-o1", "-m@0", "-o4", "-m", "@1"], ["other = 2\n-o3", "-q"]) == "other=1 other=2 other=3 other=4 quiet")
    #expect(try run(["-m@0"], ["place = at:x\n"]) == "at:x")
    #expect(try run(["-m@0"], ["shared = 1"]) == "shared=1")
    #expect(try run(["-m@0", "at:y"], ["place = at:x"]) == "at:y at:x")
    #expect(try run(["-m@0", "--", "-m@1"], [""]).hasPrefix("-m"))
  }

  @Test func relationsAreThoseOfTypedOptions() throws {
    #expect(try run(["-n1", "-m@0"], ["\nname = 2"]) == "tool: @0:2:1: option '--name' is given twice")
    #expect(try run(["-m@0", "-n1"], ["name = 2"]) == "tool: option '--name' is given twice")
    #expect(try run(["-m@0", "-m@1"], ["name = 2", " name = 2"]) == "tool: @1:1:2: option '--name' is given twice")
    #expect(try run(["-m@0", "-l"], ["-q"]) == "tool: @0:1:1: options '--quiet' and '--loud' exclude each other")
  }

  @Test(arguments: [
    ("secret = a", "unknown option"), ("nam = a", "unknown option; did you mean '--name'?"),
    ("-x", "unknown option '-x'"),
    ("name", "option '--name' needs a value (TEXT)"), ("quiet = a", "option '--quiet' takes no value"),
    ("-q a", "expected one option, with a value if it takes one"),
    ("-q -q", "expected one option, with a value if it takes one"),
    ("-", "expected one option, with a value if it takes one"), ("--", "unknown option"), ("= a", "unknown option"),
    ("loud", "option '--loud' cannot stand in a file; type it on the command line"),
    ("-l", "option '--loud' cannot stand in a file; type it on the command line"),
    ("file = a", "option '--file' cannot stand in a file; type it on the command line"),
    ("help", "option '--help' cannot stand in a file; type it on the command line"),
    ("more = @0", "option '--more' cannot stand in a file; type it on the command line"),
    ("place", "expected a URL"), ("place = s3cret", "expected a URL"),
  ])
  func whatIsRefused(_ line: String, _ message: String) throws {
    #expect(try run(["-m@0"], ["#\n \(line)\n"]) == "tool: @0:2:2: \(message)")
  }

  @Test func aFileThatIsNone() throws {
    #expect(try run(["-m@0"], []) == "tool: @0: no such file or directory")
    let large = String(repeating: "#\n", count: ToolSpec.optionFileLimit / 2)
    #expect(try run(["-m@0"], [large]) == "")
    #expect(
      try run(["-m@0"], [large + "\n"])
        == "tool: @0: more than 1048576 bytes (the most that a file of options may have)")
  }
}
