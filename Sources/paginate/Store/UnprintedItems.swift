// The items that wait to be printed, and those of which nobody knows whether they were printed. All others are printed.
//
// Items usually come in the order of their rows, and are printed soon. So one row of this table covers items that are
// consecutive both in the table of items and in the feed. A page of a million items needs one row, printing it shortens
// that row, and no item is touched. At the end of a run the table is usually empty.

import FeedCore

/// The items of one feed that are not known to be printed.
final class UnprintedItems {
  /// Rows that wait do not overlap, so only the nearest one above a range can reach into it.
  static let inRange = """
    \(rows) AND is_uncertain = 0 AND position <= ?3 AND position >= coalesce((
        SELECT max(position) FROM unprinted WHERE feed = ?1 AND is_uncertain = 0 AND position <= ?2), ?2)
      ORDER BY position, item
    """
  static let containing = "\(rows) AND item <= ?2 ORDER BY item DESC LIMIT 1"
  static let ofState = "\(rows) AND is_uncertain = ?2"
  static let ofNoState = "\(rows) AND is_uncertain NOT IN (0, 1)"
  static let items =
    "SELECT position, id, data, version, 0 FROM item WHERE number BETWEEN ?2 AND ?3 AND +feed = ?1 ORDER BY number"
  private static let rows = "SELECT item, position, count, is_uncertain FROM unprinted WHERE feed = ?1"

  private let database: Database
  private let feed: Statement.Value
  private lazy var inRange = database.prepare(Self.inRange)
  private lazy var containing = database.prepare(Self.containing)
  private lazy var items = database.prepare(Self.items)
  private lazy var insert = database.prepare(
    "INSERT INTO unprinted (feed, item, position, count, is_uncertain) VALUES (?, ?, ?, ?, ?)")
  private lazy var delete = database.prepare("DELETE FROM unprinted WHERE feed = ? AND item = ?")

  init(_ database: Database, _ feed: Statement.Value) throws(StoreError) {
    (self.database, self.feed) = (database, feed)
    // In another state, items would never be printed, and nobody would know.
    if try database.prepare(Self.ofNoState).first(feed, read: Stretch.init(_:)) != nil {
      throw .damaged("what waits to be printed is not what was found")
    }
  }

  // MARK: Changes, in a transaction of the caller

  /// - Parameter releases: the items that wait from now on, from the top of the feed down.
  func add(_ releases: [Stretch]) throws(StoreError) {
    var rows: [Stretch] = []
    for release in releases {
      rows.append(joining: Stretch(item: release.item, place: release.place, count: release.count))
    }
    for row in rows { try add(row) }
  }

  private func add(_ row: Stretch) throws(StoreError) {
    var start = 0
    // An item that is gone may have the position of another one. Then each has its own row, so that rows are in order.
    for other in row.isUncertain ? [] : try rows(from: row.place, to: row.place + row.count - 1) {
      let first = max(row.place, other.place)
      let end = min(row.place + row.count, other.place + other.count)
      try cut(other, first - other.place, end - other.place)
      try writeEach(other, first - other.place, end - other.place)
      try write(row.part(start, first - row.place))
      try writeEach(row, max(start, first - row.place), end - row.place)
      start = max(start, end - row.place)
    }
    try write(row.part(start, row.count))
  }

  /// Writes a row for each item.
  private func writeEach(_ row: Stretch, _ first: Int, _ end: Int) throws(StoreError) {
    for index in stride(from: first, to: end, by: 1) { try write(row.part(index, index + 1)) }
  }

  /// Removes an item, if it is here.
  /// - Returns: it as a row.
  @discardableResult
  func remove(_ item: Int) throws(StoreError) -> Stretch? {
    guard let found = try containing.first(feed, .integer(item), read: Stretch.init(_:)),
      let part = found.part(item - found.item, item - found.item + 1)
    else { return nil }
    try cut(found, item - found.item, item - found.item + 1)
    return part
  }

  /// The item has another position now.
  func move(_ item: Int, to position: Int) throws(StoreError) {
    guard let row = try remove(item) else { return }
    try add(Stretch(item: item, place: position, isUncertain: row.isUncertain))
  }

  /// The items that wait at these positions are printed, or uncertain.
  /// - Returns: how many they are.
  @discardableResult
  func settle(_ range: ClosedRange<Int>, asUncertain: Bool = false) throws(StoreError) -> Int {
    var count = 0
    for row in try rows(from: range.lowerBound, to: range.upperBound) {
      let (first, end) = (range.lowerBound - row.place, range.upperBound - row.place + 1)
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
    for var row in try database.prepare(Self.ofState).all(feed, .integer(1), read: Stretch.init(_:)) {
      try remove(row)
      row.isUncertain = false
      try add(row)
    }
  }

  /// Removes a part of a row.
  private func cut(_ row: Stretch, _ first: Int, _ end: Int) throws(StoreError) {
    try remove(row)
    try write(row.part(0, first))
    try write(row.part(end, row.count))
  }

  private func remove(_ row: Stretch) throws(StoreError) { try delete.run(feed, .integer(row.item)) }

  private func write(_ row: Stretch?) throws(StoreError) {
    guard let row else { return }
    try insert.run(
      feed, .integer(row.item), .integer(row.place), .integer(row.count), .integer(row.isUncertain ? 1 : 0))
  }

  // MARK: Queries

  /// How many items wait, and how many are uncertain.
  func counts() throws(StoreError) -> (waiting: Int, uncertain: Int) {
    try database.prepare(
      """
      SELECT coalesce(sum(count) FILTER (WHERE is_uncertain = 0), 0),
        coalesce(sum(count) FILTER (WHERE is_uncertain = 1), 0)
      FROM unprinted WHERE feed = ?1
      """
    ).first(feed) { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
  }

  /// The first items that wait at some positions.
  /// - Parameter fresh: items that need not be read.
  func waiting(
    in range: ClosedRange<Int>, lines: Int, bytes: Int, _ fresh: FreshItems
  ) throws(StoreError) -> [WaitingItem] {
    let range = range.clamped(to: StoreLimit.positions)
    var result: [WaitingItem] = []
    var size = 0
    for row in try rows(from: range.lowerBound, to: range.upperBound, most: lines) where size < bytes {
      guard let row = row.part(range.lowerBound - row.place, range.upperBound - row.place + 1) else { continue }
      let wanted = lines - result.count
      if wanted <= 0 { break }
      var position = row.place
      let last = row.item + min(row.count, wanted) - 1
      if fresh.has(row.item...last) {
        for number in row.item...last where size < bytes {
          result.append(fresh.item(number, at: row.place + number - row.item))
          size += result[result.count - 1].data.count
        }
        continue
      }
      let found = try items.all(feed, .integer(row.item), .integer(last)) { (found) throws(StoreError) in
        let item = try WaitingItem(found)
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
  private func rows(from first: Int, to last: Int, most: Int = .max) throws(StoreError) -> [Stretch] {
    try inRange.all(feed, .integer(first), .integer(last), read: Stretch.init(_:), while: { $0 <= most })
      .filter { $0.place + $0.count > first }
  }
}

extension Stretch {
  /// The part from one index up to another; nil if there is nothing in it.
  fileprivate func part(_ first: Int, _ end: Int) -> Stretch? {
    let (first, end) = (max(first, 0), min(end, count))
    if first >= end { return nil }
    return Stretch(item: item + first, place: place + first, count: end - first, isUncertain: isUncertain)
  }
}
