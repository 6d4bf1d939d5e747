import TestSupport
import Testing

@testable import FeedCore

/// Patches that become one, and patches that are taken back.
@Suite struct AlgebraTests {
  /// Each line of the tables is a patch in short form, and what becomes of it.
  @Test func compositions() throws {
    try check("json/compositions.txt", atLeast: 50) { patch in
      // Each operation could be a patch of its own.
      let parts = patch.operations.map { JSONPatch([$0]) }
      return AlgebraLaws.text(AlgebraLaws.composed(parts))
    }
  }

  @Test func inversions() throws {
    try check("json/inversions.txt", atLeast: 20) { patch in
      var inversion = PatchInversion()
      do throws(PatchFailure) { try inversion.append(patch) } catch { return error.message }
      return AlgebraLaws.text(inversion.patch)
    }
  }

  private func check(_ file: String, atLeast least: Int, _ change: (JSONPatch) throws -> String) throws {
    for (number, line) in try Fixtures.lines(file, atLeast: least) {
      let sides = line.split(separator: " => ", maxSplits: 1).map(String.init)
      let found = try change(try Self.patch(sides[0]))
      let expected = sides[1].hasPrefix("op ") ? sides[1] : AlgebraLaws.text(try Self.patch(sides[1]))
      #expect(found == expected, "\(file):\(number): \(sides[0])")
    }
  }

  /// `add /a 1, move /a /b`; `nothing` is the empty patch.
  private static func patch(_ text: String) throws -> JSONPatch {
    if text == "nothing" { return JSONPatch() }
    return JSONPatch(
      try text.split(separator: ", ").map { step in
        let words = step.split(separator: " ").map { $0 == "\"\"" ? "" : String($0) }
        let first = try JSONPointer(Array(words[1].utf8))
        func second() throws -> JSONPointer { try JSONPointer(Array(words[2].utf8)) }
        switch words[0] {
        case "add": return .add(AlgebraLaws.tree(words[2]), at: first)
        case "remove": return .remove(first)
        case "replace": return .replace(first, with: AlgebraLaws.tree(words[2]))
        case "move": return .move(first, to: try second())
        case "copy": return .copy(first, to: try second())
        default: return .test(first, equals: AlgebraLaws.tree(words[2]))
        }
      })
  }

  @Test(arguments: 1...4) func lawsOfRandomPatches(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let laws = AlgebraLaws { Int.random(in: 0..<$0, using: &random) }
    for round in 0..<150 {
      do {
        try laws.checkComposition()
        try laws.checkInversion()
        try laws.checkMerges()
      } catch { Issue.record("seed \(seed), round \(round): \(error)") }
    }
  }

  /// No operation becomes deeper than the limit, so the result can be read again.
  @Test func depth() throws {
    var composition = PatchComposition(maxDepth: 5)
    let value = AlgebraLaws.tree(#"{"a":{"a":{}}}"#)
    composition.append(JSONPatch([.add(value, at: JSONPointer(tokens: [Array("x".utf8)]))]))
    for path in ["/x/a/b", "/x/a/a/b"] {
      composition.append(JSONPatch([.add(AlgebraLaws.tree("{}"), at: try JSONPointer(Array(path.utf8)))]))
    }
    #expect(
      AlgebraLaws.text(composition.patch)
        == #"[{"op":"add","path":"/x","value":{"a":{"a":{},"b":{}}}},{"op":"add","path":"/x/a/a/b","value":{}}]"#)
  }

  /// A long patch and a deep one take no time to speak of.
  @Test func longAndDeep() throws {
    let one = AlgebraLaws.tree("1")
    func pointer(_ tokens: [String]) -> JSONPointer { JSONPointer(tokens: tokens.map { Array($0.utf8) }) }
    var composition = PatchComposition()
    let members = (0..<5000).map { pointer(["a", "k\($0)"]) }
    composition.append(JSONPatch([.add(AlgebraLaws.tree("{}"), at: pointer(["a"]))]))
    composition.append(JSONPatch(members.map { .add(one, at: $0) }))
    composition.append(JSONPatch(members.map { .test($0, equals: one) }))
    composition.append(JSONPatch(members.dropFirst().map { .remove($0) }))
    #expect(AlgebraLaws.text(composition.patch) == #"[{"op":"add","path":"/a","value":{"k0":1}}]"#)

    var inversion = PatchInversion()
    let deep = pointer(Array(repeating: "a", count: 5000))
    try inversion.append(JSONPatch([.add(one, at: deep), .replace(deep, with: AlgebraLaws.tree("2"))]))
    #expect(inversion.patch.operations.map(\.name) == ["test", "replace", "test", "remove"])
  }
}
