// One run of the tool on one feed of a store: performs the engine's actions, and prints after each change.

import FeedCore

/// Makes a request, with retries, waits and credentials.
protocol PageFetcher {
  /// - Parameters:
  ///   - ifNoneMatch: an ETag that makes the request conditional.
  ///   - progress: what came before the page.
  mutating func fetch(_ request: [UInt8], ifNoneMatch: [UInt8]?, after progress: WalkProgress) -> FeedResponse
}

struct FeedSession<Fetcher: PageFetcher> {
  private let store: any FeedStorage
  private let engine: FeedEngine
  var fetcher: Fetcher
  var printer: FeedPrinter
  /// `--redeliver`.
  var redelivers = false
  /// Called before a page is committed, with the fetcher and the order that was given or shown.
  var willCommit: (Fetcher, FeedOrder?) throws(StoreError) -> Void = { _, _ in }
  /// Reports messages, as soon as they are known.
  var note: (FeedNote) -> Void = { _ in }

  init(_ store: any FeedStorage, _ options: FeedOptions, _ fetcher: Fetcher, _ printer: FeedPrinter) {
    (self.store, self.fetcher, self.printer) = (store, fetcher, printer)
    engine = FeedEngine.engine(options, store)
  }

  /// Runs to the end. Items that wait from earlier runs are printed first, before the first request.
  mutating func run() throws(StoreError) -> FeedOutcome {
    // This also matters for a reader with its own place: later changes could move an item that was being printed.
    try store.recoverInterrupted { count in if !redelivers { note(.uncertain(count)) } }
    if redelivers { try store.redeliver() }
    let runs = FeedRuns(try store.runs())
    if let error = try print(runs) { return FeedOutcome(hasOpenGap: runs.hasOpenGap, outputError: error) }
    if printer.remaining == 0 { return FeedOutcome(hasOpenGap: runs.hasOpenGap) }

    var reportedNotes = 0
    while true {
      switch try next() {
      case .fetch(let request, let etag, let isAgain):
        let response = fetcher.fetch(request, ifNoneMatch: etag, after: progress(isAgain))
        engine.receive(try ended(response, request))
      case .commit:
        let error = try print(engine.runs)
        if let error { return FeedOutcome(hasOpenGap: engine.runs.hasOpenGap, outputError: error) }
      case .done(let outcome): return outcome
      }
      for found in engine.notes.dropFirst(reportedNotes) { note(found) }
      reportedNotes = engine.notes.count
    }
  }

  /// What the fetcher needs to know before a page: how many items are wanted, and which are new.
  private func progress(_ isAgain: Bool) -> WalkProgress {
    var progress = WalkProgress(wanted: printer.remaining, isAgain: isAgain)
    if engine.options.dedupes {
      progress.dedupes = true
      // A store that fails here fails again when the page is added.
      progress.isNew = { [store] item in item.id.map { id in (try? store.item(id)) == nil } ?? true }
    }
    progress.isKept = engine.options.isKept
    // A part of the feed says nothing about the rest.
    if !engine.isFiltered { progress.held = { [engine] page in try? engine.count(with: page) } }
    // What earlier runs have read is not counted.
    if !engine.options.isKept {
      progress.received = { [store, isNew = progress.isNew] page in
        guard let count = try? store.liveCount(in: Int.min...Int.max) else { return nil }
        var ids = SeenIDs()
        return count + page.items.count { item in isNew(item) && item.id.map { ids.insert($0) } ?? true }
      }
    }
    return progress
  }

  /// The engine's next action. If it is a change of the store, that is made already.
  private mutating func next() throws(StoreError) -> FeedEngine.Action {
    try store.commit { () throws(StoreError) in
      let action = try engine.next()
      guard case .commit(let change) = action else { return (action, nil) }
      if !change.savedPages.isEmpty { try willCommit(fetcher, engine.order) }
      return (action, change)
    }
  }

  /// Ends the walk if the page has an item with which it is to end. That item and those below it are left out, unless
  /// all of them are known.
  private mutating func ended(_ response: FeedResponse, _ request: [UInt8]) throws(StoreError) -> FeedResponse {
    guard case .page(let page) = response, let end = page.end else { return response }
    engine.stop()
    for item in page.items[end...] where try store.item(item) == nil { return .page(page.cut(request)) }
    return response
  }

  /// Prints what may be printed by now.
  private mutating func print(_ runs: FeedRuns) throws(StoreError) -> SystemError? {
    let error = try printer.print(runs.printable, of: store)
    if printer.remaining == 0 { engine.stop() }
    return error
  }
}
