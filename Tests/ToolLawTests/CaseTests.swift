import Foundation
import TestSupport
import Testing

/// Runs every file under Tests/Cases.
@Suite struct CaseTests {
  static let files: [String] = {
    let all = FileManager.default.enumerator(atPath: Repository.path("Tests/Cases"))?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(".cases") }.sorted()
  }()

  /// A list that is empty because it was not found would be green.
  @Test func everyToolHasCases() {
    #expect(Self.files.count >= 48)
    for tool in Repository.tools {
      #expect(Self.files.contains { $0.hasPrefix(tool + "/") }, "Tests/Cases/\(tool) has no cases")
    }
  }

  @Test(arguments: files)
  func runsAsWritten(_ file: String) throws {
    let transcript = try Transcript(parsing: Repository.contents("Tests/Cases/\(file)"))
    #expect(!transcript.steps.isEmpty)
    for report in try transcript.run(name: "Tests/Cases/\(file)") { Issue.record("\(report)") }
  }
}
