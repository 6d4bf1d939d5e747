// The documents of an input, one by one, live: what was printed goes out before the tool waits for more.

/// What a tool makes of a stream of documents.
package protocol DocumentFollower {
  mutating func take(_ item: StreamedDocument) throws(ToolFailure)
  /// Whether to commit although more input is there.
  var isCommitDue: Bool { get }
  /// Writes out what was printed, and then the checkpoint that covers it, if there is one.
  mutating func commit() throws(ToolFailure)
}

package struct DocumentInput {
  private let file: InputFile
  private let descriptor: Descriptor
  private let record: String
  private var stream: JSONStream
  private var progress: ReadingProgress?
  private var isAtEnd = false
  /// Where lines that are no documents are told; nil where they end the reading.
  private let complaints: StandardStreams?
  /// Whether a line was passed over.
  package private(set) var hasSkipped = false

  /// - Parameters:
  ///   - maxDepth: how many containers may be open at once.
  ///   - maxSize: the largest document in bytes.
  ///   - complaints: where a line that is no document is told, and then passed over; no document goes on in another line
  ///     then. Nil: it ends the reading.
  ///   - record: what messages call one of them: `event`, `document`.
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

  /// The next document.
  /// - Parameters:
  ///   - output: where nobody may be reading any more, which ends the waiting.
  ///   - flush: writes out what was printed; called before any wait.
  /// - Returns: nil when all has been read and taken.
  package mutating func next(
    orHangUpOf output: Descriptor, beforeWaiting flush: () throws(ToolFailure) -> Void
  ) throws(ToolFailure) -> StreamedDocument? {
    while true {
      if let item = try nextComplete() { return item }
      if isAtEnd { return nil }
      try waitForInput(of: descriptor, orHangUpOf: output, beforeWaiting: flush)
      let count = try naming(file.name, stream.read(from: descriptor))
      progress?.advance(by: count)
      isAtEnd = count == 0
    }
  }

  /// Takes each document, and commits before each wait, when that is due, and at the end.
  package mutating func feed(
    _ follower: inout some DocumentFollower, orHangUpOf output: Descriptor
  ) throws(ToolFailure) {
    do throws(ToolFailure) {
      while let item = try next(
        orHangUpOf: output, beforeWaiting: { () throws(ToolFailure) in try follower.commit() })
      {
        try follower.take(item)
        if follower.isCommitDue { try follower.commit() }
      }
    } catch {
      // What was good before the error is printed before it is told.
      if error != .brokenPipe { try follower.commit() }
      throw error
    }
    try follower.commit()
  }

  /// The next document that has come as a whole.
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
