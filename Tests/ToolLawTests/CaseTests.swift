import Foundation
import TestSupport
import Testing

/// Runs every file under Tests/Cases.
@Suite struct CaseTests {
  /// The largest file first, so that it does not run alone at the end.
  static let files: [String] = {
    let all = FileManager.default.enumerator(atPath: Repository.path("Tests/Cases"))?.compactMap { $0 as? String } ?? []
    let sizes = all.filter { $0.hasSuffix(".cases") }
      .map { ((try? Repository.contents("Tests/Cases/\($0)").utf8.count) ?? 0, $0) }
    return sizes.sorted(by: >).map(\.1)
  }()

  /// If the files were not found, an empty list would pass.
  @Test func everyToolHasCases() {
    #expect(Self.files.count >= 57)
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
