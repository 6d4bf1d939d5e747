// The order of a feed: where new items appear, and so where a refresh begins.
//
// Positions follow the feed in both orders. If the newest items come first, a refresh reads from the top down to known
// items. If the oldest come first, it reads the page of the tail again, and then what follows.

import FeedCore

enum FeedOrder: String, Sendable {
  case newestFirst = "newest-first"
  case oldestFirst = "oldest-first"

  /// The order that a page shows: the oldest come first if every item is newer than the one above it.
  /// - Returns: nil if another page may show more: this one has fewer than three items, or equal ones. If ages cannot be
  ///   told from ids, no page ever shows that the oldest come first.
  static func shown(by page: FeedPage) -> FeedOrder? {
    guard page.items.count >= 3 else { return nil }
    if let ages = values(page.items, { DecimalText($0.orderKey ?? $0.id) }) { return order(of: ages) }
    guard let times = values(page.items, { $0.orderKey.flatMap { SinceValue($0, as: .time)?.amount } }) else {
      return .newestFirst
    }
    return order(of: times)
  }

  private static func values<Value>(_ items: [FeedItem], _ value: (FeedItem) -> Value?) -> [Value]? {
    let found = items.lazy.map(value).prefix { $0 != nil }.compactMap(\.self)
    return found.count == items.count ? Array(found) : nil
  }

  private static func order(of ages: [some Comparable]) -> FeedOrder? {
    let pairs = zip(ages, ages.dropFirst())
    if pairs.contains(where: { $0 > $1 }) { return .newestFirst }
    return pairs.allSatisfy { $0 < $1 } ? .oldestFirst : nil
  }
}
