// The documents of an input, one by one, live: what was printed goes out before the tool waits for more.

import FeedCore

struct DocumentInput {
  private let file: InputFile
  private let descriptor: Descriptor
  private let record: String
  private var stream: JSONStream
  private var isAtEnd = false

  /// - Parameter record: what messages call one of them: `event`, `document`.
  init(_ file: InputFile, _ descriptor: Descriptor, _ options: Options, record: String) {
    self.file = file
    self.descriptor = descriptor
    self.record = record
    stream = JSONStream(maxDepth: options.maxDepth, maxSize: options.patching.maxSize)
  }

  /// Whether the next document would have to be waited for.
  var isDry: Bool { !isAtEnd && !descriptor.hasInput }

  /// The next document that has arrived as a whole.
  /// - Returns: nil when more must be read first, or at the end.
  mutating func arrived() throws(ToolError) -> StreamedDocument? {
    do { return try stream.next(isLast: isAtEnd) } catch { throw .malformed(error, in: file.name, record: record) }
  }

  /// Reads on, waiting if it must.
  /// - Returns: false when all has been read and taken.
  mutating func read(orHangUpOf output: Descriptor) throws(ToolError) -> Bool {
    if isAtEnd { return false }
    if !descriptor.waitForInput(orHangUpOf: output) { throw .brokenPipe }
    do { isAtEnd = try !stream.read(from: descriptor) } catch { throw .system(error, file.name) }
    return true
  }

  /// The next document, with `output` flushed before any wait.
  mutating func next(flushing output: inout ByteWriter, _ streams: StandardStreams) throws(ToolError)
    -> StreamedDocument?
  {
    while true {
      if let item = try arrived() { return item }
      if isAtEnd || isDry { try output.flushOutput() }
      guard try read(orHangUpOf: streams.output) else { return nil }
    }
  }
}
