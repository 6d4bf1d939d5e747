import TestSupport
import Testing

/// Tests against the test-suite of xmltodict, whose convention for JSON is ours.
@Suite struct XmltodictTests {
  /// Its tests that parse, from the source distribution of the Python index, which is unpacked into a temporary folder.
  /// `Tests/Fixtures/xml/xmltodict.txt` says what is left out.
  @Test(.enabled(if: Repository.has("python3")))
  func suite() throws {
    let name = "xmltodict-1.0.4"
    let folder = Command.quote(Repository.path(".build/xmltodict"))
    let fetched = try Command.shell(
      """
      test -e \(folder)/\(name)/tests && exit
      python3 -m venv \(folder)/venv &&
      \(folder)/venv/bin/python -m pip download -q --no-deps --no-binary :all: -d \(folder) xmltodict==1.0.4 &&
      tar -xzf \(folder)/\(name).tar.gz -C \(folder)
      """)
    guard fetched.status == 0 else {
      // Without a network this cannot run; in CI there is one.
      #expect(!Repository.isCI, "\(fetched.error)")
      return
    }
    let result = try Command.shell(
      "\(Command.quote(Repository.path("Tests/Fixtures/xml/xmltodict-suite"))) \(folder)/\(name)")
    #expect(result.status == 0, "\(result.text)\(result.error)")
    #expect(result.text.contains("47 passed, 31 left out"), "\(result.text)")
  }
}
