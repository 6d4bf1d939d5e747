// Notes among the records: that a request is made again, that the server has asked for a wait, that a gap is there.

import FeedCore
import FeedHTTP

/// Writes each note out at once. All records that come before it must have been written out.
struct NotePrinter {
  /// Nil where notes are not wanted.
  private var output: ByteWriter?
  private let stamp: RecordStamp

  init(_ options: Options, _ streams: StandardStreams) {
    output = options.printsNotes ? ByteWriter(streams.output, records: .network) : nil
    stamp = options.stamp
  }

  /// - Parameters:
  ///   - url: as messages show it.
  ///   - delay: in seconds.
  mutating func print(_ kind: Note.Kind, _ url: String, delay: Double? = nil, _ reason: String) throws(ToolFailure) {
    guard output != nil else { return }
    output?.append(stamp.stamped(Note(kind, url: url, delay: delay, reason: reason)))
    try output?.flushOutput()
  }
}
