import TestSupport
import Testing

@testable import FeedCore
@testable import jdiff

@Suite struct AlignmentTests {
  /// Lists of letters, and which letters stay in their place.
  @Test(arguments: [
    ("", "", ""),
    ("abc", "", ""),
    ("", "abc", ""),
    ("abc", "abc", "abc"),
    ("abc", "xyz", ""),
    ("abcde", "edcba", "1"),
    ("ab", "ba", "1"),
    ("abcde", "abdce", "4"),
    ("abcde", "zabcd", "abcd"),
    ("abcde", "bcdea", "bcde"),
    ("abcde", "eabcd", "abcd"),
    ("aaaa", "aaaaaa", "aaaa"),
    ("aaaaaa", "aaaa", "aaaa"),
    ("aab", "baa", "aa"),
    ("abab", "baba", "3"),
    ("abcabba", "cbabac", "4"),
    ("xaxbxcx", "abc", "abc"),
    ("abc", "xaxbxcx", "abc"),
    ("abcxdef", "defxabc", "3"),
  ])
  func keptItems(_ old: String, _ new: String, _ kept: String) {
    let (a, b) = (old.utf8.map { Int($0) - 97 }, new.utf8.map { Int($0) - 97 })
    let found = Self.kept(a, b)
    Self.checkPairs(a, b)
    // If several responses are equally good, only the number is compared.
    if let count = Int(kept) {
      #expect(found.count == count)
    } else {
      #expect(String(decoding: found.map { UInt8(a[$0.old] + 97) }, as: UTF8.self) == kept)
    }
    #expect(found.count == Self.longestCommonSubsequence(a, b))
  }

  @Test(
    arguments: [
      ([], []),
      ([5], [true]),
      ([1, 2, 3], [true, true, true]),
      ([3, 2, 1], [false, false, true]),
      ([1, 1, 1], [false, false, true]),
      ([0, 3, 1, 2], [true, false, true, true]),
      ([2, 0, 1, 9, 3], [false, true, true, false, true]),
    ] as [([Int], [Bool])])
  func longestIncreasingRun(_ values: [Int], _ members: [Bool]) {
    #expect(Alignment.longestIncreasingRun(values) == members)
  }

  @Test func keepsAsManyAsTheLongestCommonSubsequence() {
    var random = SeededGenerator(seed: 5)
    for round in 0..<1500 {
      let values = [1, 2, 3, 6, 30][round % 5]
      func list() -> [Int] {
        (0..<Int.random(in: 0...14, using: &random)).map { _ in Int.random(in: 0..<values, using: &random) }
      }
      var (a, b) = (list(), list())
      switch round % 3 {
      case 0: break
      case 1:
        // All different, and in another order.
        a = Array(0..<14).shuffled(using: &random)
        b = Array(a.shuffled(using: &random).prefix(10)) + [20, 21]
      default:
        // A few edits.
        b = a
        for _ in 0..<3 where !b.isEmpty {
          b.remove(at: Int.random(in: 0..<b.count, using: &random))
          b.insert(Int.random(in: 0..<values, using: &random), at: Int.random(in: 0...b.count, using: &random))
        }
      }
      #expect(Self.kept(a, b).count == Self.longestCommonSubsequence(a, b), "\(a) \(b)")
      Self.checkPairs(a, b)
    }
  }

  /// Too different for Myers' algorithm: there are still as many pairs as possible, and the anchors are in order.
  @Test(arguments: [1, 2, 50, 5000]) func longListsOfFewValues(_ values: Int) {
    var random = SeededGenerator(seed: UInt64(values))
    let a = (0..<5000).map { $0 % values }.shuffled(using: &random)
    let b = ((0..<5000).map { $0 % values } + [0, 0, 0]).shuffled(using: &random)
    Self.checkPairs(a, b)
  }

  /// When the work is limited, values that are once in each list still keep the others in place.
  @Test func uniqueItemsHoldTheRest() {
    var random = SeededGenerator(seed: 3)
    // Sections with unique heads, which contain few different values in random order.
    func list() -> [Int] {
      (0..<100).flatMap { head in [head] + (0..<60).map { _ in 100 + Int.random(in: 0..<9, using: &random) } }
    }
    let (a, b) = (list(), list())
    let heads = Self.kept(a, b).filter { a[$0.old] < 100 }
    #expect(heads.count >= 90)
  }

  // MARK: The simple way

  /// The pairs that can stay, in order.
  static func kept(_ a: [Int], _ b: [Int]) -> [Alignment.Pair] {
    Alignment.orderedPairs(a, b, classCount: (a + b).max().map { $0 + 1 } ?? 0)
  }

  /// Each item is in at most one pair, with an equal item, and no possible pair is left.
  static func checkPairs(_ a: [Int], _ b: [Int]) {
    let pairs = Alignment.pairs(a, b, classCount: (a + b).max().map { $0 + 1 } ?? 0)
    #expect(Set(pairs.map(\.old)).count == pairs.count && Set(pairs.map(\.new)).count == pairs.count)
    #expect(pairs.allSatisfy { a[$0.old] == b[$0.new] })
    let counts = [a, b].map { Dictionary(grouping: $0, by: { $0 }).mapValues(\.count) }
    #expect(pairs.count == counts[0].reduce(0) { $0 + min($1.value, counts[1][$1.key] ?? 0) })
  }

  static func longestCommonSubsequence(_ a: [Int], _ b: [Int]) -> Int {
    var row = [Int](repeating: 0, count: b.count + 1)
    for x in a {
      var diagonal = 0
      for (place, y) in b.enumerated() {
        let above = row[place + 1]
        row[place + 1] = x == y ? diagonal + 1 : max(above, row[place])
        diagonal = above
      }
    }
    return row[b.count]
  }
}
