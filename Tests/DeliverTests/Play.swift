import TestSupport
import Testing

@testable import deliver

/// A simulated COMMAND, and what deliver does with it: `Division` with a clock that only runs and waits advance.
struct Play {
  enum End: Equatable { case done, refused(Int), tooManyDead(Int), gaveUp, endless }

  /// Records that are refused for good, alone or together with others.
  var refused: Set<Int>
  /// Records that are never taken, although no status says so.
  var stuck: Set<Int>
  /// The times in which COMMAND takes nothing. A run takes 1, and so does a wait of a second.
  var outages: [Range<Double>]
  /// COMMAND takes one run in this many seconds, like a server with a rate limit (HTTP 429).
  var interval = 0.0
  /// The fraction of runs that COMMAND does not take, at random.
  var failing = 0.0

  private(set) var taken: [Int] = []
  private(set) var dead: [Int] = []
  private(set) var end = End.endless
  private(set) var runs = 0

  private var now = 0.0
  private var nextTime = 0.0
  private var runsSinceProgress = 0

  init(refused: Set<Int> = [], stuck: Set<Int> = [], outages: [Range<Double>] = []) {
    (self.refused, self.stuck, self.outages) = (refused, stuck, outages)
  }

  /// - Parameters:
  ///   - sizes: the sizes of the batches, in order.
  ///   - steps: after this many, the play counts as endless.
  mutating func play(_ options: Options, sizes: [Int], steps: Int = 20_000, dice: inout SeededGenerator) {
    var seed = dice
    let jitter = Double.random(in: 0...1, using: &seed)
    var division = Division(options, random: { jitter })
    var left = steps
    var first = 0
    let total = sizes.reduce(0, +)
    for size in sizes where first < total {
      // Batches that were extended leave fewer records.
      var count = min(size, total - first)
      division.begin(count)
      loop: while true {
        left -= 1
        if left == 0 { return }
        switch division.next() {
        case .done: break loop
        case .run(let part):
          check(part, first, division, options)
          division.end(outcome(part, first, &dice))
        case .wait(let seconds, _, let isShort):
          now += seconds
          runsSinceProgress = 0
          if isShort && first + count == total { division.endInput() }
          if isShort && first + count < total {
            division.extend()
            count += 1
          }
        case .dead(let index, let tries):
          #expect(tries > 0)
          dead.append(first + index)
          division.removeDead()
          runsSinceProgress = 0
        case .refused(let index): return end = .refused(first + index)
        case .tooManyDead(let index): return end = .tooManyDead(first + index)
        case .gaveUp: return end = .gaveUp
        }
      }
      #expect(division.done == count)
      first += count
    }
    end = .done
  }

  private func isAway(_ time: Double) -> Bool { outages.contains { $0.contains(time) } }

  private mutating func outcome(
    _ part: Division.Part, _ first: Int, _ dice: inout SeededGenerator
  ) -> Ended.Outcome {
    let records = part.records.map { $0 + first }
    now += interval > 0 ? 0.1 : 1
    if now < nextTime || failing > 0 && Double.random(in: 0..<1, using: &dice) < failing { return .notNow }
    if interval > 0 { nextTime = now + interval }
    if isAway(now) || records.contains(where: stuck.contains) { return .notNow }
    if records.contains(where: refused.contains) { return .refused }
    taken += records
    runsSinceProgress = 0
    return .taken
  }

  /// Checks that the order is kept, except for comparisons, and that runs without a wait end.
  private mutating func check(_ part: Division.Part, _ first: Int, _ division: Division, _ options: Options) {
    runs += 1
    runsSinceProgress += 1
    #expect(runsSinceProgress < 64, "runs without a wait")
    if part.records.lowerBound == division.done { return }
    #expect(part.records.count == 1 && options.retries != nil && options.dead != nil, "out of order: \(part)")
  }

  /// Outages and times between them, each longer than a comparison, so that no suspect meets two outages in one.
  static func outages(_ dice: inout SeededGenerator) -> [Range<Double>] {
    var result: [Range<Double>] = []
    var time = Double.random(in: 0...10, using: &dice)
    for _ in 0..<Int.random(in: 0...20, using: &dice) {
      let longest: Double = [3.0, 30.0, 300.0].randomElement(using: &dice) ?? 3.0
      let end = time + Double.random(in: 0.1...longest, using: &dice)
      result.append(time..<end)
      time = end + Double.random(in: 2.01...longest + 2, using: &dice)
    }
    return result
  }
}
