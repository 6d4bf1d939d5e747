// A feed as it is known, without network.

import FeedCore

struct StoredView {
  private static let chunkLines = 1000
  private static let chunkBytes = 1 << 20

  private let store: FeedStore
  private let settings: Settings
  private let streams: StandardStreams

  init(_ store: FeedStore, _ settings: Settings, _ streams: StandardStreams) {
    self.store = store
    self.settings = settings
    self.streams = streams
  }

  private func stored<T>(_ body: () throws(StoreError) -> T) throws(ToolError) -> T {
    do { return try body() } catch { throw error.toolError(quoted(settings.store?.path ?? [])) }
  }

  private func runs() throws(ToolError) -> FeedRuns {
    FeedRuns(try stored { () throws(StoreError) in try store.runs() })
  }

  /// Prints the items from the top down to the first gap.
  func printItems() throws(ToolError) -> ExitStatus {
    let runs = try runs()
    var output = ByteWriter(streams.output)
    var left = settings.walk.maxItems
    var top = runs.head?.top
    while let start = top, let head = runs.head, start <= head.bottom, left > 0 {
      let items = try stored { () throws(StoreError) in
        try store.live(in: start...head.bottom, lines: min(left, Self.chunkLines), bytes: Self.chunkBytes)
      }
      for item in items {
        if settings.form == .records {
          let event = Array("item".utf8)
          output.beginRecord(event: event.span, id: item.id.span)
          output.appendItem(item.data)
          output.endRecord()
        } else {
          output.append(item.data)
          output.append("\n")
        }
      }
      try output.checkOutput()
      left -= items.count
      top = items.last.map { $0.position + 1 }
    }
    try output.flushOutput()
    return runs.hasOpenGap ? .no : .yes
  }

  /// Prints a line for each run: how many items it has, from which id to which, and what is below it; then what was not
  /// printed.
  func printStatus() throws(ToolError) -> ExitStatus {
    let runs = try runs()
    var output = ByteWriter(streams.output)
    for run in runs.all {
      let count = try stored { () throws(StoreError) in try store.liveCount(in: run.range) }
      let ends = try stored { () throws(StoreError) in
        try [store.firstLive(in: run.range), store.lastLive(in: run.range)].map { (position) throws(StoreError) in
          guard let position else { return [UInt8]() }
          return try store.live(in: position...position, lines: 1, bytes: 1).first?.id ?? []
        }
      }
      output.append("run\t\(count)\t")
      output.append(printable(ends[0]))
      output.append("\t")
      output.append(printable(ends[1]))
      output.append("\t\(run.isPlaced ? run.lowerEnd.rawValue : "unplaced")\n")
    }
    let unprinted = try stored { () throws(StoreError) in try store.unprinted() }
    output.append("waiting\t\(unprinted.waiting)\nuncertain\t\(unprinted.uncertain)\n")
    try output.flushOutput()
    return runs.hasOpenGap ? .no : .yes
  }
}
