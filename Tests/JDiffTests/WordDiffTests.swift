import TestSupport
import Testing

@testable import FeedCore
@testable import jdiff

@Suite struct WordDiffTests {
  private static let parts = [
    "a", "b", "ab", " ", "  ", ",", "é", "語", "🌍", #"\n"#, #"\\"#, #"\""#, #"\u0041"#, #"\ud83c\udf0d"#, "_",
    "0123456789",
  ]

  private func string(_ parts: some Sequence<String>) -> JSONValue {
    JSONDocument(known: Array("\"\(parts.joined())\"".utf8)).root
  }

  private func text(_ pieces: [LinePart], where isIncluded: (LinePart) -> Bool = { _ in true }) -> [UInt8] {
    pieces.filter(isIncluded).flatMap(\.text)
  }

  /// Short strings are shown whole, and what is not marked is the same in both.
  @Test(arguments: 1...UInt64(Dice.rolls(400)))
  func marksAreWhatDiffers(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let old = (0..<Int.random(in: 0...12, using: &random)).map { _ in Self.parts.randomElement(using: &random) ?? "" }
    var new = old
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let place = Int.random(in: 0...new.count, using: &random)
      if place < new.count, Bool.random(using: &random) { new.remove(at: place) }
      if Bool.random(using: &random) {
        new.insert(Self.parts.randomElement(using: &random) ?? "", at: min(place, new.count))
      }
    }
    let (left, right) = (string(old), string(new))
    if left.text == right.text { return }
    let pieces = WordDiff(left, right).pieces
    #expect(text(pieces.old) == left.text && text(pieces.new) == right.text)
    let marks = (pieces.old + pieces.new).filter(\.isChangedWord)
    guard !marks.isEmpty else { return }
    #expect(text(pieces.old) { !$0.isChangedWord } == text(pieces.new) { !$0.isChangedWord })
    #expect(marks.contains { !$0.text.isEmpty })
  }

  /// Of long strings, little is shown, and it differs.
  @Test(arguments: 1...UInt64(Dice.rolls(40)))
  func longStringsAreShortened(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let parts = seed.isMultiple(of: 2) ? Self.parts : ["x"]
    let old = (0..<20_000).map { _ in parts.randomElement(using: &random) ?? "" }
    var new = old
    new[Int.random(in: new.indices, using: &random)] = "changed"
    let pieces = WordDiff(string(old), string(new)).pieces
    #expect(text(pieces.old) != text(pieces.new))
    #expect(text(pieces.new).count < 400)
    #expect(UTF8Check.firstInvalid(text(pieces.new).span) == nil)
  }

  /// Two strings of which every word is elsewhere, and two that have no word in common.
  @Test func aBillionComparisonsAreNotMade() {
    let words = (0..<100_000).map { "\($0) " }
    let others = (0..<100_000).map { "x\($0) " }
    for other in [words.reversed(), words.shuffled(), others] {
      let pieces = WordDiff(string(words), string(other)).pieces
      #expect(text(pieces.old) != text(pieces.new))
    }
  }
}
