// What is tried next of a batch, by what has become of the tries before. Nothing here runs, waits or writes, so that a
// test can play any COMMAND.
//
// A batch is a list of parts in their order, at first one. A part that COMMAND takes is gone. One that it refuses is
// halved, until each record that is refused stands alone. One that it does not take for now is tried again.
//
//     [0 1 2 3 4 5 6 7]   refused            [0 1 2 3][4 5 6 7]
//     [0 1 2 3]           taken              [4 5 6 7]
//     [4 5 6 7]           refused            [4 5][6 7]
//     [4 5]               refused            [4][5][6 7]
//     [4]                 refused: dead      [5][6 7]          … and both are taken
//
// An outage is never poison. With `--retries` a record that was not taken for now, however often, becomes a suspect. A
// proof against it is, without a wait between: it was not taken; another record was; it was not taken again. One proof is
// what an engine makes of a good record that takes one request now and then (HTTP 429), or that is away for one request of
// two. So it is dead after two, with a wait between. As long as COMMAND takes nothing, nothing is dead. At the end of the
// input there may be no other record: then one proof will do, and with none deliver gives up, as the next run may have one.

import FeedCore

struct Division {
  /// Records that COMMAND gets together.
  struct Part: Equatable {
    var records: Range<Int>
    /// How often COMMAND has been given them.
    var tries = 0
  }

  enum Step: Equatable {
    /// Run COMMAND on a part.
    case run(Part)
    /// Wait, and then ask again.
    /// - Parameter isShort: whether one more record of the input would help, as there is none left to compare with.
    case wait(seconds: Double, isTold: Bool, isShort: Bool)
    /// Write the record to `--dead`, and then call `bury`.
    case dead(Int, tries: Int)
    /// COMMAND refuses the record and there is no `--dead`.
    case refused(Int)
    /// More records in a row are refused than `--max-dead`.
    case tooManyDead(Int)
    /// The retries are used up.
    case gaveUp
    case done
  }

  /// What became of a try.
  enum Outcome { case taken, refused, notNow }

  /// Where the comparison of a suspect with others is.
  private enum Trial: Equatable {
    /// No record is suspected.
    case none
    /// The suspect was not taken just now: another one is next.
    case compare
    /// Another one was taken just now: the suspect is next.
    case verify
    /// The other one was not taken either, or one proof is not enough.
    case unknown
  }

  private let retries: Int?
  private let hasDead: Bool
  private let maxDead: Int
  private var policy: RetryPolicy
  /// Whether COMMAND has ever taken anything.
  private(set) var hasTaken = false
  private var deadInARow = 0

  private(set) var parts: [Part] = []
  private(set) var count = 0
  private var trial = Trial.none
  /// How many records that were not taken either the suspect was compared with.
  private var comparisons = 0
  /// How many proofs there are against the suspect.
  private var proofs = 0
  /// How often the first part was not taken for now, since it is the first and something was taken.
  private var failures = 0
  private var isLast = false
  /// Which part was tried last.
  private var tried = 0
  private var pending: Step?
  /// Whether a record of this batch was taken.
  private var hasTakenPart = false

  static let firstRetries = 5
  private static let proofsNeeded = 2

  init(_ options: Options, random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }) {
    retries = options.retries
    hasDead = options.dead != nil
    maxDead = options.maxDead
    policy = RetryPolicy(
      base: min(1, options.maxBackoff), .spread(longest: options.maxBackoff), random: random)
  }

  /// A new batch.
  mutating func begin(_ count: Int) {
    self.count = count
    parts = count > 0 ? [Part(records: 0..<count)] : []
    trial = .none
    pending = nil
    hasTakenPart = false
    failures = 0
  }

  /// One more record has come for the batch.
  mutating func extend() {
    parts.append(Part(records: count..<(count + 1)))
    count += 1
  }

  /// No more can come.
  mutating func endInput() { isLast = true }

  /// How many records, from the first, are done with.
  var done: Int { parts.first?.records.lowerBound ?? count }

  /// How many tries have failed since COMMAND took something.
  var failedTries: Int { policy.attempts }

  // MARK: What to do

  mutating func next() -> Step {
    if let step = pending {
      if case .wait = step { pending = nil }
      return step
    }
    guard !parts.isEmpty else { return .done }
    tried = 0
    if trial == .compare, let other = nextOther() {
      isolate(other)
      tried = parts.firstIndex { $0.records.lowerBound == other } ?? 0
    }
    return .run(parts[tried])
  }

  /// The record that the suspect is compared with: the next one, or one after it where that was not taken either.
  private func nextOther() -> Int? {
    guard otherCount > 0 else { return nil }
    var skipped = comparisons % otherCount
    for records in parts.dropFirst().map(\.records) {
      if skipped < records.count { return records.lowerBound + skipped }
      skipped -= records.count
    }
    return nil
  }

  /// How many records there are besides the suspect.
  private var otherCount: Int { parts.dropFirst().reduce(0) { $0 + $1.records.count } }

  /// Makes a record a part of its own.
  private mutating func isolate(_ record: Int) {
    guard let index = parts.firstIndex(where: { $0.records.contains(record) }) else { return }
    let part = parts[index]
    let ranges = [part.records.lowerBound..<record, record..<(record + 1), (record + 1)..<part.records.upperBound]
    parts.replaceSubrange(
      index...index,
      with: ranges.filter { !$0.isEmpty }.map { Part(records: $0, tries: part.tries) })
  }

  // MARK: What has become of it

  /// COMMAND has been run on the part of `next`.
  mutating func end(_ outcome: Outcome) {
    parts[tried].tries += 1
    switch outcome {
    case .taken: take()
    case .refused: refuse()
    case .notNow: fail()
    }
  }

  private mutating func take() {
    hasTaken = true
    hasTakenPart = true
    deadInARow = 0
    failures = 0
    policy.succeed()
    policy.recover()
    parts.remove(at: tried)
    trial = trial == .compare && tried > 0 ? .verify : .none
  }

  private mutating func refuse() {
    // That another one is refused says nothing of the suspect; its own turn comes.
    if tried > 0 { return waitAfterComparison() }
    guard parts[0].records.count == 1 else { return halve() }
    condemn()
  }

  private mutating func fail() {
    if tried > 0 { return waitAfterComparison() }
    failures += 1
    switch trial {
    case .verify: return prove()
    case .unknown, .compare: return compare()
    case .none: break
    }
    let limit = hasTaken ? retries : retries ?? Self.firstRetries
    guard let limit, (hasTaken ? failures : policy.attempts + 1) > limit else { return wait() }
    if !hasTaken { return giveUp() }
    if parts[0].records.count > 1 {
      halve()
      return wait()
    }
    if !hasDead { return hasTakenPart ? condemn() : giveUp() }
    comparisons = 0
    proofs = 0
    compare()
  }

  /// The suspect was not taken just now. Another one is tried at once: in the time of a wait an outage might end.
  private mutating func compare() {
    trial = parts.count > 1 ? .compare : .unknown
    if parts.count == 1 { waitForOthers() }
  }

  /// The suspect was not taken before and after another one was.
  private mutating func prove() {
    proofs += 1
    if proofs == Self.proofsNeeded { return condemn() }
    trial = .unknown
    waitForOthers()
  }

  private mutating func giveUp() {
    _ = policy.fail()
    pending = .gaveUp
  }

  /// The other one was not taken either. When all of them have been tried, one more may help: all may be records that
  /// COMMAND never takes.
  private mutating func waitAfterComparison() {
    comparisons += 1
    trial = .unknown
    waitForOthers()
  }

  private mutating func waitForOthers() {
    let isShort = comparisons >= otherCount
    guard isShort && isLast else { return wait(isShort: isShort) }
    // There is nothing left for another proof.
    if proofs > 0, otherCount == 0 { condemn() } else { giveUp() }
  }

  private mutating func wait(isShort: Bool = false) {
    guard case .wait(let seconds, let isTold) = policy.fail() else { return }
    pending = .wait(seconds: seconds, isTold: isTold, isShort: isShort)
  }

  private mutating func halve() {
    let part = parts[0]
    let middle = part.records.lowerBound + part.records.count / 2
    parts.replaceSubrange(
      0...0,
      with: [part.records.lowerBound..<middle, middle..<part.records.upperBound].map {
        Part(records: $0, tries: part.tries)
      })
    failures = 0
  }

  /// The first record is what COMMAND does not take.
  private mutating func condemn() {
    let record = parts[0].records.lowerBound
    trial = .none
    guard hasDead else { return pending = .refused(record) }
    deadInARow += 1
    pending = deadInARow > maxDead ? .tooManyDead(record) : .dead(record, tries: parts[0].tries)
  }

  /// The dead record has been written down.
  mutating func bury() {
    pending = nil
    failures = 0
    parts.removeFirst()
  }
}
