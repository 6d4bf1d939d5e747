// Notes among the records: that a request is repeated, that the server asked for a wait, that there is a gap.

import FeedCore
import FeedHTTP

/// Writes each note at once. All earlier records must have been written out.
struct NotePrinter {
  /// Nil if notes are not wanted.
  private var output: ByteWriter?
  private let stamp: RecordStamp

  init(_ options: Options, _ streams: StandardStreams) {
    output = options.printsNotes ? ByteWriter(streams.output, records: .network) : nil
    stamp = options.stamp
  }

  /// - Parameters:
  ///   - url: as messages show it.
  ///   - code: an HTTP status.
  ///   - delay: in seconds.
  mutating func print(
    _ kind: Note.Kind, _ url: String, code: Int? = nil, delay: Double? = nil, _ reason: String? = nil
  ) throws(ToolFailure) {
    guard output != nil else { return }
    output?.append(stamp.stamped(Note(kind, url: url, code: code, delay: delay, reason: reason)))
    try output?.flushOutput()
  }
}
