import Foundation
import TestSupport
import Testing

/// Paths choose the elements that XPath chooses. The judge is lxml, which is installed into a temporary environment.
@Suite struct XPathTests {
  /// Installed once for both seeds.
  static let python = Swift.Result { try Oracle.python(installing: "lxml") }

  @Test(.enabled(if: Repository.has("python3")), arguments: 1...2)
  func lxmlAgrees(_ seed: Int) throws {
    guard let python = try Self.python.get() else { return }
    let program = Command.quote(Repository.path("Tests/Fixtures/xml/xpath.py"))
    let result = try Command.shell("\(python) \(program) \(seed) 30", environment: ["PYTHONUTF8": "1"])
    #expect(try Oracle.compared(result, "seed \(seed)") > 5000)
  }
}
