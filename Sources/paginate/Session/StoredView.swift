import FeedCore
import FeedHTTP

/// Shows a stored feed, without network.
struct StoredView {
  private static let chunkLines = 1000
  private static let chunkBytes = 1 << 20

  private let storeOptions: Options.Store
  private let options: Options
  private let streams: StandardStreams
  private let file: StoreFile

  init(_ storeOptions: Options.Store, _ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    (self.options, self.streams) = (options, streams)
    file = try storeOptions.stored(StoreFile(reading: storeOptions.path))
    self.storeOptions = try storeOptions.remembering(file)
  }

  func run() throws(ToolFailure) -> ExitStatus {
    // All that is printed is one state of the store, whatever another process writes meanwhile.
    try storeOptions.stored(file.database.run("BEGIN"))
    let feeds = try feeds()
    var output = ByteWriter(streams.output, records: .network)
    var hasOpenGap = false
    for feed in feeds {
      let store = try storeOptions.stored(file.open(feed))
      if feeds.count > 1 {
        output.append("feed\t")
        output.append(printable(feed.name))
        output.endLine()
      }
      let runs = FeedRuns(try storeOptions.stored(store.runs()))
      if storeOptions.action == .status {
        try printStatus(of: store, runs, to: &output)
      } else if storeOptions.checkpoint != nil {
        try printReleased(of: store)
      } else {
        try printItems(of: store, runs, to: &output)
      }
      if runs.hasOpenGap { hasOpenGap = true }
    }
    try output.flushOutput()
    return hasOpenGap ? .no : .yes
  }

  /// The feed that is meant; all feeds if none is named.
  private func feeds() throws(ToolFailure) -> [FeedRecord] {
    var name = storeOptions.feedName
    if case .url(let url) = options.source {
      name = storeOptions.name(of: PageRequest(first: options.http.request(url)))
    }
    let feeds = try storeOptions.stored(file.feeds())
    guard let name else {
      guard storeOptions.action == .status || feeds.count == 1 else {
        throw storeOptions.failure("the store has \(feeds.count) feeds: say which is meant (--feed)")
      }
      return feeds
    }
    guard let feed = feeds.first(where: { $0.name == name }) else {
      throw storeOptions.failure("no feed '\(shortened(name))' in the store" + FeedRecord.names(feeds))
    }
    return [feed]
  }

  /// Prints the items from the top to the first gap.
  private func printItems(of store: FeedStore, _ runs: FeedRuns, to output: inout ByteWriter) throws(ToolFailure) {
    var left = options.limit
    var rest = runs.head?.range
    while let range = rest, left > 0 {
      let items = try storeOptions.stored(
        store.live(in: range, lines: min(left, Self.chunkLines), bytes: Self.chunkBytes))
      for item in items { options.itemForm.write(item, to: &output) }
      try output.checkOutput()
      left -= items.count
      rest = items.last.flatMap { $0.position < range.upperBound ? ($0.position + 1)...range.upperBound : nil }
    }
  }

  /// Prints the items that the reader does not have yet.
  private func printReleased(of store: FeedStore) throws(ToolFailure) {
    var printer = FeedPrinter(options, streams)
    printer.place = try storeOptions.place(in: store)
    printer.chunkBytes = Self.chunkBytes
    guard printer.place != nil else { return }
    if let error = try storeOptions.stored(printer.print(Int.min...Int.max, of: store)) { throw .output(error) }
  }

  /// Prints a line for each run: the number of items, the first and last id, and what is below it; then what was not
  /// printed.
  private func printStatus(of store: FeedStore, _ runs: FeedRuns, to output: inout ByteWriter) throws(ToolFailure) {
    for run in runs.all {
      let count = try storeOptions.stored(store.liveCount(in: run.range))
      output.append("run\t\(count)\t")
      output.append(printable(try storeOptions.stored(id(at: store.firstLive(in: run.range), store))))
      output.append("\t")
      output.append(printable(try storeOptions.stored(id(at: store.lastLive(in: run.range), store))))
      output.append("\t\(run.lowerEnd.rawValue)\n")
    }
    let unprinted = try storeOptions.stored(store.unprinted())
    output.append("waiting\t\(unprinted.waiting)\nuncertain\t\(unprinted.uncertain)\n")
  }

  private func id(at position: Int?, _ store: FeedStore) throws(StoreError) -> [UInt8] {
    guard let position else { return [] }
    return try store.live(in: position...position, lines: 1, bytes: 1).first?.id ?? []
  }
}
