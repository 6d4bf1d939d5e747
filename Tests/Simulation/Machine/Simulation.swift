// Plays histories of a pipeline, finds one that breaks a promise, and shrinks it.

/// A pipeline with the model that judges it.
struct Pipeline: Sendable {
  let name: String
  let play: @Sendable (World) -> Void

  static let all = [
    Pipeline(name: "follow", play: { Follow.play($0) }), Pipeline(name: "serve", play: { Serve.play($0) }),
    Pipeline(name: "paginate", play: { Paginate.play($0) }), Pipeline(name: "deliver", play: { Deliver.play($0) }),
    Pipeline(name: "poll", play: { Poll.play($0) }), Pipeline(name: "next", play: { Next.play($0) }),
  ]
}

/// How a history went.
struct Outcome {
  let failure: String?
  let choices: [Int]
  /// How many things happened.
  let steps: Int
  let log: [String]
}

struct Simulation {
  let pipeline: Pipeline
  var fault: Fault?

  func play(_ choices: Choices, seed: Int, isVerbose: Bool = false) -> Outcome {
    let world = World(choices, noise: UInt64(seed) &+ 77, isVerbose: isVerbose)
    SimulatedMachine.world = world
    Fault.planted = fault
    pipeline.play(world)
    Fault.planted = nil
    return Outcome(failure: world.failure, choices: world.choices.made, steps: world.steps, log: world.log)
  }

  func play(seed: Int, isVerbose: Bool = false) -> Outcome {
    play(Choices(seed: UInt64(seed)), seed: seed, isVerbose: isVerbose)
  }

  /// The smallest history found that breaks the same promise: choices are left out and made smaller while it still does.
  /// - Parameter tries: the most histories to play.
  func shrink(_ found: Outcome, seed: Int, tries: Int = 1500) -> Outcome {
    var best = found
    var left = tries
    // Numbers in the words of a promise may change.
    let promise = Self.kind(found.failure)
    func attempt(_ choices: [Int]) -> Bool {
      guard left > 0 else { return false }
      left -= 1
      let outcome = play(Choices(again: choices), seed: seed)
      guard Self.kind(outcome.failure) == promise else { return false }
      // What was not asked for is 0, and need not be given.
      let used = Array(outcome.choices[..<((outcome.choices.lastIndex { $0 != 0 } ?? -1) + 1)])
      guard (used.count, used.reduce(0, +)) < (best.choices.count, best.choices.reduce(0, +)) else { return false }
      best = Outcome(failure: outcome.failure, choices: used, steps: outcome.steps, log: outcome.log)
      return true
    }
    _ = attempt(best.choices)
    var hasChanged = true
    while hasChanged, left > 0 {
      hasChanged = false
      // Leave out parts, large ones first.
      var size = max(1, best.choices.count / 2)
      while size >= 1 {
        var start = best.choices.count - size
        while start >= 0, left > 0 {
          if start + size <= best.choices.count {
            var fewer = best.choices
            fewer.removeSubrange(start..<(start + size))
            if attempt(fewer) { hasChanged = true }
          }
          start -= size
        }
        size /= 2
      }
      // Make the rest smaller.
      for index in stride(from: best.choices.count - 1, through: 0, by: -1) {
        for smaller in [0, 1, -1] {
          guard left > 0, index < best.choices.count, best.choices[index] > max(smaller, 0) else { continue }
          var less = best.choices
          less[index] = smaller < 0 ? less[index] - 1 - less[index] / 8 : smaller
          if attempt(less) {
            hasChanged = true
            break
          }
        }
      }
    }
    return best
  }

  private static func kind(_ failure: String?) -> String? { failure.map { $0.filter(\.isLetter) } }
}
