// The order in which items were released for printing, for readers that keep their own place in a checkpoint.
//
// An item is released in the transaction that adds it: new items go to the head of the feed, and no gap is above that.
// It gets the next number, and keeps it for ever. If it is to be printed again because it was edited, it gets another
// number. The newest number is its turn to be printed; the first is where a checkpoint is looked up.
//
// Items usually come in the order of their rows. So one row of this table covers items that are consecutive in both
// orders, and a walk of a million items needs only one.

import FeedCore

/// Items that follow each other both in the table of items and in an order. A page of a million items is usually one.
struct Stretch: Equatable {
  /// The number of the first.
  let item: Int
  /// The place of the first: its position in the feed, or the number of its release.
  var place: Int
  var count = 1
  /// Whether it was released before; then it is one item.
  var isAgain = false
  /// Whether nobody knows if they were printed.
  var isUncertain = false
}

extension [Stretch] {
  /// Appends a stretch, or extends the last one if the new one follows it.
  mutating func append(joining next: Stretch) {
    if let last, !last.isAgain, !next.isAgain, next.item - last.item == last.count,
      next.place - last.place == last.count
    {
      self[count - 1].count += next.count
    } else {
      append(next)
    }
  }
}

/// The releases of one feed.
final class ReleaseLog {
  static let lastStatement = "SELECT seq, item, count, is_again FROM release WHERE feed = ? ORDER BY seq DESC LIMIT 1"

  /// First releases contain each item once, so the item is in the nearest row or in none.
  static let numberStatement = """
    SELECT release.seq + item.number - release.item, item.number < release.item + release.count
    FROM item JOIN release ON release.feed = item.feed AND release.item <= item.number AND release.is_again = 0
    WHERE item.feed = ? AND item.id = ?
    ORDER BY release.item DESC LIMIT 1
    """

  /// CROSS JOIN and the plus signs make SQLite keep this order, in which nothing needs to be sorted.
  static let readStatement = """
    SELECT release.seq + item.number - release.item, item.id, item.data, item.version, release.is_again
    FROM release CROSS JOIN item
      ON item.number BETWEEN release.item + max(0, ?2 - release.seq) AND release.item + release.count - 1
    WHERE release.feed = ?1
      AND release.seq BETWEEN coalesce((SELECT max(seq) FROM release WHERE feed = ?1 AND seq <= ?2), 0) AND ?3
      AND +item.feed = ?1
      AND NOT EXISTS (
        SELECT 1 FROM release AS later
        WHERE later.feed = ?1 AND later.item = item.number AND later.is_again = 1 AND +later.seq > release.seq)
    ORDER BY release.seq, item.number
    """

  private let database: Database
  private let feed: Statement.Value
  private lazy var last = database.prepare(Self.lastStatement)
  private lazy var insert = database.prepare(
    "INSERT INTO release (feed, seq, item, count, is_again) VALUES (?, ?, ?, ?, ?)")
  private lazy var extend = database.prepare("UPDATE release SET count = ?3 WHERE feed = ?1 AND seq = ?2")
  private lazy var position = database.prepare("SELECT position FROM item WHERE number = ?")
  private(set) lazy var released = database.prepare(Self.readStatement)

  init(_ database: Database, _ feed: Statement.Value) { (self.database, self.feed) = (database, feed) }

  /// The place of an item.
  func position(of item: Int) throws(StoreError) -> Int {
    guard let found = try position.first(.integer(item), read: Statement.position) else {
      throw .damaged("item \(item) is not there")
    }
    return found
  }

  // MARK: Changes

  /// Numbers the items. Call this in the transaction that adds the items.
  /// - Parameter releases: from the top of the feed down, with their positions.
  func add(_ releases: [Stretch]) throws(StoreError) {
    guard !releases.isEmpty else { return }
    let known = try last.first(feed) { (row) throws(StoreError) in
      let seq = try row.integer(0, "the number of a release", in: StoreLimit.numbers)
      return Stretch(
        item: try row.integer(1, "the item of a release", in: StoreLimit.numbers), place: seq,
        count: try row.integer(2, "the count of a release", in: StoreLimit.releaseCounts),
        isAgain: try row.flag(3, "is_again of a release"))
    }
    var rows = known.map { [$0] } ?? []
    for var release in releases {
      release.place = rows.last.map { $0.place + $0.count } ?? 1
      rows.append(joining: release)
    }
    if let known, rows[0].count > known.count {
      try extend.run(feed, .integer(known.place), .integer(rows[0].count))
    }
    for row in rows.dropFirst(known == nil ? 0 : 1) {
      try insert.run(
        feed, .integer(row.place), .integer(row.item), .integer(row.count), .integer(row.isAgain ? 1 : 0))
    }
  }

  // MARK: Queries

  /// Whether an item was printed again with this number.
  func hasAgain(_ id: [UInt8], at number: Int) throws(StoreError) -> Bool {
    try database.prepare(
      """
      SELECT 1 FROM release JOIN item ON item.number = release.item
      WHERE release.feed = ?1 AND release.seq = ?2 AND is_again = 1 AND item.id = ?3
      """
    ).first(feed, .integer(number), .text(id)) { _ in true } ?? false
  }

  /// The number of the item's first release; nil for an unknown item.
  ///
  /// A checkpoint with only the id cannot tell which release of an edited item it means. From the first one, nothing is
  /// left out, but some items may come twice.
  func firstNumber(of id: [UInt8]) throws(StoreError) -> Int? {
    try database.prepare(Self.numberStatement).first(feed, .text(id)) { (row) throws(StoreError) in
      guard row.integer(1) == 1 else { throw .damaged("item '\(shortened(id))' was not released") }
      return try row.integer(0, "the number of a release", in: StoreLimit.numbers)
    }
  }
}
