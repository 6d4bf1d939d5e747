// The command line of `simulate`.

import Glibc

struct SimulatorCommand {
  private var names: [String] = []
  private var seeds = 1...2000
  private var isPlanted = false
  private var isVerbose = false
  private var isAlone = false

  private static let usage = """
    usage: simulate [--pipeline NAME] [--seeds FROM-TO | --count N] [--planted]
           simulate --pipeline NAME --seed N [--verbose]
    """

  init(_ arguments: [String]) {
    var left = arguments[...]
    while let option = left.popFirst() {
      switch option {
      case "--pipeline": names.append(left.popFirst() ?? "")
      case "--seeds":
        let ends = (left.popFirst() ?? "").split(separator: "-").compactMap { Int($0) }
        guard ends.count == 2, ends[0] <= ends[1] else { Self.refuse("--seeds wants FROM-TO") }
        seeds = ends[0]...ends[1]
      case "--count":
        guard let count = left.popFirst().flatMap({ Int($0) }), count > 0 else { Self.refuse("--count wants a number") }
        seeds = 1...count
      case "--seed":
        guard let seed = left.popFirst().flatMap({ Int($0) }) else { Self.refuse("--seed wants a number") }
        seeds = seed...seed
        isAlone = true
      case "--planted": isPlanted = true
      case "--verbose": isVerbose = true
      default: Self.refuse("unknown option '\(option)'")
      }
    }
    for name in names where !Pipeline.all.contains(where: { $0.name == name }) {
      Self.refuse("no pipeline '\(name)'; there are \(Pipeline.all.map(\.name).joined(separator: ", "))")
    }
  }

  private static func refuse(_ text: String) -> Never {
    say("simulate: \(text)\n\(usage)")
    exit(2)
  }

  private var chosen: [Pipeline] { names.isEmpty ? Pipeline.all : Pipeline.all.filter { names.contains($0.name) } }

  func run() -> Never {
    let isWell = isPlanted ? findPlanted() : playAll()
    exit(isWell ? 0 : 1)
  }

  // MARK: Histories

  private func playAll() -> Bool {
    var isWell = true
    for pipeline in chosen {
      // The tools draw some numbers once, such as the seeds of hash tables. After these histories, each of the next ones
      // has the numbers that it also has alone.
      for seed in 1...20 { _ = Simulation(pipeline: pipeline).play(seed: seed) }
      NextTally.all = [:]
      isWell = play(pipeline) && isWell
    }
    return isWell
  }

  private func play(_ pipeline: Pipeline) -> Bool {
    let simulation = Simulation(pipeline: pipeline)
    let start = Self.time
    var (steps, failures) = (0, 0)
    for seed in seeds {
      let outcome = simulation.play(seed: seed, isVerbose: isVerbose)
      steps += outcome.steps
      if isVerbose { for line in outcome.log { say(line) } }
      guard outcome.failure != nil else { continue }
      failures += 1
      report(simulation, outcome, seed)
      if failures == 3 { break }
    }
    let seconds = Self.time - start
    let count = seeds.count
    say(
      "\(pipeline.name): \(count) histories of \(steps / count) steps, \(Self.words(seconds)) s, "
        + "\(Int(Double(count) / max(seconds, 0.001) * 60)) a minute, \(failures) failed")
    if pipeline.name == "next" { for line in NextTally.lines { say(line) } }
    return failures == 0
  }

  private func report(_ simulation: Simulation, _ outcome: Outcome, _ seed: Int) {
    let name = simulation.pipeline.name
    say("\(name) seed \(seed): \(outcome.failure ?? "")")
    let shrunk = simulation.shrink(outcome, seed: seed)
    let shown = simulation.play(Choices(again: shrunk.choices), seed: seed, isVerbose: true)
    say(
      "  shrunk from \(outcome.choices.count) choices and \(outcome.steps) steps to \(shrunk.choices.count) and \(shown.steps):"
    )
    for line in shown.log { say("  | \(line)") }
    say("  again: Tests/Simulation/simulate --pipeline \(name) --seed \(seed) --verbose")
  }

  // MARK: Planted faults

  private func findPlanted() -> Bool {
    var isWell = true
    for fault in Fault.all where names.isEmpty || names.contains(fault.pipeline) {
      guard let pipeline = Pipeline.all.first(where: { $0.name == fault.pipeline }) else { continue }
      isWell = find(fault, Simulation(pipeline: pipeline, fault: fault)) && isWell
    }
    return isWell
  }

  private func find(_ fault: Fault, _ simulation: Simulation) -> Bool {
    let start = Self.time
    for seed in seeds {
      let outcome = simulation.play(seed: seed)
      guard let failure = outcome.failure else { continue }
      let found = Self.time - start
      let shrunk = simulation.shrink(outcome, seed: seed, tries: 200)
      say(
        "\(fault.pipeline)/\(fault.name): seed \(seed), \(Self.words(found)) s; \(outcome.steps) steps and "
          + "\(outcome.choices.count) choices, shrunk to \(shrunk.steps) and \(shrunk.choices.count): \(failure)")
      if isVerbose {
        for line in simulation.play(Choices(again: shrunk.choices), seed: seed, isVerbose: true).log {
          say("  | \(line)")
        }
      }
      guard shrunk.choices.count < outcome.choices.count else {
        say("\(fault.pipeline)/\(fault.name): the history does not shrink")
        return false
      }
      return true
    }
    say("\(fault.pipeline)/\(fault.name): NOT FOUND in \(seeds.count) histories (\(fault.promise))")
    return false
  }

  private static var time: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func words(_ seconds: Double) -> String {
    let tenths = Int((seconds * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

/// Prints a line at once, also into a pipe.
private func say(_ line: String) {
  print(line)
  fflush(nil)
}
