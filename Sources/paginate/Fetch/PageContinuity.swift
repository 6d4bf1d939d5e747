import FeedCore
import FeedHTTP

/// Whether pages that were read at different times fit together. Insertions and deletions shift the items between
/// numbered pages, and a page that was requested ahead may have been read before the page above it.
///
/// Items that were moved down and are on two pages are seen twice, which does no harm by itself. But it shows that the
/// pages come from different moments, and then another pair of them may have an item between them that is on neither. So
/// a response that was requested ahead is used only if the feed had the same size, and shows nothing seen before.
///
/// For a feed that grows only at its top and says how many items it has, this finds everything. If two responses say the
/// same total, then between their moments as many items came as went. So the items at any place were pushed down or
/// stayed, never pulled up: an item can be missed only between a later page and an earlier response for the page below.
/// That later page was pushed down then, and so shows an item of the page above it, or the one above that does.
struct PageContinuity {
  /// How many pages back an item is recognised; 0 if each page is requested after the one before it has come.
  private let depth: Int
  private var recent: [Set<[UInt8]>] = []
  private var counts: PageCounts?
  /// Whether two pages in a row came from different moments.
  private(set) var hasShifted = false
  /// The most and the fewest items of a page that was followed by another one.
  private(set) var largest = 0
  private(set) var smallest = Int.max

  init(depth: Int) { self.depth = depth }

  /// Whether a page comes from the same moment as the one before, as far as that can be known.
  func fits(_ page: Page) -> Bool { page.counts == counts && !overlaps(page) }

  /// Whether a page says the same about the size of the feed as the one before, or is the first.
  func hasSameCounts(_ page: Page) -> Bool { counts == nil || page.counts == counts }

  /// Whether a page has an item of the last pages.
  func overlaps(_ page: Page) -> Bool {
    !recent.isEmpty && page.items.contains { item in recent.contains { $0.contains(item.id ?? []) } }
  }

  mutating func shift() { hasShifted = true }

  /// Adds a page.
  mutating func add(_ page: Page, isLast: Bool) {
    if counts != nil, !fits(page) { hasShifted = true }
    counts = page.counts
    if depth > 0 { recent.append(Set(page.items.compactMap(\.id))) }
    if recent.count > depth { recent.removeFirst() }
    largest = max(largest, page.items.count)
    if !isLast, !page.items.isEmpty { smallest = min(smallest, page.items.count) }
  }
}
