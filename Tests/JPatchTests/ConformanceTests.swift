import Foundation
import TestSupport
import Testing

/// The public suites, black box. Their files are not part of the project: FEEDUTILS_CONFORMANCE names the folder.
@Suite(.enabled(if: Repository.conformance != nil, "FEEDUTILS_CONFORMANCE is unset"))
struct ConformanceTests {
  static func records(_ file: String) throws -> [[String: Any]] {
    try #require(JSONSerialization.jsonObject(with: Repository.conformanceFile(file)) as? [[String: Any]])
  }

  static func text(_ value: Any) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed), as: UTF8.self)
  }

  static func sameValue(_ data: Data, _ expected: Any) throws -> Bool {
    let found = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    return (found as? NSObject) == (expected as? NSObject)
  }

  @Test(arguments: ["json-patch-tests/tests.json", "json-patch-tests/spec_tests.json"])
  func jsonPatch(_ file: String) throws {
    var count = 0
    for record in try Self.records(file) where record["disabled"] as? Bool != true {
      guard let document = record["doc"], let patch = record["patch"] else { continue }
      count += 1
      let comment = Comment(rawValue: try Self.text(record))
      let result = try Command.shell(
        "jpatch -e \(Command.quote(Self.text(patch)))", input: Data(try Self.text(document).utf8))
      if record["error"] != nil {
        #expect(result.status == 1 || result.status == 2, comment)
        #expect(result.output.isEmpty, comment)
        #expect(result.error.hasPrefix("jpatch: "), comment)
      } else {
        #expect(result.status == 0, comment)
        #expect(try Self.sameValue(result.output, record["expected"] ?? document), comment)
      }
    }
    // 92 and 16 at the time of writing, 108 in all.
    #expect(count >= (file.hasSuffix("spec_tests.json") ? 16 : 92))
  }

  @Test func mergePatch() throws {
    let records = try Self.records("rfc/rfc7386_appendix_a.json")
    for record in records {
      let patch = try Command.quote(Self.text(try #require(record["patch"])))
      let result = try Command.shell(
        "jpatch --type merge-patch -e \(patch)", input: Data(try Self.text(try #require(record["doc"])).utf8))
      let isRight = try Self.sameValue(result.output, try #require(record["expected"]))
      let comment = Comment(rawValue: try Self.text(record))
      #expect(isRight, comment)
    }
    #expect(records.count >= 15)
  }

  @Test func jsonPointer() throws {
    let data = try Repository.conformanceFile("rfc/rfc6901_section5.json")
    let file = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    let document = Data(try Self.text(try #require(file["doc"])).utf8)
    let pointers = try #require(file["pointers"] as? [[String: Any]])
    for record in pointers {
      let pointer = try #require(record["pointer"] as? String)
      let result = try Command.shell("jpatch -e '[]' --select \(Command.quote(pointer))", input: document)
      let isRight = try Self.sameValue(result.output, try #require(record["expected"]))
      #expect(isRight, Comment(rawValue: pointer))
    }
    #expect(pointers.count >= 12)
  }

  @Test func jsonTestSuite() throws {
    let folder = try #require(Repository.conformance) + "/JSONTestSuite/test_parsing"
    var counts: [Character: Int] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      let kind = try #require(name.first)
      let input = try #require(FileManager.default.contents(atPath: folder + "/" + name))
      let result = try Command.shell("jpatch -e '[]'", input: input)
      let comment = Comment(rawValue: name)
      switch kind {
      case "y": #expect(result.status == 0 && result.output == input, comment)
      case "n":
        #expect(result.status == 2 && result.output.isEmpty, comment)
        #expect(result.error.hasPrefix("jpatch: -:"), comment)
      default: #expect(result.status == 0 || result.status == 2, comment)
      }
      counts[kind, default: 0] += 1
    }
    #expect(counts["y", default: 0] >= 95 && counts["n", default: 0] >= 188 && counts["i", default: 0] >= 35)
  }
}
