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

  /// Many files at a time, because most of them wait for a server or a timer.
  @Test func filesRunAsWritten() throws {
    let pattern = ProcessInfo.processInfo.environment["CASES"] ?? "."
    let wanted = Self.files.filter { $0.range(of: pattern, options: .regularExpression) != nil }
    #expect(!wanted.isEmpty, "no file matches '\(pattern)'")
    let reports = SideBySide.map(wanted, width: 4 * ProcessInfo.processInfo.activeProcessorCount) { file in
      do {
        let transcript = try Transcript(parsing: Repository.contents("Tests/Cases/\(file)"))
        if transcript.steps.isEmpty { return ["\(file): no cases"] }
        let reports = try transcript.run(name: "Tests/Cases/\(file)")
        return try Self.isForLater(file, reports) ? [] : reports.map(\.text)
      } catch {
        return ["\(file): \(error)"]
      }
    }
    for report in reports.joined() { Issue.record("\(report)") }
  }

  /// Whether `Tests/run` tries a file once more, alone, after all other tests: if nothing is wrong but steps that hold one
  /// clock against another. It gives a file for the names.
  private static func isForLater(_ file: String, _ reports: [Transcript.Report]) throws -> Bool {
    guard let list = ProcessInfo.processInfo.environment["FEEDUTILS_AGAIN"], !reports.isEmpty,
      reports.allSatisfy(\.isOfClocks)
    else { return false }
    return try Command.shell("echo \(Command.quote(file)) >>\(Command.quote(list))").status == 0
  }
}
