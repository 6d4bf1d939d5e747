import TestSupport
import Testing

@testable import FeedCore

/// Three-way merges of random documents: the laws (MergeLaws).
@Suite struct ThreeWayTests {
  @Test(arguments: 1...8) func madeUpDocuments(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let pick: JSONDraft.Pick = { Int.random(in: 0..<$0, using: &random) }
    for round in 0..<300 {
      let base = JSONDraft.random(depth: 4, pick)
      var (ours, theirs) = (base, base)
      for _ in 0...pick(4) { ours.mutate(pick) }
      for _ in 0...pick(4) { theirs.mutate(pick) }
      let texts = [base, ours, theirs].map { MergeLaws.text(Array($0.text.utf8), layout: round % 3) }
      do { try MergeLaws().check(texts[0], texts[1], texts[2], pick) } catch {
        Issue.record("seed \(seed), round \(round): \(error)")
        return
      }
    }
  }
}
