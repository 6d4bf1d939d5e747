import Testing

@testable import FeedCore

/// IDs that a tool gives: whole numbers that grow, in every run.
struct EventIDTests {
  /// 2026-11-24 in microseconds since 1970.
  private static let now: Int64 = 1_795_478_400_000_000

  private func next(_ ids: inout EventIDs, at now: Int64 = now) throws -> Int {
    try #require(Int(decimal: ids.next(at: now)))
  }

  @Test func theyAreTheTime() throws {
    var ids = EventIDs()
    #expect(try next(&ids) == Int(Self.now))
    #expect(try next(&ids, at: Self.now + 5) == Int(Self.now) + 5)
  }

  /// Several in a microsecond, or while the clock goes back.
  @Test(arguments: [0, 1, 1_000_000, 1_795_478_400_000_000])
  func theyGrowWithoutTheClock(_ back: Int64) throws {
    var ids = EventIDs()
    for step in 0..<100 { #expect(try next(&ids, at: Self.now - (step == 0 ? 0 : back)) == Int(Self.now) + step) }
  }

  /// A run that was killed gave more IDs than the checkpoint has. The next run gives none of them, wherever its clock is.
  @Test(arguments: [1, -1, -3_600_000_000])
  func noneComesAgain(_ elapsed: Int64) throws {
    var killed = EventIDs()
    let saved = killed.next(at: Self.now - 50)
    let lost = try Set((0..<50).map { try next(&killed, at: Self.now - 49 + $0) })
    for _ in 0..<1000 {
      var ids = EventIDs()
      ids.resume(after: saved, at: Self.now + elapsed)
      let first = try next(&ids, at: Self.now + elapsed)
      #expect(first > Int(Self.now) - 50 && (elapsed < 0 || first == Int(Self.now + elapsed)))
      if elapsed > 0 { #expect(!lost.contains(first)) }
    }
  }

  /// Two runs from one checkpoint do not meet, even if the clock stands still before it.
  @Test func aClockThatWasSetBackGivesRandomIDs() throws {
    let firsts = try (0..<20).map { _ in
      var ids = EventIDs()
      ids.resume(after: Array("1795478400000000 \"v7\"".utf8), at: 17)
      let first = try next(&ids, at: 17)
      #expect((Int(Self.now) + 2...Int(Self.now) + 1 + 1 << 28).contains(first))
      #expect(try next(&ids, at: 17) == first + 1)
      return first
    }
    #expect(Set(firsts).count > 17)
  }

  /// Others may have written it, and clocks may be wrong.
  @Test(arguments: ["", "x7", "-5", "9007199254740992", "9223372036854775808", "99999999999999999999999"])
  func aStrangeIDIsNone(_ id: String) throws {
    var ids = EventIDs()
    ids.resume(after: Array(id.utf8), at: Self.now)
    #expect(try next(&ids) == Int(Self.now))
  }

  @Test(arguments: [Int64.min, -1, 0]) func aClockBefore1970(_ now: Int64) throws {
    var ids = EventIDs()
    #expect(try (next(&ids, at: now), next(&ids, at: now)) == (1, 2))
  }

  @Test func allAreExactInEveryReader() throws {
    for limit in [Int64(1) << 53 - 1 << 40, 1 << 53, .max] {
      var ids = EventIDs()
      ids.resume(after: Array("\(1 << 53 - 1 << 40)".utf8), at: limit)
      #expect(try EventIDs.range.contains(next(&ids, at: limit)))
    }
  }

  @Test func theyCanBeCounted() throws {
    var ids = EventIDs(countingFrom: 0)
    #expect(try (0..<3).map { _ in try next(&ids) } == [0, 1, 2])
  }
}
