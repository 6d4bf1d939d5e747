// A feed in a SQLite file: what is known of it.

import FeedCore

final class FeedStore: FeedStorage {
  let database: Database
  let feed: Int
  let statements: FeedStatements

  init(_ database: Database, _ feed: Int) throws(StoreError) {
    self.database = database
    self.feed = feed
    statements = try FeedStatements(database)
  }

  // MARK: Knowledge

  func runs() throws(StoreError) -> [FeedRun] {
    try statements.runs.all(.integer(feed)) { row in
      FeedRun(
        number: row.integer(0), top: row.integer(1), bottom: row.integer(2),
        lowerEnd: FeedRun.LowerEnd(rawValue: String(decoding: row.text(3), as: UTF8.self)) ?? .open,
        isPlaced: row.integer(4) != 0)
    }
  }

  func item(_ id: [UInt8]) throws(StoreError) -> KnownItem? {
    try statements.item.first(.integer(feed), .text(id)) { row in
      KnownItem(
        handle: row.integer(0), position: row.integer(1), orderKey: row.isNull(2) ? nil : row.text(2),
        version: row.text(3), isGone: !row.isNull(4))
    }
  }

  func firstLive(in range: ClosedRange<Int>) throws(StoreError) -> Int? { try number(statements.firstLive, range) }

  func lastLive(in range: ClosedRange<Int>) throws(StoreError) -> Int? { try number(statements.lastLive, range) }

  func liveCount(in range: ClosedRange<Int>) throws(StoreError) -> Int { try number(statements.liveCount, range) ?? 0 }

  func firstPage(in range: ClosedRange<Int>) throws(StoreError) -> KnownPage? { try page(statements.firstPage, range) }

  func lastPage(in range: ClosedRange<Int>) throws(StoreError) -> KnownPage? { try page(statements.lastPage, range) }

  func firstPage() throws(StoreError) -> FeedChange.FirstPage? {
    let found = try statements.firstPageFacts.first(.integer(feed)) { row -> FeedChange.FirstPage? in
      if row.isNull(1) { return nil }
      return .init(
        etag: row.isNull(0) ? nil : row.text(0), size: row.integer(1), total: row.isNull(2) ? nil : row.integer(2))
    }
    return found ?? nil
  }

  private func number(_ statement: Statement, _ range: ClosedRange<Int>) throws(StoreError) -> Int? {
    try statement.first(.integer(feed), .integer(range.lowerBound), .integer(range.upperBound)) { $0.integer(0) }
  }

  private func page(_ statement: Statement, _ range: ClosedRange<Int>) throws(StoreError) -> KnownPage? {
    try statement.first(.integer(feed), .integer(range.lowerBound), .integer(range.upperBound)) { row in
      KnownPage(top: row.integer(0), next: row.isNull(1) ? nil : row.text(1))
    }
  }

  // MARK: Facts

  /// How long the server still wants no request, in seconds; nil when it said nothing.
  /// - Parameter now: seconds since 1970. Before the time at which the server said it, the clock was set back since.
  func retryWait(now: Int) throws(StoreError) -> Int? {
    let wait = try statements.retryTime.first(.integer(feed)) { row -> Int? in
      row.isNull(0) || now < row.integer(1) ? nil : row.integer(0) - now
    }
    return wait ?? nil
  }

  /// - Parameter wait: from `now` on; nil to forget it.
  func setRetryWait(_ wait: Int?, now: Int) throws(StoreError) {
    try statements.setRetryTime.run(.integer(feed), .init(wait.map { now + $0 }), .init(wait.map { _ in now }))
  }

  /// How many items wait to be printed, and of how many it is not known whether they were.
  func unprinted() throws(StoreError) -> (waiting: Int, uncertain: Int) {
    (
      try statements.waitingCount.first(.integer(feed)) { $0.integer(0) } ?? 0,
      try statements.uncertainCount.first(.integer(feed)) { $0.integer(0) } ?? 0
    )
  }

  /// Live items from a position on, in order; for `--cached`.
  func live(in range: ClosedRange<Int>, lines: Int, bytes: Int) throws(StoreError) -> [WaitingItem] {
    try items(statements.live, range, lines: lines, bytes: bytes)
  }

  func items(
    _ statement: Statement, _ range: ClosedRange<Int>, lines: Int, bytes: Int
  ) throws(StoreError) -> [WaitingItem] {
    var size = 0
    return try statement.all(.integer(feed), .integer(range.lowerBound), .integer(range.upperBound)) { row in
      let item = WaitingItem(position: row.integer(0), id: row.text(1), data: row.text(2))
      size += item.data.count
      return item
    } while: {
      size < bytes && $0 < lines
    }
  }
}
