import TestSupport
import Testing

@testable import deliver

/// Which part is tried next, with any COMMAND: an outage makes no record dead, and a bad record never stops the rest.
@Suite struct DivisionTests {
  private static func sizes(_ total: Int, _ size: Int) -> [Int] {
    Array(repeating: size, count: total / size) + (total % size > 0 ? [total % size] : [])
  }

  @Test(arguments: 0..<Dice.rolls(600))
  func anOutageIsNeverPoison(_ seed: Int) throws {
    var dice = SeededGenerator(seed: UInt64(seed))
    let total = Int.random(in: 1...120, using: &dice)
    let size = [1, 2, 3, 7, 50, 200].randomElement(using: &dice) ?? 1
    let retries = [nil, 0, 1, 3].randomElement(using: &dice) ?? nil
    let backoff = ["0.1", "1", "5", "60"].randomElement(using: &dice) ?? "1"
    let words = "--dead x --max-backoff \(backoff)" + (retries.map { " --retries \($0)" } ?? "")
    var play = Play(outages: Play.outages(&dice))
    play.play(try given(words), sizes: Self.sizes(total, size), dice: &dice)
    #expect(play.dead == [], "\(words)")
    // Before anything was taken, a mistake must be visible; later, only the end of the input makes it give up.
    if play.end == .gaveUp { #expect(play.taken == [] || retries != nil) } else { #expect(play.end == .done) }
    if play.end == .done { #expect(play.taken.sorted() == Array(0..<total)) }
  }

  /// A COMMAND that takes some requests may take another record after the suspect, and then not the suspect again.
  @Test func halfAnOutageIsHardlyPoison() throws {
    var dice = SeededGenerator(seed: 4)
    var dead = (limited: 0, flapping: 0)
    for turn in 0..<2000 {
      let words = "--dead x --max-dead 1000 --retries \(1 + turn % 4)"
      let sizes = Self.sizes(20, [1, 5, 20][turn % 3])
      var limited = Play()
      limited.interval = Double.random(in: 1...20, using: &dice)
      limited.play(try given(words), sizes: sizes, dice: &dice)
      dead.limited += limited.dead.count
      var flapping = Play()
      flapping.failing = 0.5
      flapping.play(try given(words), sizes: sizes, dice: &dice)
      dead.flapping += flapping.dead.count
    }
    // Of 40,000 records.
    #expect(dead.limited < 20 && dead.flapping < 50, "\(dead)")
  }

  @Test(arguments: 0..<Dice.rolls(600))
  func whatIsRefusedAloneIsDead(_ seed: Int) throws {
    var dice = SeededGenerator(seed: UInt64(1000 + seed))
    let total = Int.random(in: 1...200, using: &dice)
    let size = [1, 2, 7, 50, 100].randomElement(using: &dice) ?? 1
    let retries = [nil, 0, 1, 3].randomElement(using: &dice) ?? nil
    let maxDead = [0, 1, 5, 1000].randomElement(using: &dice) ?? 0
    let hasDead = Bool.random(using: &dice)
    var words = hasDead ? "--dead x --max-dead \(maxDead)" : ""
    if let retries { words += " --retries \(retries)" }
    let share: Double = [0.01, 0.1, 0.5].randomElement(using: &dice) ?? 0.1
    let refused = Set((0..<total).filter { _ in Double.random(in: 0...1, using: &dice) < share })
    var play = Play(refused: refused, outages: Bool.random(using: &dice) ? Play.outages(&dice) : [])
    play.play(try given(words), sizes: Self.sizes(total, size), dice: &dice)

    #expect(Set(play.dead).isSubset(of: refused) && Set(play.dead).count == play.dead.count)
    #expect(Set(play.taken).isDisjoint(with: play.dead) && Set(play.taken).count == play.taken.count)
    switch play.end {
    case .done: #expect(play.taken.count + play.dead.count == total && (hasDead || refused.isEmpty))
    case .refused(let index): #expect(!hasDead && (refused.contains(index) || retries != nil))
    case .tooManyDead(let index):
      #expect(refused.contains(index) && play.dead.suffix(maxDead).count == maxDead)
    case .gaveUp: #expect(play.taken.isEmpty || retries != nil)
    case .endless: Issue.record("endless: \(words)")
    }
  }

  @Test(arguments: 0..<Dice.rolls(600))
  func whatIsNeverTakenIsDeadOnceOthersWereTaken(_ seed: Int) throws {
    var dice = SeededGenerator(seed: UInt64(2000 + seed))
    let total = Int.random(in: 2...120, using: &dice)
    let size = [1, 2, 7, 50].randomElement(using: &dice) ?? 1
    let retries = [0, 1, 3].randomElement(using: &dice) ?? 0
    let words = "--dead x --max-backoff 5 --retries \(retries)"
    var stuck: Set<Int> = []
    var refused: Set<Int> = []
    for index in 1..<total {
      switch Int.random(in: 0..<8, using: &dice) {
      case 0: stuck.insert(index)
      case 1: refused.insert(index)
      default: break
      }
    }
    var play = Play(refused: refused, stuck: stuck)
    // The first record goes alone, so that something has been taken.
    play.play(try given(words), sizes: [1] + Self.sizes(total - 1, size), dice: &dice)
    let what = Comment(rawValue: "\(words), \(size): \(stuck.sorted()), \(refused.sorted())")
    #expect(Set(play.dead).isSubset(of: stuck.union(refused)) && Set(play.dead).count == play.dead.count, what)
    let left = Set(0..<total).subtracting(play.dead).subtracting(play.taken)
    // A record without another one to compare with, at the end, is left for the next run.
    switch play.end {
    case .done: #expect(left.isEmpty, what)
    case .gaveUp:
      #expect(!left.isEmpty && left.isSubset(of: stuck.union(refused)), what)
      #expect(play.taken.count == total - stuck.count - refused.count, what)
    default: Issue.record("\(play.end): \(what)")
    }
  }

  @Test(arguments: [1, 2, 5, 100])
  func manyInARowComeToAnEnd(_ size: Int) throws {
    var dice = SeededGenerator(seed: 1)
    for count in [2, 3, 40, 99] {
      var play = Play(stuck: Set(1...count))
      let words = "--dead x --max-backoff 0.1 --retries 1"
      play.play(try given(words), sizes: [1] + Self.sizes(count + 300, size), steps: 200_000, dice: &dice)
      #expect(play.end == .done && play.dead == Array(1...count), "\(count)")
    }
    // One more than --max-dead ends it. (For records that are only not taken, another one comes between.)
    var play = Play(refused: Set(1...4))
    play.play(try given("--dead x --max-dead 3"), sizes: [1] + Self.sizes(50, size), dice: &dice)
    #expect(play.end == .tooManyDead(4) && play.dead == [1, 2, 3])
  }

  @Test(arguments: [100, 7])
  func oneOfTenThousandAtEveryPlace(_ size: Int) throws {
    var dice = SeededGenerator(seed: 2)
    for place in 0..<size {
      for index in [place, 5000 / size * size + place] {
        var play = Play(refused: [index])
        play.play(try given("--dead x"), sizes: Self.sizes(10_000, size), dice: &dice)
        #expect(play.end == .done && play.dead == [index] && play.taken == (0..<10_000).filter { $0 != index })
        // By halving: not many more runs than batches.
        #expect(play.runs <= (10_000 + size - 1) / size + 16)
      }
      // Not the first record: before COMMAND has taken anything, this would be a mistake.
      let index = 5000 / size * size + place
      var play = Play(stuck: [index])
      play.play(try given("--dead x --retries 1"), sizes: Self.sizes(10_000, size), dice: &dice)
      #expect(play.end == .done && play.dead == [index] && play.taken.count == 9999)
    }
  }

  @Test func aSinkThatIsAwayForEver() throws {
    var dice = SeededGenerator(seed: 3)
    for words in ["--dead x", "--dead x --retries 0", "--dead x --retries 3", "", "--retries 2"] {
      var never = Play(outages: [0..<1e15])
      never.play(try given(words), sizes: [10, 10], dice: &dice)
      #expect(never.end == .gaveUp && never.dead.isEmpty && never.taken.isEmpty, "\(words)")
      // After something was taken.
      var later = Play(outages: [1.5..<1e15])
      later.play(try given(words), sizes: [10, 10], dice: &dice)
      #expect(later.dead.isEmpty && later.taken == Array(0..<10), "\(words)")
      #expect(later.end == (words.contains("--retries") ? .gaveUp : .endless), "\(words)")
    }
  }
}
