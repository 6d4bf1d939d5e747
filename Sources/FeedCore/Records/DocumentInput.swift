// The documents of an input, one by one, live: what was printed goes out before the tool waits for more.

public struct DocumentInput {
  private let file: InputFile
  private let descriptor: Descriptor
  private let record: String
  private var stream: JSONStream
  private var isAtEnd = false

  /// - Parameters:
  ///   - maxDepth: how many containers may be open at once.
  ///   - maxSize: the largest document in bytes.
  ///   - isLineDelimited: whether no document goes on in another line, so that a bad line can be passed over.
  ///   - record: what messages call one of them: `event`, `document`.
  public init(
    _ file: InputFile, _ descriptor: Descriptor, maxDepth: Int, maxSize: Int, isLineDelimited: Bool = false,
    record: String
  ) {
    self.file = file
    self.descriptor = descriptor
    self.record = record
    stream = JSONStream(maxDepth: maxDepth, maxSize: maxSize, isLineDelimited: isLineDelimited)
  }

  /// The next document.
  /// - Parameters:
  ///   - output: where nobody may be reading any more, which ends the waiting.
  ///   - settle: writes out what was printed; called before any wait.
  /// - Returns: nil when all has been read and taken.
  public mutating func next(
    orHangUpOf output: Descriptor, beforeWaiting settle: () throws(ToolFailure) -> Void
  ) throws(ToolFailure) -> StreamedDocument? {
    while true {
      if let item = try arrived() { return item }
      if isAtEnd { return nil }
      try waitForInput(of: descriptor, orHangUpOf: output, beforeWaiting: settle)
      isAtEnd = try !naming(file.name, stream.read(from: descriptor))
    }
  }

  /// Passes over the line in which an error was.
  public mutating func skipLine() { stream.skipLine() }

  /// The next document that has arrived as a whole.
  private mutating func arrived() throws(ToolFailure) -> StreamedDocument? {
    do { return try stream.next(isLast: isAtEnd) } catch { throw .malformed(error, in: file.name, record: record) }
  }
}
