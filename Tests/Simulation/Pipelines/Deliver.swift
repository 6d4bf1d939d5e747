// deliver with a COMMAND that takes batches whole, in part or not at all, refuses records, hangs, dies, cannot be started,
// and goes on when deliver has been killed.
//
// Promises: every record reaches the sink at least once, and for the first time in order, or it is in the file of --dead
// because COMMAND refuses it. A checkpoint covers only such records, and those before them. COMMAND never runs twice at a
// time. What an outage does is never taken for a bad record.

import FeedCore

/// The records, and what has become of them.
final class Sink {
  private unowned let world: World
  let count: Int
  /// Records that COMMAND refuses, by their numbers.
  let refused: Set<Int>
  /// The records that have arrived.
  private(set) var taken: Set<Int> = []
  /// Records that may be missing, because their source has forgotten them.
  var excused: Set<Int> = []
  var isCalm = false
  private let faultiness: Int
  let hasGroups: Bool
  private var running = 0
  /// The numbers of the records on a line; nil if there are none.
  private let numbers: (ArraySlice<UInt8>) -> [Int]?

  /// - Parameter numbers: reads a line; nil for the lines that `record` makes.
  init(_ world: World, count: Int, refused: Set<Int>, numbers: ((ArraySlice<UInt8>) -> [Int]?)? = nil) {
    self.world = world
    self.count = count
    self.refused = refused
    self.numbers = numbers ?? { Self.number($0).map { [$0] } }
    faultiness = world.choices.below(3)
    hasGroups = world.choices.once(in: 3)
    world.spawn = { [unowned self] in start($0) }
  }

  /// Some records that follow each other have one ID.
  func id(_ number: Int) -> Int { hasGroups ? number / 3 : number }

  func record(_ number: Int) -> String {
    "{\"event\":\"message\",\"id\":\"\(id(number))\",\"data\":{\"n\":\(number)}}\n"
  }

  /// The first record after an ID.
  func next(after id: Int?) -> Int {
    guard let id else { return 1 }
    return (1...(count + 1)).first { self.id($0) > id } ?? count + 1
  }

  /// The number of the record on a line, which may have more members.
  static func number(_ line: some Collection<UInt8>) -> Int? {
    var scan = Scan(line)
    guard scan.pass("{\"event\":\"message\",\"id\":\""), scan.number() != nil, scan.pass("\",\"data\":{\"n\":"),
      let number = scan.number(), scan.pass("}"), scan.drop(end: "}") || scan.rest.isEmpty
    else { return nil }
    return number
  }

  private func start(_ child: ChildOfWorld) {
    if isFaulty(12) {
      child.startError = world.choices.once(in: 2) ? EAGAIN : ENOENT
      return
    }
    running += 1
    if running > 1 { world.fail("two COMMANDs run at the same time") }
    let lines = child.input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let records = lines.dropLast().compactMap(numbers)
    if lines.last?.isEmpty == false || records.count != lines.count - 1 {
      return world.fail("COMMAND got something other than whole records: \(text(child.input))")
    }
    let numbers = records.flatMap { $0 }
    var duration = Double(world.choices.below(100)) / 1000
    var status: Int32 = 0
    // What COMMAND takes of the batch before it fails.
    var part = numbers[...]
    if let bad = numbers.firstIndex(where: refused.contains) {
      // It may know that at once, or find out when it comes to that record.
      part = world.choices.once(in: 2) ? numbers[..<bad] : []
      status = 65 << 8
    } else if isFaulty(3) {
      part = numbers.prefix(world.choices.below(numbers.count + 1))
      switch world.choices.below(4) {
      case 0: status = 1 << 8
      case 1: status = SIGSEGV
      case 2: status = 127 << 8
      default: duration = 25  // longer than --timeout, and shorter than --wait
      }
    }
    world.note("COMMAND \(child.identifier) gets \(numbers), takes \(Array(part)), status \(status)")
    func end(_ status: Int32) {
      guard child.status == nil else { return }
      running -= 1
      child.end(status)
    }
    world.after(duration / 2) { [self] in if child.status == nil { take(part) } }
    world.after(duration) { end(status) }
    let minds = world.choices.once(in: 2)
    child.signal = { [self] signal in
      guard signal == SIGKILL || signal == SIGTERM, signal == SIGKILL || !minds else { return }
      world.note("COMMAND \(child.identifier) dies of signal \(signal)")
      world.after(0.001) { end(signal) }
    }
  }

  private func isFaulty(_ times: Int) -> Bool {
    !isCalm && faultiness > 0 && world.choices.once(in: times / faultiness)
  }

  private func take(_ numbers: ArraySlice<Int>) {
    for number in numbers {
      let isMissing = { (number: Int) in
        !self.taken.contains(number) && !self.refused.contains(number) && !self.excused.contains(number)
      }
      if let missing = (1..<max(number, 1)).first(where: isMissing) {
        return world.fail("record \(number) arrived before record \(missing)")
      }
      if refused.contains(number) { return world.fail("the model takes record \(number)") }
      taken.insert(number)
    }
  }
}

struct Deliver {
  private let world: World
  private let sink: Sink
  private let hasDead: Bool
  private static let (state, dead) = (Array("state".utf8), Array("dead".utf8))

  static func play(_ world: World) {
    var deliver = Deliver(world)
    deliver.playAll()
  }

  private init(_ world: World) {
    self.world = world
    hasDead = world.choices.once(in: 2)
    let count = world.choices.below(30) + 1
    var refused: Set<Int> = []
    if hasDead { for _ in 0..<world.choices.below(4) { refused.insert(world.choices.below(count) + 1) } }
    sink = Sink(world, count: count, refused: refused)
  }

  private mutating func playAll() {
    let rounds = world.choices.below(5) + 1
    var options = ["--checkpoint", "state", "--batch", "\([100, 1, 2, 5][world.choices.below(4)])"]
    options += ["--timeout", "20", "--grace", "2", "--max-backoff", "\([5, 1][world.choices.below(2)])"]
    options += ["--batch-time", ["0.5", "0", "2"][world.choices.below(3)]]
    if hasDead { options += ["--dead", "dead"] }
    for round in 0...rounds where world.failure == nil {
      let isLast = round == rounds
      sink.isCalm = isLast
      feed(options, isLast)
    }
    guard world.failure == nil else { return }
    let lost = (1...sink.count).filter { !sink.taken.contains($0) && !sink.refused.contains($0) }
    if !lost.isEmpty { return world.fail("records \(lost) were never delivered") }
    let missing = sink.refused.subtracting(buried)
    if !missing.isEmpty { world.fail("records \(missing.sorted()) are not in the file of --dead") }
  }

  /// One life of the source and of deliver.
  private mutating func feed(_ options: [String], _ isLast: Bool) {
    // The source reads the checkpoint when it starts; a COMMAND that still runs may go on meanwhile.
    let input = Channel()
    let first = sink.next(after: saved)
    var delay = 0.0
    var record: [UInt8] = []
    for number in first..<max(sink.count + 1, first) {
      record += sink.record(number).utf8
      // deliver can only keep records of one ID together if they have come together.
      if number < sink.count, sink.id(number + 1) == sink.id(number) { continue }
      delay += [0.002, 0.01, 0.3, 1.5][world.choices.below(4)]
      let cut = !sink.hasGroups && world.choices.once(in: 8) ? world.choices.below(record.count) : 0
      world.after(delay) { [world, record] in input.append(record[..<cut], at: world.now) }
      world.after(delay + 0.001) { [world, record] in input.append(record[cut...], at: world.now) }
      record = []
    }
    world.after(delay + 0.1) { input.isEnded = true }
    let life = isLast ? Life(seconds: 3600) : Life.chosen(&world.choices, calls: 400, effects: 80, seconds: 20)
    let ending = world.run(.deliver, options + ["--", "sink"], input: input, output: Channel(), life)
    judgeCheckpoint()
    judgeDead()
    if isLast, ending != .exited(0), ending != .exited(1) {
      world.fail("deliver ended with \(ending)")
    }
    let isOutage = world.choices.once(in: 6)
    if ending == .died, isOutage, world.failure == nil, !isLast {
      for (_, child) in world.children.sorted(by: { $0.key < $1.key }) { child.signal(SIGKILL) }
      world.advance(to: world.now + 0.01)
      world.cutPower()
      judgeCheckpoint()
    }
    world.advance(to: world.now + Double(world.choices.below(3)) / 10)
  }

  /// The ID in the checkpoint.
  private var saved: Int? {
    guard let file = world.disk[Self.state] else { return nil }
    var scan = Scan(file.bytes)
    guard scan.pass("{\"event\":\"data\",\"id\":\""), let id = scan.number(), scan.pass("\",\"data\":null}\n") else {
      world.fail("the checkpoint is no checkpoint: \(text(file.bytes))")
      return nil
    }
    return id
  }

  private func judgeCheckpoint() {
    guard world.failure == nil, let id = saved else { return }
    let buried = buried
    for number in 1..<sink.next(after: id) where !sink.taken.contains(number) && !buried.contains(number) {
      return world.fail("the checkpoint \(id) covers record \(number), which nobody has")
    }
  }

  /// The records in the file of --dead.
  private var buried: Set<Int> {
    guard let file = world.disk[Self.dead] else { return [] }
    return Set(file.bytes.split(separator: UInt8(ascii: "\n")).compactMap(Sink.number))
  }

  private func judgeDead() {
    for number in buried.sorted() where !sink.refused.contains(number) {
      return world.fail("record \(number) was given up, and nothing is wrong with it")
    }
  }
}
