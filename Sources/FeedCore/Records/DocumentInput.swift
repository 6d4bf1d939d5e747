// The documents of an input, one by one, live: printed output is flushed before the tool waits for more.

/// What a tool does with a stream of documents or of event records: it prints, and keeps a checkpoint that covers only
/// what has been printed. There is one document, with the number 0, or one for each source of the records.
package protocol DocumentFollower {
  mutating func take(_ item: StreamedDocument) throws(ToolFailure)
  /// Called before `take` if malformed lines were skipped since the last document, and at the end.
  mutating func hasSkippedLine()

  var output: ByteWriter { get set }
  var records: RecordReader { get set }
  var checkpoint: CheckpointKeeper { get set }
  /// What to save of each document; nil while it has not come.
  var checkpoints: [Checkpoint?] { get }
  /// What to do if no event is of use, for messages.
  static var remedy: String { get }
}

extension DocumentFollower {
  package mutating func hasSkippedLine() {}

  /// Flushes the output, then saves the checkpoint that covers it, if there is one.
  fileprivate mutating func commit() throws(ToolFailure) {
    try output.flushOutput()
    let checkpoints = checkpoints
    if let sources = records.sources {
      try checkpoint.save { path throws(ToolFailure) in try Checkpoint.write(path, of: sources, checkpoints) }
    } else if let only = checkpoints[0] {
      try checkpoint.save(only)
    }
  }

  /// Called before each wait. A checkpoint of many documents is not saved more often than once a second.
  fileprivate mutating func pause() throws(ToolFailure) {
    records.reportUnusable(Self.remedy)
    if records.sources == nil || checkpoint.isDue { try commit() } else { try output.flushOutput() }
  }

  /// When the wait for input is to end, for another call of `pause`; by the monotonic clock, nil for never.
  fileprivate var dueTime: Double? {
    [records.sources == nil ? nil : checkpoint.dueTime, records.dueTime].compactMap(\.self).min()
  }
}

/// Reads the documents of a file or a pipe, whatever pieces they come in.
package struct DocumentInput {
  private let file: InputFile
  private let descriptor: Descriptor
  private let record: String
  private var stream: JSONStream
  private var progress: ReadingProgress?
  private var isAtEnd = false
  /// Where malformed lines are reported; nil if they end the reading.
  private let complaints: StandardStreams?
  /// Whether a line was skipped since the last document.
  private var hasSkipped = false

  /// - Parameters:
  ///   - maxDepth: how many containers may be open at once.
  ///   - maxSize: the largest document in bytes.
  ///   - complaints: where a malformed line is reported, which is then skipped; a document may not continue on another
  ///     line then. Nil: a malformed line ends the reading.
  ///   - record: what messages call one of the documents: `event`, `document`.
  ///   - progress: shows how far the reading is.
  package init(
    _ file: InputFile, _ descriptor: Descriptor, maxDepth: Int, maxSize: Int,
    skippingLinesWith complaints: StandardStreams? = nil, record: String, progress: ReadingProgress? = nil
  ) {
    self.file = file
    self.descriptor = descriptor
    self.record = record
    self.progress = progress
    self.complaints = complaints
    stream = JSONStream(maxDepth: maxDepth, maxSize: maxSize, isLineDelimited: complaints != nil)
  }

  /// Returns the next document.
  /// - Parameters:
  ///   - output: the wait ends when this has lost its reader.
  ///   - deadline: when a wait ends, so that `flush` is called again; by the monotonic clock, nil for never.
  ///   - flush: writes out what was printed; called before every wait.
  /// - Returns: nil when all input has been read and returned.
  package mutating func next(
    orHangUpOf output: Descriptor, until deadline: () -> Double? = { nil },
    beforeWaiting flush: () throws(ToolFailure) -> Void
  ) throws(ToolFailure) -> StreamedDocument? {
    while true {
      if let item = try nextComplete() { return item }
      if isAtEnd { return nil }
      guard try waitForInput(of: descriptor, orHangUpOf: output, until: deadline(), beforeWaiting: flush) else {
        continue
      }
      let count = try naming(file.name, stream.read(from: descriptor))
      progress?.advance(by: count)
      isAtEnd = count == 0
    }
  }

  /// Passes each document to the follower. Commits before each wait, when a commit is due, and at the end.
  package mutating func feed(
    _ follower: inout some DocumentFollower, orHangUpOf output: Descriptor
  ) throws(ToolFailure) {
    do throws(ToolFailure) {
      while let item = try next(
        orHangUpOf: output, until: { follower.dueTime },
        beforeWaiting: { () throws(ToolFailure) in try follower.pause() })
      {
        reportSkippedLines(&follower)
        try follower.take(item)
        if follower.checkpoint.isDue { try follower.commit() }
      }
    } catch {
      // Documents before the error are printed before the error is reported.
      if error != .brokenPipe { try follower.commit() }
      throw error
    }
    reportSkippedLines(&follower)
    try follower.commit()
  }

  private mutating func reportSkippedLines(_ follower: inout some DocumentFollower) {
    if hasSkipped { follower.hasSkippedLine() }
    hasSkipped = false
  }

  /// The next complete document in the buffer.
  private mutating func nextComplete() throws(ToolFailure) -> StreamedDocument? {
    while true {
      do { return try stream.next(isLast: isAtEnd, of: file.name, record: record) } catch {
        guard let complaints else { throw error }
        complaints.say(error.diagnostic)
        hasSkipped = true
        stream.skipLine()
      }
    }
  }
}
