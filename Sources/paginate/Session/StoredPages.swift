import FeedCore

/// Finds pages of a stored feed, for a reader that shows it page by page without network.
///
/// A page lies within one run, so nothing is missing between its items. A gap lies between two pages. The page above it
/// says so, and the page below it too, for a reader that comes from there. A page costs what its items cost: places and
/// items are found by indexes.
struct StoredPages {
  /// The position of the item that is so many items before the end of a range.
  static let startStatement = """
    SELECT position FROM item WHERE feed = ? AND position BETWEEN ? AND ? AND gone_at IS NULL
    ORDER BY position DESC LIMIT 1 OFFSET ?
    """

  private let store: FeedStore
  /// From the top down.
  private let runs: [FeedRun]
  private let start: Statement

  init(_ store: FeedStore, _ runs: FeedRuns) {
    (self.store, self.runs) = (store, runs.all)
    start = store.database.prepare(Self.startStatement)
  }

  /// The positions of the nearest items at a place, which nothing separates from it.
  /// - Parameter count: the most items.
  func stretch(at place: FeedPlace, count: Int) throws(StoreError) -> ClosedRange<Int>? {
    let index = place.index(in: runs)
    guard runs.indices.contains(index), let range = place.positions(in: runs[index]) else { return nil }
    return try nearest(count, to: place, in: range)
  }

  /// The page at a place: of the nearest run that has items there.
  /// - Parameter size: the most items.
  func page(at place: FeedPlace, size: Int) throws(StoreError) -> StoredPage {
    let first = place.index(in: runs)
    var index = first
    while runs.indices.contains(index) {
      if let range = place.positions(in: runs[index]) {
        let items = try store.live(in: nearest(size, to: place, in: range), lines: size, bytes: .max)
        if !items.isEmpty { return try page(of: items, in: index) }
      }
      index += place.isAtEnd ? -1 : 1
    }
    var page = StoredPage()
    if place.isAtEnd {
      page.hasMore = try hasItems(runs)
    } else {
      page.lowerEnd = runs.last?.lowerEnd ?? .unread
      page.isBelowGap = first < runs.count - 1
    }
    return page
  }

  private func page(of items: [WaitingItem], in index: Int) throws(StoreError) -> StoredPage {
    var page = StoredPage(items: items)
    guard let first = items.first?.position, let last = items.last?.position else { return page }
    let run = runs[index]
    let isTop = try store.firstLive(in: run.range) == first
    let isBottom = try store.lastLive(in: run.range) == last
    page.hasPrevious = isTop ? try hasItems(runs[..<index].reversed()) : true
    page.hasMore = isBottom ? try hasItems(runs[(index + 1)...]) : true
    page.isBelowGap = isTop && index > 0
    page.lowerEnd = isBottom ? run.lowerEnd : nil
    return page
  }

  /// The part of a range that has its nearest items to a place.
  private func nearest(
    _ count: Int, to place: FeedPlace, in range: ClosedRange<Int>
  ) throws(StoreError) -> ClosedRange<Int> {
    guard place.isAtEnd, count < .max else { return range }
    let found = try start.first(
      .integer(store.feed), .integer(range.lowerBound), .integer(range.upperBound), .integer(count - 1),
      read: Statement.position)
    let first = found ?? range.lowerBound
    // A damaged index may list any item, or leave some out in one direction.
    guard range.contains(first), try store.liveCount(in: first...range.upperBound) <= count else {
      throw .damaged("the items are out of order")
    }
    return first...range.upperBound
  }

  /// - Parameter runs: the nearest first; only those whose items are all gone are passed over.
  private func hasItems(_ runs: some Sequence<FeedRun>) throws(StoreError) -> Bool {
    for run in runs { if try store.firstLive(in: run.range) != nil { return true } }
    return false
  }
}
