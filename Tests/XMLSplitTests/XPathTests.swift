import Foundation
import TestSupport
import Testing

/// Paths choose the elements that XPath chooses. The judge is lxml, which is installed into a temporary environment.
@Suite struct XPathTests {
  @Test(.enabled(if: Repository.has("python3")), arguments: 1...2)
  func lxmlAgrees(_ seed: Int) throws {
    guard let python = try Self.python() else { return }
    let program = Command.quote(Repository.path("Tests/Fixtures/xml/xpath.py"))
    let result = try Command.shell("\(python) \(program) \(seed) 30", environment: ["PYTHONUTF8": "1"])
    var reports = result.text.split(separator: "\n")
    let compared = reports.popLast().flatMap { $0.hasPrefix("compared ") ? Int($0.dropFirst(9)) : nil }
    for report in reports.prefix(20) { Issue.record("seed \(seed): \(report)") }
    #expect(result.status == 0, "\(result.error)")
    #expect(compared ?? 0 > 5000)
  }

  /// A python with lxml; nil without a network. In CI there is one.
  private static func python() throws -> String? {
    let folder = Repository.path(".build/lxml")
    let python = Command.quote(folder + "/bin/python")
    let installed = try Command.shell(
      "\(python) -c 'import lxml' || { python3 -m venv \(Command.quote(folder)) && \(python) -m pip install -q lxml; }")
    #expect(installed.status == 0 || !Repository.isCI, "\(installed.error)")
    return installed.status == 0 ? python : nil
  }
}
