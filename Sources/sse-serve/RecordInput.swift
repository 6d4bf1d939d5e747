// Standard input, read one piece at a time when the poller reports data.

import FeedCore

struct RecordInput {
  let descriptor: Descriptor
  private let skipsErrors: Bool
  private var stream: JSONStream

  init(_ options: Options, _ streams: StandardStreams) {
    descriptor = streams.input
    skipsErrors = options.skipsErrors
    stream = JSONStream(
      maxDepth: options.patching.maxDepth, maxSize: options.patching.maxSize, isLineDelimited: skipsErrors)
  }

  /// Reads a piece, and publishes the records in it that are complete.
  /// - Returns: false at the end of the input.
  mutating func read(into publisher: inout Publisher) throws(ToolFailure) -> Bool {
    let goesOn: Bool
    do { goesOn = try stream.read(from: descriptor) > 0 } catch {
      // Another process has read it.
      if error.wouldBlock { return true }
      throw .system(error, InputFile.standardInput.name)
    }
    while let item = try next(isLast: !goesOn, &publisher) { try publisher.take(item) }
    return goesOn
  }

  private mutating func next(isLast: Bool, _ publisher: inout Publisher) throws(ToolFailure) -> StreamedDocument? {
    while true {
      do { return try stream.next(isLast: isLast, of: InputFile.standardInput.name, record: "event") } catch {
        guard skipsErrors else { throw error }
        publisher.skip(error)
        stream.skipLine()
      }
    }
  }
}
