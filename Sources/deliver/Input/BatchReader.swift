import FeedCore

/// Divides the input into batches: `--batch`, `--batch-bytes`, `--batch-time`.
struct BatchReader {
  enum ReaderState {
    case batch(Batch)
    /// More records are wanted until a time of the monotonic clock; nil: none has come, so there is no time limit.
    case wanted(until: Double?)
    case end
  }

  private static let source = InputFile.standardInput.name

  private let options: Options
  private let streams: StandardStreams
  let descriptor: Descriptor
  private var lines = LineReader()
  private var batch = Batch()
  /// When the first record of the batch came.
  private var firstTime = 0.0
  /// The record after the batch.
  private var ahead: Record?
  private var isAtEnd = false
  /// An error in the input, reported after the records before it have been delivered.
  private var failure: ToolFailure?
  /// Whether the last line was dropped.
  private(set) var hasDropped = false

  init(_ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.options = options
    self.streams = streams
    descriptor = try InputFile.standardInput.open(streams)
  }

  /// The complete batch, or what is missing.
  /// - Parameter isDue: whether the wanted records have not come in time.
  mutating func next(isDue: Bool) throws(ToolFailure) -> ReaderState {
    while let record = nextRecord() {
      guard fits(record) else {
        ahead = record
        break
      }
      if batch.isEmpty { firstTime = Clock.monotonic() }
      batch.append(record)
    }
    if batch.isEmpty {
      guard isEnded else { return .wanted(until: nil) }
      if let failure { throw failure }
      return .end
    }
    let deadline = firstTime + options.batchTime
    if ahead != nil || isEnded || isDue || Clock.monotonic() >= deadline { return .batch(takeBatch()) }
    // The batch and the checkpoint need to know whether a record with the same id follows.
    return .wanted(until: hasEnough ? 0 : deadline)
  }

  /// The next record that has come; for use between batches, without adding it to one.
  mutating func nextRecord() -> Record? {
    defer { ahead = nil }
    return ahead ?? takeRecord()
  }

  /// The id of that record; nil if none has come.
  mutating func nextID() -> [UInt8]? {
    if ahead == nil { ahead = takeRecord() }
    return ahead?.id
  }

  /// Whether there are no more records.
  var isEnded: Bool { isAtEnd && ahead == nil }

  /// Reads available input.
  mutating func read() throws(ToolFailure) {
    do { if try lines.read(from: descriptor) { return } } catch { failure = .system(error, Self.source) }
    isAtEnd = true
  }

  // MARK: Batches

  private var hasEnough: Bool { batch.count >= options.batchCount || batch.text.count >= options.batchBytes }

  /// A batch does not end between two records of one id, because a checkpoint with that id says that both were taken.
  /// The size limit still holds, so that a source with only one id cannot fill the memory; then the checkpoint waits.
  private func fits(_ record: Record) -> Bool {
    if batch.isEmpty { return true }
    if batch.text.count + record.text.count >= options.batchBytes { return false }
    if batch.count < options.batchCount { return true }
    return options.batchCount > 1 && !record.id.isEmpty && record.id == batch.records.last?.id
  }

  private mutating func takeBatch() -> Batch {
    defer { batch = Batch() }
    batch.nextID = ahead?.id
    return batch
  }

  // MARK: Records

  private mutating func takeRecord() -> Record? {
    while failure == nil {
      let number = lines.number
      guard let line = lines.next() else {
        if lines.pendingCount > options.maxSize {
          fail(at: number)
        } else if isAtEnd {
          return takeRest()
        }
        return nil
      }
      if line.count > options.maxSize {
        fail(at: number)
      } else if let record = record(line, number) {
        return record
      }
    }
    return nil
  }

  private mutating func record(_ line: [UInt8], _ number: Int) -> Record? {
    guard options.readsRecords else { return Record(line: line, number: number) }
    let text = Self.withoutSeparator(line)
    do { return try Record(parsing: text, number: number, isRaw: options.isRaw) } catch {
      let place = TextPlace(line: number, column: error.offset + 1 + line.count - text.count, excerpt: line)
      end(with: .failed(.error, error.message(), source: Self.source, place: place))
      return nil
    }
  }

  /// The line without the RS that begins each document of a JSON text sequence (RFC 7464).
  private static func withoutSeparator(_ line: [UInt8]) -> [UInt8] {
    line.first?.isRecordSeparator == true ? Array(line.dropFirst()) : line
  }

  private mutating func fail(at number: Int) {
    let text = "a line of more than \(options.maxSize) bytes (--max-size)"
    end(with: .failed(.error, text, source: Self.source, place: TextPlace(line: number, column: 1)))
  }

  private mutating func end(with failure: ToolFailure) {
    self.failure = failure
    isAtEnd = true
  }

  /// Handles a last line without a line end. Its writer has died, unless the line is complete in itself.
  private mutating func takeRest() -> Record? {
    let number = lines.number
    let line = lines.rest()
    let document = options.readsRecords ? Self.withoutSeparator(line) : line
    if line.isEmpty || options.readsRecords && document.allSatisfy(\.isWhiteSpace) { return nil }
    if (try? JSONDocument(parsing: document, maxDepth: .max)) != nil { return record(line, number) }
    hasDropped = true
    let text = "dropped: the last line has no line end and is not complete JSON"
    streams.say(Diagnostic(text, source: Self.source, place: TextPlace(line: number, column: 1)))
    return nil
  }
}
