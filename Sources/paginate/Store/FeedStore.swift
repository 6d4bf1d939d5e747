import FeedCore

/// A feed in a SQLite file: what is known of it.
final class FeedStore: FeedStorage {
  let database: Database
  let feed: Int
  let statements: FeedStatements
  let releaseLog: ReleaseLog
  let unprintedItems: UnprintedItems
  /// What was added last, which is usually printed next.
  var fresh = FreshItems()
  /// Whether the version of an item is the digest of its text (`ItemVersion`), so that damaged text is detected.
  private let isVersioned: Bool
  /// The longest wait that is remembered, in seconds: no server means a year.
  static let longestWait = 86_400

  init(_ database: Database, _ feed: Int, isVersioned: Bool = false) throws(StoreError) {
    self.database = database
    self.feed = feed
    self.isVersioned = isVersioned
    statements = FeedStatements(database)
    releaseLog = ReleaseLog(database, feed)
    unprintedItems = try UnprintedItems(database, feed, isVersioned: isVersioned)
  }

  // MARK: Knowledge

  func runs() throws(StoreError) -> [FeedRun] {
    let runs = try statements.runs.all(.integer(feed)) { (row) throws(StoreError) in try FeedRun(row) }
    if let problem = FeedRuns(runs).problem { throw .damaged(problem) }
    return runs
  }

  func item(_ id: [UInt8]) throws(StoreError) -> KnownItem? {
    try statements.item.first(.integer(feed), .text(id)) { (row) throws(StoreError) in try KnownItem(row) }
  }

  func text(of handle: Int) throws(StoreError) -> [UInt8] {
    try statements.text.first(.integer(handle)) { (row) throws(StoreError) in try row.text(0, "the text of an item") }
      ?? []
  }

  func firstLive(in range: ClosedRange<Int>) throws(StoreError) -> Int? { try number(statements.firstLive, range) }

  func lastLive(in range: ClosedRange<Int>) throws(StoreError) -> Int? { try number(statements.lastLive, range) }

  func liveCount(in range: ClosedRange<Int>) throws(StoreError) -> Int { try number(statements.liveCount, range) ?? 0 }

  func firstPage(in range: ClosedRange<Int>) throws(StoreError) -> KnownPage? { try page(statements.firstPage, range) }

  func lastPage(in range: ClosedRange<Int>) throws(StoreError) -> KnownPage? { try page(statements.lastPage, range) }

  func firstPage() throws(StoreError) -> FeedChange.FirstPage? {
    let found = try statements.firstPageFacts.first(.integer(feed)) { (row) throws(StoreError) in
      try FeedChange.FirstPage.read(row)
    }
    return found ?? nil
  }

  private func number(_ statement: Statement, _ range: ClosedRange<Int>) throws(StoreError) -> Int? {
    try statement.first(.integer(feed), .integer(range.lowerBound), .integer(range.upperBound)) {
      (row) throws(StoreError) in try row.integer(0, "the position of an item", in: StoreLimit.positions)
    }
  }

  private func page(_ statement: Statement, _ range: ClosedRange<Int>) throws(StoreError) -> KnownPage? {
    try statement.first(.integer(feed), .integer(range.lowerBound), .integer(range.upperBound)) {
      (row) throws(StoreError) in try KnownPage(row)
    }
  }

  // MARK: Facts

  /// How long the server still wants no request, in seconds; nil if it has not said so.
  /// - Parameter now: seconds since 1970. If this is before the server's response, the clock has been set back.
  func retryWait(now: Int) throws(StoreError) -> Int? {
    let times = try statements.retryTime.first(.integer(feed)) { (row) throws(StoreError) in
      (
        until: try row.integerIfAny(0, "the time of the next request", in: StoreLimit.times),
        said: try row.integerIfAny(1, "the time of a refusal", in: StoreLimit.times)
      )
    }
    guard let times, let until = times.until else { return nil }
    guard let said = times.said else { throw .damaged("the time of the next request has no beginning") }
    return now < said ? nil : min(until, said + Self.longestWait) - now
  }

  /// - Parameter wait: seconds from `now`; at most `longestWait` is kept; nil to delete it.
  func setRetryWait(_ wait: Int?, now: Int) throws(StoreError) {
    try statements.setRetryTime.run(
      .integer(feed), .init(wait.map { now + min($0, Self.longestWait) }), .init(wait.map { _ in now }))
  }

  /// How many items wait to be printed, and for how many it is unknown whether they were.
  func unprinted() throws(StoreError) -> (waiting: Int, uncertain: Int) {
    try unprintedItems.counts()
  }

  /// Live items from a position, in order; for `--cached`.
  func live(in range: ClosedRange<Int>, lines: Int, bytes: Int) throws(StoreError) -> [WaitingItem] {
    try items(statements.live, range, lines: lines, bytes: bytes)
  }

  func items(
    _ statement: Statement, _ range: ClosedRange<Int>, lines: Int, bytes: Int
  ) throws(StoreError) -> [WaitingItem] {
    var size = 0
    var last = range.lowerBound
    return try statement.all(.integer(feed), .integer(range.lowerBound), .integer(range.upperBound)) {
      (row) throws(StoreError) in
      let item = try WaitingItem(row, isVersioned: isVersioned)
      // A damaged index may be out of order.
      guard item.position >= last else { throw .damaged("the items are out of order") }
      last = item.position
      size += item.data.count
      return item
    } while: {
      size < bytes && $0 < lines
    }
  }
}
