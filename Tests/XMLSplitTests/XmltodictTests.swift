import TestSupport
import Testing

/// Tests against xmltodict, whose convention for JSON is ours: against its own test-suite, and on random documents.
@Suite struct XmltodictTests {
  /// Its source distribution, which is unpacked into a temporary folder; nil without a network.
  static let sources: Swift.Result<String?, any Error> = Swift.Result {
    let name = "xmltodict-1.0.4"
    let folder = Command.quote(Repository.path(".build/xmltodict"))
    let fetched = try Command.shell(
      """
      test -e \(folder)/\(name)/tests && exit
      python3 -m venv \(folder)/venv &&
      \(folder)/venv/bin/python -m pip download -q --no-deps --no-binary :all: -d \(folder) xmltodict==1.0.4 &&
      tar -xzf \(folder)/\(name).tar.gz -C \(folder)
      """)
    // In CI there is a network.
    if fetched.status != 0, Repository.isCI { Issue.record("\(fetched.error)") }
    return fetched.status == 0 ? "\(folder)/\(name)" : nil
  }

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
