// One line on a terminal's standard error, there only while something is waited for: pages, items, rate, and how long the
// wait is. Whoever writes anything else finds the line free.

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
    isShown = isWanted && error.isTerminal && !streams.output.isTerminal
  }

  /// - Parameter seconds: until the next request is made; nil while one is answered.
  func show(waiting seconds: Double? = nil) {
    guard isShown else { return }
    let rate = Int(Double(items) / max(Clock.monotonic() - start, 0.001))
    let wait = seconds.map { ", waiting \(Int($0.rounded(.up))) s" } ?? ""
    error.write(Array("\r\(pages) pages, \(items) items, \(rate)/s\(wait)\u{1b}[K".utf8).span)
  }

  func clear() {
    if isShown { error.write(Array("\r\u{1b}[K".utf8).span) }
  }
}
