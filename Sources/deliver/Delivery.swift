import FeedCore

/// All of deliver: batches of the input, COMMAND run on each and its parts, and the checkpoint after completed records.
struct Delivery {
  private let options: Options
  private let streams: StandardStreams
  private let command: Command
  private var watch: Watch
  private var reader: BatchReader
  private var division: Division
  private var place: Place
  private var dead: DeadFile?
  private var status = ExitStatus.yes
  /// Whether COMMAND has ever been started successfully.
  private var hasRun = false
  /// Whether COMMAND is running.
  private var isRunning = false
  /// How the last run ended.
  private var ended: Ended?
  private var hasReportedUnread = false

  init(_ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.options = options
    self.streams = streams
    command = Command(options.command, streams)
    Signals.ignoreBrokenPipe()
    watch = try Watch(streams)
    reader = try BatchReader(options, streams)
    division = Division(options)
    place = try Place(options, streams, &watch)
    dead = try options.dead.map { (path) throws(ToolFailure) in try DeadFile(path) }
  }

  /// Delivers the whole input.
  mutating func run() throws(ToolFailure) -> ExitStatus {
    do throws(ToolFailure) {
      try deliverAll()
    } catch {
      try place.save()
      // A COMMAND that is left running keeps the lock until it ends.
      if !isRunning { place.release() }
      throw error
    }
    try place.save()
    place.release()
    switch watch.interruption {
    case .signal(let number): Signals.die(of: number)
    case .hangUp: throw .brokenPipe
    case nil: return reader.hasDropped ? .no : status
    }
  }

  private mutating func deliverAll() throws(ToolFailure) {
    var isDue = false
    while watch.interruption == nil {
      switch try reader.next(isDue: isDue) {
      case .end:
        // A signal that came at the same time, as when a whole pipeline is stopped.
        _ = try watch.wait(until: 0)
        return
      case .batch(var batch):
        isDue = false
        try deliver(&batch)
        reader.reuse(batch)
      case .wanted(let deadline):
        // Under load there is always input, and saving once a second is enough.
        var hasInput = try watch.wait(for: reader.descriptor, until: 0)
        if !hasInput, deadline ?? .infinity > Clock.monotonic() {
          try place.save()
          hasInput = try watch.wait(for: reader.descriptor, until: deadline)
        }
        if place.isDue { try place.save() }
        if hasInput { try reader.read() }
        isDue = !hasInput
      }
    }
  }

  /// Processes a batch until nothing of it is left or deliver must end.
  private mutating func deliver(_ batch: inout Batch) throws(ToolFailure) {
    division.begin(batch.count)
    while watch.interruption == nil {
      switch division.next() {
      case .done: return
      case .run(let part): try run(part, of: batch)
      case .wait(let seconds, let isReported, let isShort):
        reportRetry(in: seconds, isReported: isReported)
        try wait(seconds, wantingMore: isShort, for: &batch)
      case .dead(let index, let tries): try moveToDead(batch[index], tries)
      case .refused(let index): throw failure(.remote, "refused", batch[index])
      case .tooManyDead(let index):
        let words = "more than \(options.maxDead) records in a row are refused (--max-dead)"
        throw failure(.remote, words, batch[index])
      case .gaveUp:
        let tries = division.failedTries
        let more = tries == 1 ? "" : "; gave up after \(tries) tries"
        throw .failed(.tryAgain, words(of: ended) + more, source: command.name)
      }
      place.pass(division.done, of: batch)
      if place.isDue { try place.save() }
    }
  }

  // MARK: COMMAND

  private mutating func run(_ part: Division.Part, of batch: Batch) throws(ToolFailure) {
    let text = batch.text
    let input = try naming(nil, ChildInput(text.span.extracting(batch.bytes(of: part.records))))
    defer { input.close() }
    let ended = try finish(input, part, of: batch)
    self.ended = ended
    if ended.outcome == .cannotRun, !hasRun { throw .failed(.error, ended.words, source: command.name) }
    hasRun = true
    if ended.outcome == .taken, hasLeft(input.unreadCount, of: batch, part) { reportUnread() }
    division.end(ended.outcome)
    reportRun(part.records.count, ended)
    if ended.outcome != .taken { try watch.checkOutput() }
  }

  /// Runs COMMAND to its end.
  private mutating func finish(
    _ input: ChildInput, _ part: Division.Part, of batch: Batch
  ) throws(ToolFailure) -> Ended {
    watch.lastWords = LastLine()
    let records = part.records
    let ids = (batch.id(of: records.lowerBound), batch.id(of: records.upperBound - 1))
    var run: Run
    do {
      let child = try command.start(
        input, records.count, ids: ids, attempt: part.tries + 1, errors: watch.errorInput)
      run = Run(child, of: command, options)
    } catch {
      return Ended(error, options.command[0])
    }
    isRunning = true
    while true {
      if let ended = try run.wait(&watch, until: place.dueTime) {
        isRunning = false
        return ended
      }
      // An error in saving is reported after COMMAND has ended, because the records that it takes count too.
      do { try place.save() } catch { continue }
    }
  }

  /// Waits before the next try.
  private mutating func wait(
    _ seconds: Double, wantingMore: Bool, for batch: inout Batch
  ) throws(ToolFailure) {
    try place.save()
    let deadline = Clock.monotonic() + seconds
    var wantsMore = wantingMore
    repeat {
      if wantsMore, reader.nextID() != nil || reader.isEnded {
        wantsMore = false
        extend(&batch)
      }
      if try watch.wait(for: wantsMore ? reader.descriptor : nil, until: deadline) { try reader.read() }
    } while watch.interruption == nil && Clock.monotonic() < deadline
  }

  /// Adds a record to the batch, to compare it with those that were not taken.
  private mutating func extend(_ batch: inout Batch) {
    // In a long outage, memory must not grow with each try.
    guard batch.count == 1 || batch.text.count < 2 * options.batchBytes else { return }
    guard let record = reader.nextRecord() else { return division.endInput() }
    batch.append(record)
    batch.nextID = reader.nextID()
    division.extend()
  }

  private mutating func moveToDead(_ record: Record, _ tries: Int) throws(ToolFailure) {
    guard let ended, let dead, let path = options.dead else { return }
    try dead.append(record, tries: tries, ended)
    division.removeDead()
    status = .no
    if !options.isSilent { streams.say(failure(.no, "refused, and appended to \(quoted(path))", record).diagnostic) }
  }

  // MARK: Messages

  private func failure(_ status: ExitStatus, _ text: String, _ record: Record) -> ToolFailure {
    let words = "\(text): \(command.name): \(words(of: ended))"
    let place = TextPlace(line: record.number, column: 1)
    let name = record.id.isEmpty ? nil : "id '\(beginning(of: record.id, upTo: 100))'"
    return .failed(status, words, source: InputFile.standardInput.name, place: place, record: name)
  }

  private func words(of ended: Ended?) -> String { ended?.words ?? "" }

  private func reportRetry(in seconds: Double, isReported: Bool) {
    guard options.isVerbose || isReported && !options.isSilent else { return }
    command.report(words(of: ended) + RetryPolicy.words("retrying", in: seconds))
  }

  private func reportRun(_ count: Int, _ ended: Ended) {
    let records = count == 1 ? "1 record" : "\(count) records"
    switch ended.outcome {
    case _ where !options.isVerbose: break
    case .taken: command.report("\(records) taken")
    case .refused: command.report("\(records) refused: \(ended.words)")
    case .notNow, .cannotRun: break
    }
  }

  /// Whether the last bytes of a part, which COMMAND did not read, hold more than the end of the last record. A JSON
  /// parser that stops at the last bracket leaves a newline.
  private func hasLeft(_ count: Int, of batch: Batch, _ part: Division.Part) -> Bool {
    let last = batch.bytes(of: (part.records.upperBound - 1)..<part.records.upperBound)
    return count >= last.count || !batch.text[..<last.upperBound].suffix(count).allSatisfy(\.isWhiteSpace)
  }

  private mutating func reportUnread() {
    guard !hasReportedUnread, !options.isSilent else { return }
    hasReportedUnread = true
    command.report("exit status 0, but it did not read all of its input")
  }
}
