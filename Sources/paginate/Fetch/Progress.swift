// What is shown of a walk besides its items: the status line, and notes among the records.

import FeedCore
import FeedHTTP

/// The status line, there only while something is waited for: pages, items, rate, and how long the wait is.
struct Progress {
  /// What has been read so far.
  var pages = 0
  var items = 0
  /// Whether there is a terminal that shows it.
  let isShown: Bool
  private let streams: StandardStreams
  private let start = Clock.monotonic()

  init(_ streams: StandardStreams, isWanted: Bool) {
    self.streams = streams
    isShown = isWanted && streams.showsStatus
  }

  /// - Parameter seconds: the time until the next request; nil during a request.
  func show(waiting seconds: Double? = nil) {
    guard isShown else { return }
    let rate = Int(Double(items) / max(Clock.monotonic() - start, 0.001))
    let wait = seconds.map { ", waiting \(Int($0.rounded(.up))) s" } ?? ""
    let counts = "\(counted(pages, "page")), \(counted(items, "item"))"
    streams.show(status: "\(counts), \(rate)/s\(wait)")
  }

  private func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

  func clear() { StatusLine.erase() }
}

/// Writes notes: that a request is repeated, that the server asked for a wait, that there is a gap. Each is written at
/// once. All earlier records must have been written out.
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
