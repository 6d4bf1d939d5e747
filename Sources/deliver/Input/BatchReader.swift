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
  /// The records that have come for the next batch. If the last one does not fit, it begins the batch after that.
  private var batch = Batch()
  /// When the first record of the batch came; nil if it is for the next one.
  private var firstTime: Double?
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
    if !batch.isEmpty || addRecord() {
      firstTime = firstTime ?? Clock.monotonic()
      while !isOver, addRecord() {}
    }
    guard !batch.isEmpty, let firstTime else {
      guard isEnded else { return .wanted(until: nil) }
      if let failure { throw failure }
      return .end
    }
    let deadline = firstTime + options.batchTime
    if isOver || isAtEnd || isDue || Clock.monotonic() >= deadline { return .batch(takeBatch()) }
    // The batch and the checkpoint need to know whether a record with the same id follows.
    return .wanted(until: hasEnough ? 0 : deadline)
  }

  /// The next record that has come; for use between batches, without adding it to one.
  mutating func nextRecord() -> Record? { hasNext() ? batch.removeLast() : nil }

  /// The id of that record; nil if none has come.
  mutating func nextID() -> [UInt8]? { hasNext() ? batch.id(of: 0) : nil }

  /// Between batches, there is at most one record.
  private mutating func hasNext() -> Bool { !batch.isEmpty || addRecord() }

  /// Whether there are no more records.
  var isEnded: Bool { isAtEnd && batch.isEmpty }

  /// Reads available input.
  mutating func read() throws(ToolFailure) {
    do { isAtEnd = try !lines.read(from: descriptor) } catch { end(with: .system(error, Self.source)) }
  }

  // MARK: Batches

  private var hasEnough: Bool { batch.count >= options.batchCount || batch.text.count >= options.batchBytes }

  /// Whether the last record does not fit.
  ///
  /// A batch does not end between two records of one id, because a checkpoint with that id says that both were taken.
  /// The size limit still holds, so that a source with only one id cannot fill the memory; then the checkpoint waits.
  private var isOver: Bool {
    let others = batch.count - 1
    if others < 1 { return false }
    if batch.text.count > options.batchBytes { return true }
    if others < options.batchCount { return false }
    let id = batch.id(of: others)
    return options.batchCount == 1 || id.isEmpty || id != batch.id(of: others - 1)
  }

  private mutating func takeBatch() -> Batch {
    let next = isOver ? batch.removeLast() : nil
    var taken = Batch()
    swap(&taken, &batch)
    firstTime = nil
    if let next {
      batch.append(next)
      taken.nextID = next.id
    }
    return taken
  }

  /// Takes the memory of a finished batch for the next one.
  mutating func reuse(_ finished: consuming Batch) {
    // A longer record goes alone, and others need less.
    guard finished.text.count <= options.batchBytes else { return }
    finished.removeAll()
    if !batch.isEmpty { finished.append(batch.removeLast()) }
    batch = finished
  }

  // MARK: Records

  /// Adds the next record that has come to the batch.
  /// - Returns: false if none has come.
  private mutating func addRecord() -> Bool {
    while true {
      let number = lines.number
      let line = lines.next()
      if line?.count ?? lines.pendingCount > options.maxSize {
        let text = "a line of more than \(options.maxSize) bytes (--max-size)"
        end(with: .failed(.error, text, source: Self.source, place: TextPlace(line: number, column: 1)))
        return false
      }
      guard let line else { return isAtEnd && addRest() }
      if add(line, number) { return true }
    }
  }

  /// Adds a line of the buffer.
  /// - Returns: false if it is no record.
  private mutating func add(_ line: Range<Int>, _ number: Int) -> Bool {
    let buffer = lines.buffer
    let bytes = buffer.span
    if !options.readsRecords {
      batch.append(bytes.extracting(line), number: number)
      return true
    }
    guard let found = RecordGlance.record(in: bytes, line, isRaw: options.isRaw) else {
      return add(Array(buffer[line]), number)
    }
    batch.append(
      bytes.extracting(line), data: found.data.map { Array(buffer[$0]) }, id: bytes.extracting(found.id),
      number: number)
    return true
  }

  /// Adds a line that may be anything.
  private mutating func add(_ line: [UInt8], _ number: Int) -> Bool {
    guard options.readsRecords else {
      batch.append(line.span, number: number)
      return true
    }
    let text = Self.withoutSeparator(line)
    do {
      guard let record = try Record(parsing: text, number: number, isRaw: options.isRaw) else { return false }
      batch.append(record)
      return true
    } catch {
      let place = TextPlace(line: number, column: error.offset + 1 + line.count - text.count, excerpt: line)
      end(with: .failed(.error, error.message(), source: Self.source, place: place))
      return false
    }
  }

  /// The line without the RS that begins each document of a JSON text sequence (RFC 7464).
  private static func withoutSeparator(_ line: [UInt8]) -> [UInt8] {
    line.first?.isRecordSeparator == true ? Array(line.dropFirst()) : line
  }

  /// Ends the input. The bytes that have come count no more.
  private mutating func end(with failure: ToolFailure) {
    self.failure = failure
    lines = LineReader()
    isAtEnd = true
  }

  /// Handles a last line without a line end. Its writer has died, unless the line is complete in itself.
  private mutating func addRest() -> Bool {
    let number = lines.number
    let line = lines.rest()
    let document = options.readsRecords ? Self.withoutSeparator(line) : line
    if line.isEmpty || options.readsRecords && document.allSatisfy(\.isWhiteSpace) { return false }
    if (try? JSONDocument(parsing: document, maxDepth: .max)) != nil { return add(line, number) }
    hasDropped = true
    let text = "dropped: the last line has no line end and is not complete JSON"
    streams.say(Diagnostic(text, source: Self.source, place: TextPlace(line: number, column: 1)))
    return false
  }
}
