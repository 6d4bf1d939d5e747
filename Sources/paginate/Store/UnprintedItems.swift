// The items that wait to be printed, and those of which nobody knows whether they were printed. All others are printed.
//
// Items usually come in the order of their rows, and are printed soon. So one row of this table covers items that are
// consecutive both in the table of items and in the feed. A page of a million items needs one row, printing it shortens
// that row, and no item is touched. At the end of a run the table is usually empty.

import FeedCore

/// The items of one feed that are not known to be printed.
struct UnprintedItems {
  let feed: Statement.Value
  private let isVersioned: Bool
  let counted: Statement
  private let inRange, containing, ofState, items, insert, delete: Statement

  init(_ database: Database, _ feed: Int, isVersioned: Bool) throws(StoreError) {
    self.feed = .integer(feed)
    self.isVersioned = isVersioned
    inRange = database.prepare(Self.inRange)
    containing = database.prepare(Self.containing)
    ofState = database.prepare(Self.ofState)
    items = database.prepare(Self.items)
    counted = database.prepare(Self.counted)
    insert = database.prepare(
      "INSERT INTO unprinted (feed, item, position, count, is_uncertain) VALUES (?, ?, ?, ?, ?)")
    delete = database.prepare("DELETE FROM unprinted WHERE feed = ? AND item = ?")
    // In another state, items would never be printed, and nobody would know.
    let other = try database.prepare(Self.ofNoState).first(self.feed) { (row) throws(StoreError) in try Row(row) }
    if other != nil { throw .damaged("what waits to be printed is not what was found") }
  }

  // MARK: Changes, in a transaction of the caller

  /// - Parameter releases: the items that wait from now on, from the top of the feed down.
  func add(_ releases: [Releases.Stretch]) throws(StoreError) {
    var row: Row?
    for release in releases {
      if let found = row, release.item == found.item + found.count, release.position == found.position + found.count {
        row?.count += release.count
      } else {
        if let row { try add(row) }
        row = Row(item: release.item, position: release.position, count: release.count)
      }
    }
    if let row { try add(row) }
  }

  private func add(_ row: Row) throws(StoreError) {
    var start = 0
    // An item that is gone may have the position of another one. Then each has its own row, so that rows are in order.
    for other in row.isUncertain ? [] : try rows(from: row.position, to: row.position + row.count - 1) {
      let first = max(row.position, other.position)
      let end = min(row.position + row.count, other.position + other.count)
      try cut(other, first - other.position, end - other.position)
      try writeEach(other, first - other.position, end - other.position)
      if let part = row.part(start, first - row.position) { try write(part) }
      try writeEach(row, max(start, first - row.position), end - row.position)
      start = max(start, end - row.position)
    }
    if let rest = row.part(start, row.count) { try write(rest) }
  }

  /// Writes a row for each item.
  private func writeEach(_ row: Row, _ first: Int, _ end: Int) throws(StoreError) {
    for index in stride(from: first, to: end, by: 1) {
      if let part = row.part(index, index + 1) { try write(part) }
    }
  }

  /// Removes an item, if it is here.
  /// - Returns: it as a row.
  @discardableResult
  func remove(_ item: Int) throws(StoreError) -> Row? {
    let found = try containing.first(feed, .integer(item)) { (row) throws(StoreError) in try Row(row) }
    guard let found, let part = found.part(item - found.item, item - found.item + 1) else { return nil }
    try cut(found, item - found.item, item - found.item + 1)
    return part
  }

  /// The item has another position now.
  func move(_ item: Int, to position: Int) throws(StoreError) {
    guard let row = try remove(item) else { return }
    try add(Row(item: item, position: position, isUncertain: row.isUncertain))
  }

  /// The items that wait at these positions are printed, or uncertain.
  /// - Returns: how many they are.
  @discardableResult
  func settle(_ range: ClosedRange<Int>, asUncertain: Bool = false) throws(StoreError) -> Int {
    var count = 0
    for row in try rows(from: range.lowerBound, to: range.upperBound) {
      let (first, end) = (range.lowerBound - row.position, range.upperBound - row.position + 1)
      guard var part = row.part(first, end) else { continue }
      try cut(row, first, end)
      part.isUncertain = true
      if asUncertain { try write(part) }
      count += part.count
    }
    return count
  }

  /// What was uncertain waits again.
  func redeliver() throws(StoreError) {
    let rows = try ofState.all(feed, .integer(1)) { (row) throws(StoreError) in try Row(row) }
    for var row in rows {
      try remove(row)
      row.isUncertain = false
      try add(row)
    }
  }

  /// Removes a part of a row.
  private func cut(_ row: Row, _ first: Int, _ end: Int) throws(StoreError) {
    try remove(row)
    if let part = row.part(0, first) { try write(part) }
    if let part = row.part(end, row.count) { try write(part) }
  }

  private func remove(_ row: Row) throws(StoreError) { try delete.run(feed, .integer(row.item)) }

  private func write(_ row: Row) throws(StoreError) {
    try insert.run(
      feed, .integer(row.item), .integer(row.position), .integer(row.count), .integer(row.isUncertain ? 1 : 0))
  }

  // MARK: Queries

  /// The first items that wait at some positions.
  /// - Parameter fresh: items that need not be read.
  func waiting(
    in range: ClosedRange<Int>, lines: Int, bytes: Int, _ fresh: FreshItems
  ) throws(StoreError) -> [WaitingItem] {
    let range = range.clamped(to: StoreLimit.positions)
    var result: [WaitingItem] = []
    var size = 0
    for row in try rows(from: range.lowerBound, to: range.upperBound, most: lines) where size < bytes {
      guard let row = row.part(range.lowerBound - row.position, range.upperBound - row.position + 1) else { continue }
      let wanted = lines - result.count
      if wanted <= 0 { break }
      var position = row.position
      let last = row.item + min(row.count, wanted) - 1
      if fresh.has(row.item...last) {
        for number in row.item...last where size < bytes {
          result.append(fresh.item(number, at: row.position + number - row.item))
          size += result[result.count - 1].data.count
        }
        continue
      }
      let found = try items.all(feed, .integer(row.item), .integer(last)) { (found) throws(StoreError) in
        let item = try WaitingItem(found, isVersioned: isVersioned)
        guard item.position == position else { throw .damaged("the items are out of order") }
        position += 1
        size += item.data.count
        return item
      } while: { _ in
        size < bytes
      }
      guard size >= bytes || found.count == last - row.item + 1 else {
        throw .damaged("an item that waits is not there")
      }
      result += found
    }
    return result
  }

  /// The rows that wait and have items at these positions, in their order.
  private func rows(from first: Int, to last: Int, most: Int = .max) throws(StoreError) -> [Row] {
    try inRange.all(feed, .integer(first), .integer(last)) { (row) throws(StoreError) in
      try Row(row)
    } while: {
      $0 <= most
    }
    .filter { $0.position + $0.count > first }
  }
}
