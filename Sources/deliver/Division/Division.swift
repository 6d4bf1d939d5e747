import FeedCore

/// Decides which part of a batch to try next, from the results of earlier tries. Nothing here runs, waits or writes, so
/// a test can play any COMMAND.
///
/// A batch is an ordered list of parts, at first one. A part that COMMAND takes is removed. A part that it refuses is
/// halved until each refused record stands alone. A part that it does not take for now is tried again.
///
///     [0 1 2 3 4 5 6 7]   refused            [0 1 2 3][4 5 6 7]
///     [0 1 2 3]           taken              [4 5 6 7]
///     [4 5 6 7]           refused            [4 5][6 7]
///     [4 5]               refused            [4][5][6 7]
///     [4]                 refused: dead      [5][6 7]          … and both are taken
///
/// An outage must not make records dead. With `--retries`, a record that is repeatedly not taken for now becomes a
/// suspect. Two proofs make it dead, with a wait between them. A proof is a series without waits: the suspect was not
/// taken, another record was, and the suspect again was not. One proof is not enough: an engine that refuses every
/// second request, or limits their rate (HTTP 429), can refuse a good record so. While COMMAND takes nothing, nothing
/// becomes dead. At the end of the input there may be no other record. Then one proof is enough; with none, deliver
/// gives up, because the next run may have another record.
struct Division {
  /// Records that are given to COMMAND together.
  struct Part: Equatable {
    var records: Range<Int>
    /// How many times COMMAND has been given them.
    var tries = 0
  }

  enum NextAction: Equatable {
    /// Run COMMAND on a part.
    case run(Part)
    /// Wait, and then ask again.
    /// - Parameter isShort: whether another record of the input would help, because none is left to compare with.
    case wait(seconds: Double, isReported: Bool, isShort: Bool)
    /// Write the record to `--dead`, and then call `removeDead`.
    case dead(Int, tries: Int)
    /// COMMAND refuses the record and there is no `--dead`.
    case refused(Int)
    /// More records in a row than `--max-dead` are refused.
    case tooManyDead(Int)
    /// The retries are used up.
    case gaveUp
    case done
  }

  /// The state of the comparison of a suspect with others.
  private enum Trial: Equatable {
    /// No record is suspected.
    case none
    /// The suspect was just not taken: try another record next.
    case compare
    /// Another record was just taken: try the suspect next.
    case verify
    /// The other record was not taken either, or one proof is not enough.
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
  /// How many records the suspect was compared with that were not taken either.
  private var comparisons = 0
  /// The number of proofs against the suspect.
  private var evidence = 0
  /// How many times the first part was not taken for now, since it became the first and something was taken.
  private var failures = 0
  private var isLast = false
  /// The part that was tried last.
  private var tried = 0
  private var pending: NextAction?
  /// Whether a record of this batch was taken.
  private var hasTakenPart = false

  static let firstRetries = 5
  private static let evidenceNeeded = 2

  init(_ options: Options, random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }) {
    retries = options.retries
    hasDead = options.dead != nil
    maxDead = options.maxDead
    policy = RetryPolicy(
      base: min(1, options.maxBackoff), .spread(longest: options.maxBackoff), random: random)
  }

  /// Begins a new batch.
  mutating func begin(_ count: Int) {
    self.count = count
    parts = count > 0 ? [Part(records: 0..<count)] : []
    trial = .none
    pending = nil
    hasTakenPart = false
    failures = 0
  }

  /// Adds a record to the batch.
  mutating func extend() {
    parts.append(Part(records: count..<(count + 1)))
    count += 1
  }

  /// Says that the input has ended.
  mutating func endInput() { isLast = true }

  /// How many records from the start of the batch are finished.
  var done: Int { parts.first?.records.lowerBound ?? count }

  /// How many tries have failed since COMMAND last took something.
  var failedTries: Int { policy.attempts }

  // MARK: The next step

  mutating func next() -> NextAction {
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

  /// The record to compare the suspect with: the next one, or a later one if that was not taken either.
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

  /// Makes a record its own part.
  private mutating func isolate(_ record: Int) {
    guard let index = parts.firstIndex(where: { $0.records.contains(record) }) else { return }
    let records = parts[index].records
    divide(index, into: [records.lowerBound..<record, record..<(record + 1), (record + 1)..<records.upperBound])
  }

  private mutating func divide(_ index: Int, into ranges: [Range<Int>]) {
    let tries = parts[index].tries
    parts.replaceSubrange(index...index, with: ranges.filter { !$0.isEmpty }.map { Part(records: $0, tries: tries) })
  }

  // MARK: Results

  /// Records the result of a run on the part of `next`.
  mutating func end(_ outcome: Ended.Outcome) {
    parts[tried].tries += 1
    switch outcome {
    case .taken: take()
    case .refused: refuse()
    case .notNow, .cannotRun: fail()
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
    // If another record is refused, that says nothing about the suspect. Its own turn will come.
    if tried > 0 { return waitAfterComparison() }
    guard parts[0].records.count == 1 else { return halve() }
    declareDead()
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
    if !hasDead { return hasTakenPart ? declareDead() : giveUp() }
    comparisons = 0
    evidence = 0
    compare()
  }

  /// The suspect was just not taken. Another record is tried at once, because an outage might end during a wait.
  private mutating func compare() {
    trial = parts.count > 1 ? .compare : .unknown
    if parts.count == 1 { waitForOthers() }
  }

  /// The suspect was not taken before another record was, nor after it.
  private mutating func prove() {
    evidence += 1
    if evidence == Self.evidenceNeeded { return declareDead() }
    trial = .unknown
    waitForOthers()
  }

  private mutating func giveUp() {
    _ = policy.fail()
    pending = .gaveUp
  }

  /// The other record was not taken either. When all have been tried, one more may help: perhaps COMMAND never takes
  /// any of these.
  private mutating func waitAfterComparison() {
    comparisons += 1
    trial = .unknown
    waitForOthers()
  }

  private mutating func waitForOthers() {
    let isShort = comparisons >= otherCount
    guard isShort && isLast else { return wait(isShort: isShort) }
    // There is no other record for a second proof.
    if evidence > 0, otherCount == 0 { declareDead() } else { giveUp() }
  }

  private mutating func wait(isShort: Bool = false) {
    guard case .wait(let seconds, let isReported) = policy.fail() else { return }
    pending = .wait(seconds: seconds, isReported: isReported, isShort: isShort)
  }

  private mutating func halve() {
    let records = parts[0].records
    let middle = records.lowerBound + records.count / 2
    divide(0, into: [records.lowerBound..<middle, middle..<records.upperBound])
    failures = 0
  }

  /// Declares the first record dead.
  private mutating func declareDead() {
    let record = parts[0].records.lowerBound
    trial = .none
    guard hasDead else { return pending = .refused(record) }
    deadInARow += 1
    pending = deadInARow > maxDead ? .tooManyDead(record) : .dead(record, tries: parts[0].tries)
  }

  /// Removes the dead record after it has been saved.
  mutating func removeDead() {
    pending = nil
    failures = 0
    parts.removeFirst()
  }
}
