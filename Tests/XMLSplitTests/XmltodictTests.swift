import TestSupport
import Testing

/// Tests against xmltodict, whose convention for JSON is ours: against its own test-suite, and on random documents.
@Suite struct XmltodictTests {
  /// Its source distribution; nil without a network.
  static let sources = Swift.Result { try PyPI.sources(of: "xmltodict", "1.0.4") }

  /// Its tests that parse. `Tests/Fixtures/xml/xmltodict.txt` says what is left out.
  @Test(.enabled(if: Repository.has("python3")))
  func suite() throws {
    guard let sources = try Self.sources.get() else { return }
    let result = try Command.shell("\(Self.script("xmltodict-suite")) \(sources)")
    #expect(result.status == 0, "\(result.text)\(result.error)")
    #expect(result.text.contains("47 passed, 31 left out"), "\(result.text)")
  }

  @Test(.enabled(if: Repository.has("python3")))
  func names() throws {
    guard let sources = try Self.sources.get() else { return }
    let result = try Command.shell("\(Self.script("xmltodict-names")) \(sources) 200")
    #expect(result.status == 0 && result.text == "compared 1600\n", "\(result.text.prefix(5000))\(result.error)")
  }

  private static func script(_ name: String) -> String { Command.quote(Repository.path("Tests/Fixtures/xml/\(name)")) }
}
