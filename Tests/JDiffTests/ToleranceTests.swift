import Foundation
import TestSupport
import Testing

@testable import FeedCore

/// --tolerance, against exact fractions of python, and against plain models.
@Suite struct ToleranceTests {
  /// Prints two numbers, a tolerance, and whether it allows their difference. Most of them are at the limit, or one digit
  /// beside it.
  static let program = """
    import random, sys
    from decimal import Decimal, getcontext
    from fractions import Fraction
    getcontext().prec = 3000
    getcontext().Emax, getcontext().Emin = 10**6, -10**6
    pick = random.Random(int(sys.argv[1]))
    def number(digits, spread):
        text = str(pick.randrange(10 ** pick.randint(1, digits)))
        place = pick.randint(0, len(text))
        text = (text[:place] or "0") + "." + (text[place:] or "0")
        text = text.lstrip("0") if text[0] == "0" and text[1] != "." else text
        text = text if text[0] != "." else "0" + text
        if pick.random() < 0.5: text += "e%d" % pick.randint(-spread, spread)
        return Decimal(("-" if pick.random() < 0.4 else "") + text)
    def shown(number):
        text = "{:f}".format(number) if pick.random() < 0.5 and abs(number.adjusted()) < 900 else str(number)
        return text.replace("E+", "e").replace("E", "e")
    for _ in range(1500):
        digits = pick.choice([2, 5, 19, 60, 400])
        a, x = number(digits, pick.choice([3, 30, 400])), abs(number(pick.choice([1, 3, 15]), pick.choice([0, 3, 20])))
        share = pick.random() < 0.4
        kind = pick.randrange(4)
        limit = x * max(abs(a), Decimal(0)) / 100 if share else x
        b = number(digits, 5) if kind == 0 else a + limit * pick.choice([1, -1])
        if kind >= 2: b += Decimal((pick.randrange(2), (1,), b.as_tuple().exponent - pick.randrange(3)))
        p, q, most = Fraction(a), Fraction(b), Fraction(x)
        if share: most = most * max(abs(p), abs(q)) / 100
        print(shown(a), shown(b), shown(x) + ("%" if share else ""), int(abs(p - q) <= most))
    """

  @Test(.enabled(if: (try? Command.shell("python3 -c 1"))?.status == 0, "there is no python3"), arguments: 1...3)
  func fractionsAgree(_ seed: Int) throws {
    let result = try Command.shell("python3 -c \(Command.quote(Self.program)) \(seed)")
    let lines = result.text.split(separator: "\n")
    #expect(result.status == 0 && lines.count == 1500, "\(result.error)")
    var allowed = 0
    for line in lines {
      let words = line.split(separator: " ").map { Array($0.utf8) }
      let tolerance = try #require(NumberTolerance(words[2]), "\(line)")
      let numbers = try words[..<2].map { try JSONDocument(parsing: $0).root }
      #expect(tolerance.allows(numbers[0], numbers[1]) == (words[3] == [UInt8(ascii: "1")]), "\(line)")
      #expect(tolerance.allows(numbers[1], numbers[0]) == tolerance.allows(numbers[0], numbers[1]), "\(line)")
      if words[3] == [UInt8(ascii: "1")] { allowed += 1 }
    }
    #expect((300...1200).contains(allowed))
  }

  /// Numbers of fifty thousand digits, and exponents of twenty thousand.
  @Test func hugeNumbers() throws {
    let digits = String(repeating: "7", count: 50_000)
    let exponent = String(repeating: "9", count: 20_000)
    let numbers = [
      "\(digits)1", "\(digits)2", "1e\(exponent)", "2e\(exponent)", "-1e\(exponent)", "1e-\(exponent)", "0",
    ]
    let values = try numbers.map { try JSONDocument(parsing: Array($0.utf8)).root }
    func near(_ a: Int, _ b: Int, _ tolerance: String) throws -> Bool {
      try #require(NumberTolerance(Array(tolerance.utf8))).allows(values[a], values[b])
    }
    #expect(try near(0, 1, "1") && !near(0, 1, "0.999") && near(0, 1, "1%") && near(0, 1, "1e-20000%"))
    #expect(try near(2, 3, "50%") && !near(2, 3, "49.9%") && near(2, 3, "1e\(exponent)"))
    #expect(try !near(2, 4, "1e\(exponent)") && near(2, 4, "2e\(exponent)") && near(2, 4, "200%"))
    #expect(try near(5, 6, "1e-400") && !near(5, 6, "99.9%") && near(5, 6, "100%") && !near(5, 0, "1e400"))
  }

  // MARK: Models

  /// Items pair in order as often as possible, though being alike is not transitive.
  @Test func asManyAsTheLongestCommonSubsequence() {
    var random = SeededGenerator(seed: 7)
    for round in 0..<Dice.rolls(2000) {
      let old = (0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 0...9, using: &random) }
      let new = (0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 0...9, using: &random) }
      let pairs = Alignment.similar(old.count, new.count) { abs(old[$0] - new[$1]) <= 1 }
      var longest = [[Int]](repeating: [Int](repeating: 0, count: new.count + 1), count: old.count + 1)
      for i in old.indices {
        for j in new.indices {
          let both = abs(old[i] - new[j]) <= 1 ? longest[i][j] + 1 : 0
          longest[i + 1][j + 1] = max(both, longest[i][j + 1], longest[i + 1][j])
        }
      }
      #expect(pairs.count == longest[old.count][new.count], "round \(round): \(old) \(new)")
      #expect(pairs.allSatisfy { abs(old[$0.old] - new[$0.new]) <= 1 })
      #expect(zip(pairs, pairs.dropFirst()).allSatisfy { $0.old < $1.old && $0.new < $1.new })
    }
  }

  /// Equality within a tolerance, as it is defined.
  @Test(arguments: 1...4) func equality(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(40 + seed))
    let pick: JSONDraft.Pick = { Int.random(in: 0..<$0, using: &random) }
    let tolerance = try #require(NumberTolerance(Array("1".utf8)))
    var scope = Scope()
    scope.add(Scope.Rule(purpose: .tolerance(tolerance), pointer: JSONPointer(), text: "--tolerance 1"))
    func areEqual(_ a: JSONValue, _ b: JSONValue) -> Bool {
      if a.kind == .number && b.kind == .number { return tolerance.allows(a, b) }
      let (left, right) = (Array(a.children), Array(b.children))
      guard a.kind == b.kind, a.kind.isContainer, left.count == right.count else {
        return !a.kind.isContainer && JSONTree.equal(JSONTree(a), JSONTree(b))
      }
      if a.kind == .array { return zip(left, right).allSatisfy { areEqual($0.value, $1.value) } }
      let names = [left, right].map { $0.compactMap(\.key).map(JSONString.decoded) }
      if Set(names[0]).count < names[0].count || Set(names[1]).count < names[1].count {
        return names[0] == names[1] && zip(left, right).allSatisfy { areEqual($0.value, $1.value) }
      }
      return zip(names[0], left).allSatisfy { name, member in b.member(name).map { areEqual(member.value, $0) } == true
      }
    }
    var same = 0
    for round in 0..<Dice.rolls(400) {
      let old = JSONDraft.random(depth: 4, pick)
      var new = old.jittered(pick)
      if pick(2) == 0 { new.mutate(pick) }
      let documents = try [old, new].map { try JSONDocument(parsing: Array($0.text.utf8)) }
      let isSame = areEqual(documents[0].root, documents[1].root)
      if isSame, old.text != new.text { same += 1 }
      let sides = try documents.map { try Side($0, scope) }
      #expect(Sides.areEqual(sides[0], sides[1]) == isSame, "round \(round): \(old.text) \(new.text)")
      var differ = Differ(sides[0], sides[1], Differ.Settings())
      differ.run()
      #expect(differ.changes.isEmpty == isSame, "round \(round): \(old.text) \(new.text)")
    }
    #expect(same > Dice.rolls(10))
  }

  // MARK: **

  /// What `--ignore` leaves of a document, with `**` in any place.
  @Test(arguments: 1...4) func anyNumberOfTokens(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(60 + seed))
    let pick: JSONDraft.Pick = { Int.random(in: 0..<$0, using: &random) }
    func matches(_ steps: ArraySlice<String>, _ path: ArraySlice<String>) -> Bool {
      guard let step = steps.first else { return path.isEmpty }
      if step == "**" {
        return matches(steps.dropFirst(), path) || (!path.isEmpty && matches(steps, path.dropFirst()))
      }
      guard let token = path.first, step == "*" || step == token else { return false }
      return matches(steps.dropFirst(), path.dropFirst())
    }
    /// The paths to all values, without what is ignored and what is in it.
    func paths(_ value: JSONValue, _ path: [String], without steps: [String]) -> [String] {
      if matches(steps[...], path[...]) { return [] }
      return [path.joined(separator: "/")]
        + value.children.flatMap { child in
          paths(
            child.value, path + [child.key.map { String(decoding: JSONString.decoded($0), as: UTF8.self) } ?? "item"],
            without: steps)
        }
    }
    func made(_ depth: Int) -> String {
      switch depth == 0 ? 0 : pick(4) {
      case 0: "1"
      case 1: "[" + (0..<pick(4)).map { _ in made(depth - 1) }.joined(separator: ",") + "]"
      default:
        "{" + ["a", "b", "c"].filter { _ in pick(3) > 0 }.map { "\"\($0)\":\(made(depth - 1))" }.joined(separator: ",")
          + "}"
      }
    }
    var fewer = 0
    for _ in 0..<Dice.rolls(400) {
      let steps = (0...pick(6)).map { _ in ["a", "b", "*", "**", "**"][pick(5)] }
      if steps.allSatisfy({ $0 == "**" }) { continue }
      var scope = Scope()
      let pointer = JSONPointer(tokens: steps.map { Array($0.utf8) })
      scope.add(Scope.Rule(purpose: .ignore, pointer: pointer, text: "--ignore"))
      let document = try JSONDocument(parsing: Array(made(6).utf8))
      let left = paths(try Side(document, scope).root, [], without: ["none"])
      #expect(
        left == paths(document.root, [], without: steps), "\(steps) \(String(decoding: document.bytes, as: UTF8.self))")
      if left.count < paths(document.root, [], without: ["none"]).count { fewer += 1 }
    }
    #expect(fewer > Dice.rolls(50))
  }
}

extension JSONDraft {
  /// The same with small changes of some numbers.
  fileprivate func jittered(_ pick: Pick) -> JSONDraft {
    switch self {
    case .scalar("1"), .scalar("2"), .scalar("3"): .scalar(["0.5", "1.5", "2", "2.25", "3"][pick(5)])
    case .scalar: self
    case .array(let items): .array(items.map { $0.jittered(pick) })
    case .object(let members):
      .object(members.map { Member(name: $0.name, value: $0.value.jittered(pick)) })
    }
  }
}
