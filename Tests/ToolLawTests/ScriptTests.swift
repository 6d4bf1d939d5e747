import Foundation
import TestSupport
import Testing

/// All shell scripts of the project, examples included, pass shellcheck.
@Suite struct ScriptTests {
  static let scripts: [String] = {
    let folders = ["examples", ".ci", "Tests"]
    let files = folders.flatMap { folder in
      let inside = FileManager.default.enumerator(atPath: Repository.path(folder))?.compactMap { $0 as? String } ?? []
      return inside.map { folder + "/" + $0 }
    }
    return files.filter { file in
      let head = FileManager.default.contents(atPath: Repository.path(file))?.prefix(32) ?? Data()
      let line = String(decoding: head, as: UTF8.self).prefix { $0 != "\n" }
      return line.hasPrefix("#!") && (line.hasSuffix("sh") || line.hasSuffix("bash"))
    }.sorted()
  }()

  @Test(.enabled(if: Repository.has("shellcheck")), arguments: scripts)
  func areChecked(_ script: String) throws {
    let result = try Command.shell("shellcheck " + Command.quote(Repository.path(script)))
    #expect(result.status == 0, "\(result.text)")
  }

  /// The scripts in the files of Tests/Servers.
  @Test(.enabled(if: Repository.has("shellcheck") && Repository.has("python3")))
  func serversAreChecked() throws {
    let result = try Command.shell(
      """
      \(Command.quote(Repository.path("Tests/Servers/servers"))) --unpack parts | wc -l
      shellcheck $(grep -lE '^#!.*/(ba)?sh$|^#!.*env bash$' parts/*/*)
      """)
    #expect(result.status == 0 && Int(result.text.prefix { $0 != "\n" }) ?? 0 >= 57, "\(result.text)\(result.error)")
  }

  @Test func eachExampleIsInTheirReadme() throws {
    let readme = try Repository.contents("examples/README.md")
    let rows = readme.matches(of: /\| \[([^\]]+)\]/).map { String($0.1) }
    let inside = try FileManager.default.contentsOfDirectory(atPath: Repository.path("examples"))
    #expect(rows == inside.filter { $0 != "README.md" }.sorted())
  }

  @Test func someAreThere() {
    #expect(Self.scripts.contains("examples/newswire/newswire") && Self.scripts.contains(".ci/run"))
  }
}
