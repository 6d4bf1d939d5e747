import Foundation
import TestSupport
import Testing

/// The tools do what the README shows.
@Suite struct ReadmeTests {
  /// Runs the examples of the tour one after another in one empty folder, as a user would type them.
  @Test func theTourPrintsWhatItShows() throws {
    let lines = try Repository.contents("README.md").components(separatedBy: "\n")
    let code = lines.map { $0.hasPrefix("    ") ? String($0.dropFirst(4)) : "" }
    var steps: [Transcript.Step] = []
    for start in code.indices where code[start].hasPrefix("$ ") && code[start - 1].isEmpty {
      steps += ManPage.steps(code[start...].prefix { !$0.isEmpty }.map(\.self), from: start + 1)
    }
    #expect(steps.count >= 9)
    for report in try Transcript(steps: steps).run(name: "README.md") { Issue.record("\(report)") }
  }

  /// Each command of the table "What to type" is in the cases, word for word.
  @Test func theTableIsTried() throws {
    let rows = try Repository.contents("README.md").matches(of: /\n\|[^`\n]*\| `([^`]+)` \|/)
    let cases = try Repository.contents("Tests/Cases/all/readme.cases")
    #expect(rows.count == 5)
    for row in rows {
      let command = row.1.replacing("\\|", with: "|")
      #expect(cases.contains("$ \(command)\n") || cases.contains("> \(command)\n"), "no case for \(command)")
    }
  }

  @Test(.enabled(if: Repository.has("python3")))
  func thePictureIsOfThisNewswire() throws {
    let drawn = try Command.shell(Command.quote(Repository.path("examples/newswire/picture")))
    #expect(drawn.status == 0, "\(drawn.error)")
    let kept = try Repository.contents("examples/newswire/newswire.svg")
    #expect(drawn.text == kept, "draw it again: examples/newswire/picture")
  }
}
