import Foundation
import TestSupport
import Testing

/// Tests against other implementations of the protocol.
@Suite struct LibraryTests {
  /// Whether python's `websockets` is available. In CI it must be.
  static let hasWebsockets: Bool = {
    let found = (try? Command.shell("/usr/bin/python3 -c 'import websockets.legacy.server'"))?.status == 0
    precondition(found || !Repository.isCI, "python3-websockets is missing, and CI=true")
    return found
  }()

  @Test(.enabled(if: hasWebsockets))
  func talks() throws {
    let transcript = try Transcript(parsing: Repository.contents("Tests/Fixtures/ws/library.cases"))
    #expect(transcript.steps.count > 10)
    for report in try transcript.run(name: "Tests/Fixtures/ws/library.cases") { Issue.record("\(report)") }
  }

  /// The client cases of the Autobahn test suite, by the package `kosoku`. Of the groups with large or compressed messages, only those that take little time.
  @Test(.enabled(if: Dice.isWhole && Repository.has("python3"), "only with FEEDUTILS_DICE=1"))
  func autobahn() throws {
    guard let path = try PyPI.path(of: "kosoku") else { return }
    let suite = Command.quote(Repository.path("Tests/Fixtures/bin/ws-autobahn"))
    let result = try Command.shell("python3 \(suite) --sample", environment: ["PYTHONPATH": path])
    #expect(result.status == 0, "\(result.text)\(result.error)")
    #expect(result.text.contains("273 cases, 0 failed: "), "\(result.text)")
  }
}
