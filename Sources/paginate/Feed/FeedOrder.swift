import FeedCore

/// The order of a feed: where new items appear, and so where a refresh begins.
///
/// Positions follow the feed in each order. If the newest items come first, a refresh reads from the top down to known
/// items. If the oldest come first, it reads the page of the tail again, and then what follows. In no order, it reads all.
enum FeedOrder: String, CaseIterable, Sendable {
  case newestFirst = "newest-first"
  case oldestFirst = "oldest-first"
  /// New items appear anywhere, so each run reads everything.
  case none

  /// Whether the ids of a page are in the order of their text, not of numbers: it may be a listing by name.
  static func isSorted(_ page: FeedPage) -> Bool {
    let ids = page.items.map(\.id)
    guard ids.count >= 3, !ids.allSatisfy({ DecimalText($0) != nil }) else { return false }
    let pairs = zip(ids, ids.dropFirst())
    return pairs.allSatisfy { $0.lexicographicallyPrecedes($1) }
      || pairs.allSatisfy { $1.lexicographicallyPrecedes($0) }
  }

  /// The order that a page shows: the oldest come first if every item is newer than the one above it.
  /// - Returns: nil if another page may show more: this one has fewer than three items, or equal ones. If ages cannot be
  ///   told from ids, no page ever shows that the oldest come first.
  static func shown(by page: FeedPage) -> FeedOrder? {
    guard page.items.count >= 3 else { return nil }
    if let order = order(of: page.items, by: { DecimalText($0.orderKey ?? $0.id) }) { return order }
    return order(of: page.items) { $0.orderKey.flatMap { SinceValue($0, as: .time)?.amount } } ?? .newestFirst
  }

  /// - Returns: nil if an item has no age; an inner nil if the ages do not tell.
  private static func order<Age: Comparable>(of items: [FeedItem], by age: (FeedItem) -> Age?) -> FeedOrder?? {
    var last: Age?
    var (hasOlder, allAreNewer) = (false, true)
    for item in items {
      guard let now = age(item) else { return nil }
      if let last {
        if now < last { hasOlder = true }
        if !(last < now) { allAreNewer = false }
      }
      last = now
    }
    return .some(hasOlder ? .newestFirst : allAreNewer ? .oldestFirst : nil)
  }
}
