// A feed as it is known, without network.

import FeedCore

struct StoredView {
  private static let chunkLines = 1000
  private static let chunkBytes = 1 << 20

  private let options: Options.Store
  private let settings: Options
  private let streams: StandardStreams
  private let file: StoreFile

  init(_ options: Options.Store, _ settings: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.settings = settings
    self.streams = streams
    file = try options.stored(StoreFile(reading: options.path))
    self.options = try options.remembering(file)
  }

  func run() throws(ToolFailure) -> ExitStatus {
    let feeds = try feeds()
    var output = ByteWriter(streams.output, records: .network)
    var hasOpenGap = false
    for feed in feeds {
      let store = try options.stored(file.open(feed, isVersioned: true))
      if feeds.count > 1 {
        output.append("feed\t")
        output.append(printable(feed.name))
        output.endLine()
      }
      let runs = FeedRuns(try options.stored(store.runs()))
      if options.action == .status {
        try printStatus(of: store, runs, to: &output)
      } else {
        try printItems(of: store, runs, to: &output)
      }
      if runs.hasOpenGap { hasOpenGap = true }
    }
    try output.flushOutput()
    return hasOpenGap ? .no : .yes
  }

  /// The feed that is meant; without a word about it all that there are.
  private func feeds() throws(ToolFailure) -> [FeedRecord] {
    var name = options.feedName
    if case .url(let url) = settings.source {
      name = options.name(of: PageRequest(first: settings.http.request(url)))
    }
    let feeds = try options.stored(file.feeds())
    guard let name else {
      guard options.action == .status || feeds.count == 1 else {
        throw options.failure("the store has \(feeds.count) feeds: say which is meant (--feed)")
      }
      return feeds
    }
    guard let feed = feeds.first(where: { $0.name == name }) else {
      throw options.failure("no feed '\(shortened(name))' in the store")
    }
    return [feed]
  }

  /// Prints the items from the top down to the first gap.
  private func printItems(of store: FeedStore, _ runs: FeedRuns, to output: inout ByteWriter) throws(ToolFailure) {
    var left = settings.walk.maxItems
    var top = runs.head?.top
    while let start = top, let head = runs.head, start <= head.bottom, left > 0 {
      let items = try options.stored(
        store.live(in: start...head.bottom, lines: min(left, Self.chunkLines), bytes: Self.chunkBytes))
      for item in items {
        if settings.form == .records {
          let event = Array("item".utf8)
          output.beginRecord(event: event.span, id: item.id.span)
          output.appendItem(item.data)
          output.endRecord()
        } else {
          output.append(item.data)
          output.endLine()
        }
      }
      try output.checkOutput()
      left -= items.count
      top = items.last.map { $0.position + 1 }
    }
  }

  /// Prints a line for each run: how many items it has, from which id to which, and what is below it; then what was not
  /// printed.
  private func printStatus(of store: FeedStore, _ runs: FeedRuns, to output: inout ByteWriter) throws(ToolFailure) {
    for run in runs.all {
      let count = try options.stored(store.liveCount(in: run.range))
      output.append("run\t\(count)\t")
      output.append(printable(try options.stored(id(at: store.firstLive(in: run.range), store))))
      output.append("\t")
      output.append(printable(try options.stored(id(at: store.lastLive(in: run.range), store))))
      output.append("\t\(run.isPlaced ? run.lowerEnd.rawValue : "unplaced")\n")
    }
    let unprinted = try options.stored(store.unprinted())
    output.append("waiting\t\(unprinted.waiting)\nuncertain\t\(unprinted.uncertain)\n")
  }

  private func id(at position: Int?, _ store: FeedStore) throws(StoreError) -> [UInt8] {
    guard let position else { return [] }
    return try store.live(in: position...position, lines: 1, bytes: 1).first?.id ?? []
  }
}
