// One line on a terminal's standard error, there only while something is waited for: pages, items, rate, and how long the
// wait is. It is shown where standard output is a file: into a pipe the items go to a program that may write them to the
// same terminal, at any time, into the middle of the line.

import FeedCore

struct Progress {
  /// What has been read.
  var pages = 0
  var items = 0
  /// Whether there is a terminal that shows it, and nothing else that does.
  let isShown: Bool
  private let error: Descriptor
  private let start = Clock.monotonic()

  init(_ streams: StandardStreams, isWanted: Bool) {
    error = streams.error
    isShown = isWanted && error.isTerminal && streams.output.fileSize != nil
  }

  /// - Parameter seconds: until the next request is made; nil while one is answered.
  func show(waiting seconds: Double? = nil) {
    guard isShown else { return }
    let rate = Int(Double(items) / max(Clock.monotonic() - start, 0.001))
    let wait = seconds.map { ", waiting \(Int($0.rounded(.up))) s" } ?? ""
    let counts = "\(counted(pages, "page")), \(counted(items, "item"))"
    error.write(Array("\r\(counts), \(rate)/s\(wait)\u{1b}[K".utf8).span)
  }

  private func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

  func clear() {
    if isShown { error.write(Array("\r\u{1b}[K".utf8).span) }
  }
}
