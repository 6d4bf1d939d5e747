import FeedCore
import FeedHTTP

/// Pages that are requested by number, and with `--parallel`, before they are wanted. The walk itself stays one page after
/// another.
struct ShiftingPages {
  /// After this many pages in a row that did not fit, the feed changes too fast for requests ahead.
  private static let mostMisfits = 3

  private let options: Options
  private let width: Int
  /// The request that the last page led to.
  private var next: PageRequest?
  private var requests: [PageRequest] = []
  private var numbers: NumberedPages?
  private var pages = 0
  private var misfits = 0
  private(set) var continuity: PageContinuity
  /// Why no page is requested ahead, if the first page has shown it.
  private(set) var reasonAgainst: String?

  init(_ options: Options) {
    self.options = options
    width = options.parallel
    // An item is looked for only among pages of different moments.
    continuity = PageContinuity(depth: width > 1 ? width : 0)
  }

  /// Whether a page follows the last one, and may come from an earlier moment.
  func mayBeEarly(_ request: PageRequest) -> Bool { width > 1 && request == next }

  /// The requests that will probably follow a request.
  func ahead(of request: PageRequest) -> [PageRequest] { request == next ? requests : [] }

  /// Counts items by the number of their page, once pages have shifted: the items that came may be more than there are.
  func counting(_ progress: WalkProgress, _ request: PageRequest) -> WalkProgress {
    var result = progress
    result.received = { page in
      guard let received = progress.received(page) else { return nil }
      if !continuity.hasShifted, continuity.hasSameCounts(page) { return received }
      guard continuity.smallest < .max else { return nil }
      return numbers?.position(of: request, size: continuity.smallest).map { $0 + page.items.count }
    }
    return result
  }

  /// Counts a page that follows the last one.
  /// - Returns: whether too many in a row did not fit.
  mutating func judge(fits: Bool) -> Bool {
    misfits = fits ? 0 : misfits + 1
    if !fits { continuity.shift() }
    return misfits >= Self.mostMisfits
  }

  /// Takes note of a page.
  /// - Parameter wanted: how many more items are wanted; nil for all.
  mutating func add(_ read: Walker.Step, of request: PageRequest, _ shape: Shape?, wanted: Int?) {
    next = nil
    requests = []
    pages += 1
    guard case .next(let next) = read.outcome else { return continuity.add(read.page, isLast: true) }
    continuity.add(read.page, isLast: false)
    self.next = next
    numbers = NumberedPages(shape?.next)
    guard let numbers, numbers.number(of: request) != nil, numbers.number(of: next) != nil else {
      if width > 1 { reasonAgainst = "pages are not numbered" }
      return
    }
    guard let end = numbers.end(read.page.counts, size: continuity.largest) else {
      if width > 1 { reasonAgainst = "no total is known (--total)" }
      return
    }
    reasonAgainst = nil
    requests = numbers.requests(after: next, from: request, before: end, atMost: count(wanted) - 1)
  }

  /// How many pages are wanted now: no more than the limits of the command line.
  private func count(_ wanted: Int?) -> Int {
    if options.store?.command == .more, options.maxPages == .max { return 1 }
    var count = min(width, max(options.maxPages - pages, 0))
    if let wanted, continuity.largest > 0 { count = min(count, (wanted - 1) / continuity.largest + 1) }
    return count
  }
}

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

  /// Takes note that a page came from another moment than the one before, although it is not used.
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
