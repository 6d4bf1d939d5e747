import Foundation
import TestSupport
import Testing

/// Paths choose the elements that XPath chooses. The judge is lxml.
@Suite struct XPathTests {
  @Test(.enabled(if: Oracle.lxml != nil, "python3 has no module lxml"), arguments: 1...2)
  func lxmlAgrees(_ seed: Int) throws {
    let python = try #require(Oracle.lxml)
    let program = Command.quote(Repository.path("Tests/Fixtures/xml/xpath.py"))
    let result = try Command.shell("\(python) \(program) \(seed) 30", environment: ["PYTHONUTF8": "1"])
    #expect(try Oracle.compared(result, "seed \(seed)") > 5000)
  }
}
