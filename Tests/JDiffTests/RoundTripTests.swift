import Foundation
import TestSupport
import Testing

@testable import FeedCore
@testable import jdiff

/// Random documents, and those of the public suites: laws for any two documents (DiffLaws).
@Suite struct RoundTripTests {
  /// Random documents, and random changes to them.
  @Test(arguments: 1...8) func madeUpDocuments(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let pick: JSONDraft.Pick = { Int.random(in: 0..<$0, using: &random) }
    for round in 0..<Dice.rolls(300) {
      let old = JSONDraft.random(depth: 4, pick)
      var new = old
      if pick(8) == 0 { new = .random(depth: 4, pick) }
      for _ in 0..<pick(6) { new.mutate(pick) }
      var laws = DiffLaws()
      laws.options.addsTests = pick(2) == 0
      laws.options.isFine = pick(2) == 0
      laws.digestMask = [.max, .max, .max, 0, 1, 7][pick(6)]
      if pick(3) == 0 { laws.scope = Self.scope(pick) }
      check(laws, old.text, new.text, "seed \(seed), round \(round)")
    }
  }

  /// Small objects, so that one replace would often be shorter than keeping a member unchanged.
  @Test(arguments: ["/a", "/b", "/b/a", "/b/b", "/b/b/a"]) func ignoredMembersStay(_ pointer: String) throws {
    var random = SeededGenerator(seed: 21)
    let pick: JSONDraft.Pick = { Int.random(in: 0..<$0, using: &random) }
    func object(_ depth: Int) -> String {
      let names = ["a", "b", "c"].filter { _ in pick(5) > 0 }
      let members = names.map { name in
        "\"\(name)\":" + (name == "b" && depth > 0 ? object(depth - 1) : JSONDraft.random(depth: pick(2), pick).text)
      }
      return "{" + members.joined(separator: ",") + "}"
    }
    for _ in 0..<200 { try DiffLaws.checkIgnored(pointer, Array(object(2).utf8), Array(object(2).utf8)) }
  }

  static let pointers = [
    "", "/a", "/*", "/*/id", "/a/*", "/*/*", "/b/*/a", "/*/b", "/**/a", "/**", "/a/**/b", "/**/b/**/id",
  ]

  static let purposes: [Scope.ScopePurpose] =
    [
      .ignore, .only, .unordered, .unordered, .identity([Array("id".utf8)]),
      .identity(["a", "b"].map { Array($0.utf8) }),
    ]
    + ["1", "2.5", "50%", "0"].compactMap { NumberTolerance(Array($0.utf8)).map(Scope.ScopePurpose.tolerance) }

  static func scope(_ pick: JSONDraft.Pick) -> Scope {
    var scope = Scope()
    for _ in 0...pick(2) {
      let text = pointers[pick(pointers.count)]
      guard let pointer = try? JSONPointer(Array(text.utf8)) else { continue }
      let purpose: Scope.ScopePurpose = Self.purposes[pick(Self.purposes.count)]
      scope.add(Scope.Rule(purpose: purpose, pointer: pointer, text: "\(purpose) \(text)"))
    }
    return scope
  }

  /// Every order of five items, with and without added and removed ones: with the smallest number of moves.
  @Test func everyOrder() throws {
    func orders(_ items: [Int]) -> [[Int]] {
      if items.count < 2 { return [items] }
      return items.indices.flatMap { index in
        var rest = items
        let first = rest.remove(at: index)
        return orders(rest).map { [first] + $0 }
      }
    }
    var laws = DiffLaws()
    // Otherwise one replace would be shorter.
    laws.options.isFine = true
    for order in orders([10, 11, 12, 13, 14]) {
      let kept = Alignment.longestIncreasingRun(order).count { $0 }
      let ends: [([Int], [Int])] = [([], []), ([1, 2], [3]), ([], [4, 5]), ([6], [])]
      for (number, (gone, come)) in ends.enumerated() {
        var (old, new) = ([10, 11, 12, 13, 14], order)
        for (step, item) in gone.enumerated() { old.insert(item, at: (number + 3 * step) % 5) }
        for (step, item) in come.enumerated() { new.insert(item, at: (order[0] + 2 * step) % 5) }
        check(laws, "\(old)", "\(new)", "\(order)")
        // If one item is added and one removed, they may be a pair.
        if !gone.isEmpty, !come.isEmpty { continue }
        let sides = try [old, new].map { try Side(JSONDocument(parsing: Array("\($0)".utf8)), Scope()) }
        var differ = Differ(sides[0], sides[1], laws.options)
        differ.run()
        #expect(differ.changes.count { $0.kind == .move } == 5 - kept, "\(old) \(new)")
        #expect(differ.changes.count == 5 - kept + gone.count + come.count, "\(old) \(new)")
      }
    }
  }

  @Test func equalDocuments() throws {
    var random = SeededGenerator(seed: 99)
    let pick: JSONDraft.Pick = { Int.random(in: 0..<$0, using: &random) }
    for round in 0..<Dice.rolls(500) {
      let draft = JSONDraft.random(depth: 4, pick)
      check(DiffLaws(), draft.text, draft.respelled.text, "round \(round)")
      let (a, b) = try (Self.digest(draft.text), Self.digest(" \(draft.respelled.text)\n"))
      #expect(a == b, "round \(round): \(draft.text) and \(draft.respelled.text)")
    }
  }

  @Test(
    .enabled(if: Repository.conformance != nil, "FEEDUTILS_CONFORMANCE is unset"),
    arguments: ["json-patch-tests/tests.json", "json-patch-tests/spec_tests.json", "rfc/rfc7386_appendix_a.json"])
  func publicPairs(_ file: String) throws {
    var count = 0
    for record in try JSONDocument(parsing: Array(Repository.conformanceFile(file))).root.children {
      guard let old = record.value.member(Array("doc".utf8)), let new = record.value.member(Array("expected".utf8))
      else { continue }
      count += 1
      let (oldText, newText) = (String(decoding: old.text, as: UTF8.self), String(decoding: new.text, as: UTF8.self))
      for addsTests in [false, true] {
        var laws = DiffLaws()
        laws.options.addsTests = addsTests
        check(laws, oldText, newText, "\(file), pair \(count)")
        check(laws, newText, oldText, "\(file), pair \(count) backwards")
      }
    }
    #expect(count >= 10)
  }

  // MARK: Digests

  /// Each line is one value in several spellings.
  @Test(arguments: [
    ["1", "1.0", "10e-1", "0.1E+1", "1e0", "1000e-3", "0.0001e4"],
    ["0", "-0", "0.000", "0e7", "-0E-400"],
    ["1e400", "10e399", "0.1e401", "1E+400"],
    ["-1e-400", "-0.1e-399"],
    ["1234567890123456789", "1234567890123456789.0", "12345678901234567890e-1", "1.234567890123456789e18"],
    ["9999999999999999999", "99999999999999999990e-1"],
    ["12345678901234567890", "1234567890123456789e1", "12345678901234567890.00", "1.2345678901234567890e19"],
    ["12345678901234567891", "123456789012345678910e-1"],
    ["100000000000000000000", "1e20", "10000000000000000000e1", "1.00000000000000000000000E20"],
    ["0.00001", "1e-5", "0.000010", "0.000000000000000000000001e19"],
    ["1e100000000000000000000", "10e99999999999999999999"],
    [#""a""#, #""\u0061""#],
    [#""😀""#, #""\ud83d\ude00""#, #""\uD83D\uDE00""#],
    [#""a/b""#, #""a\/b""#],
    [#"{"a":1,"b":[2],"c":{}}"#, #"{"c":{},"b":[2.0],"a":1}"#, #" { "\u0062" : [ 2 ] , "a" : 1 , "c" : { } } "#],
  ])
  func equalDigests(_ spellings: [String]) throws {
    for text in spellings {
      #expect(try Self.digest(text) == Self.digest(spellings[0]), "\(text)")
      #expect(try Self.digest("[\(text)]") == Self.digest("[\(spellings[0]) ]"), "\(text)")
      #expect(JSONTree.equal(try Self.tree(text), try Self.tree(spellings[0])), "\(text)")
    }
  }

  /// No two of these are equal. That no two digests are equal either is almost certain (2^-64).
  @Test func differentDigests() throws {
    let texts = [
      "0", "1", "-1", "10", "0.1", "1e400", "1e401", "12345678901234567890", "12345678901234567891", "\"\"", "\"1\"",
      "\"a\"", "\"b\"", "\"\\u0000\"", "\"\u{E9}\"", "\"e\u{301}\"", "null", "true", "false", "[]", "{}", "[[]]",
      "[{}]",
      "[null]", "[0]", "[1,2]", "[2,1]", #"{"a":1}"#, #"{"a":2}"#, #"{"b":1}"#, #"{"a":"b"}"#, #"{"b":"a"}"#,
      #"{"a":1,"b":2}"#, #"{"a":2,"b":1}"#,
    ]
    #expect(Set(try texts.map(Self.digest)).count == texts.count)
  }

  /// Strings are read word by word, also at the end of the text, with and without escapes.
  @Test(arguments: 0...17) func digestsOfShortStrings(_ count: Int) throws {
    let content = String("0123456789abcdefg".prefix(count))
    let escaped = content.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
    let plain = try Self.digest("\"\(content)\"")
    #expect(try Self.digest("\"\(escaped)\"") == plain)
    for tail in ["]", ",1]", ",\"01234567890123456789\"]"] {
      let document = try JSONDocument(parsing: Array("[\"\(content)\"\(tail)".utf8))
      #expect(JSONDigests.of(document.root)[document.first(0)] == plain)
    }
    #expect(try Self.digest("\"\(content)\" ") == plain)
    #expect(try Self.digest("\"\(content)x\"") != plain)
  }

  static func tree(_ text: String) throws -> JSONTree { JSONTree(try JSONDocument(parsing: Array(text.utf8)).root) }

  static func digest(_ text: String) throws -> UInt64 {
    JSONDigests.of(try JSONDocument(parsing: Array(text.utf8)).root)[0]
  }
}

/// Reports a broken law, with the documents that show it.
private func check(_ laws: DiffLaws, _ old: String, _ new: String, _ comment: String) {
  do { try laws.check(Array(old.utf8), Array(new.utf8)) } catch {
    Issue.record("\(comment) (\(laws)): \(error)")
  }
}
