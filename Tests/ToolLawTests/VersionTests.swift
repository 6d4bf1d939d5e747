import Foundation
import TestSupport
import Testing

@testable import FeedCore

/// The version is in ToolSpec.swift. Everything else takes it from there.
@Suite struct VersionTests {
  @Test(arguments: Repository.tools)
  func toolsPrintIt(_ tool: String) throws {
    #expect(try Command.shell("\(tool) --version").text == "\(tool) (feedutils) \(ToolSpec.version)\n")
  }

  @Test func theMakefileFindsIt() throws {
    let printed = try Command.shell("make -s version", in: Repository.root.path)
    #expect(printed.text == ToolSpec.version + "\n", "\(printed.error)")
  }

  /// The first heading is the next release.
  @Test func theChangelogLeadsToIt() throws {
    let headings = try Repository.contents("CHANGELOG.md").split(separator: "\n").filter { $0.hasPrefix("## ") }
    #expect(try #require(headings.first).contains(ToolSpec.version))
  }

  /// Pages and templates have a placeholder. To raise the version, only one file and the changelog change.
  @Test func nothingElseSpellsIt() throws {
    let quoted = Command.quote(ToolSpec.version)
    let folders = "man completions examples .ci Makefile Package.swift CONTRIBUTING.md SECURITY.md Sources Tests/Cases"
    let result = try Command.shell(
      "grep -rlwF -e \(quoted) \(folders) Tests/Fixtures/bin", in: Repository.root.path)
    #expect(result.text == "Sources/FeedCore/CommandLine/ToolSpec.swift\n" && result.error.isEmpty, "\(result.error)")
  }
}
