import Foundation
import TestSupport
import Testing

/// `Tests/portability --list`. Type checks for other systems take too long here; `.ci/run` runs them.
@Suite(.enabled(if: Repository.has("python3"))) struct PortabilityTests {
  static let script = Repository.path("Tests/portability")

  /// The list for a `Sources` folder with one file of these lines.
  func list(_ lines: String) throws -> Result {
    let folder = try ScratchFolder()
    for name in ["Sources", "Tests"] {
      try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
    }
    _ = try folder.write("Sources/a.swift", lines)
    return try Command.shell("cp \(Command.quote(Self.script)) Tests && Tests/portability --list", in: folder.path)
  }

  @Test func theBranchesOfSourcesAreListed() throws {
    let result = try Command.shell("\(Command.quote(Self.script)) --list")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.text.split(separator: "\n").count >= 20)
    #expect(result.text.contains(/System\/Poller\.swift:[0-9]+: #else: Darwin\n/))
  }

  @Test func aBranchBelongsToThoseThatTookNoneBefore() throws {
    let result = try list(
      """
      #if canImport(Darwin)
        #if !os(Linux)
        #endif
      #elseif os(Linux)
      #else
      #endif
      """)
    #expect(
      result.text == """
        Sources/a.swift:1: #if canImport(Darwin): Darwin
        Sources/a.swift:2: #if !os(Linux): Darwin
        Sources/a.swift:4: #elseif os(Linux): Glibc, Musl
        Sources/a.swift:5: #else: none of them

        """, "\(result.error)")
  }

  @Test func anUnknownConditionIsAnError() throws {
    let result = try list("#if os(Windows)\n#endif\n")
    #expect(result.status == 1)
    #expect(result.error == "portability: Sources/a.swift:1: unknown condition 'os(Windows)'\n")
  }
}
