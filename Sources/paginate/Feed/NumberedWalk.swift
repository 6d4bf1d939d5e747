/// Feeds whose pages are requested by a number or an offset. An insertion or deletion shifts everything below it, so the
/// number of a page is valid only while the feed does not change.
///
/// - The tail of an earlier run must be found: the number of live items above it says on which page it should be now. If
///   that page does not show it, the page before or after is tried.
/// - While pages are read one after another, inserted items push some down to the next page, where they are recognised.
///   Deleted ones pull some up to a page that was already read. Then `total` has shrunk, and the page before is read
///   again first. If new items come at the end, they can hide in `total` that others were deleted. Then the page before
///   is read again whenever `total` has changed.
/// - A page that was read before the page above it was read again may not follow that one any more: what was pulled up may
///   have been pushed down since then. No more items were pulled up than `total` has shrunk by. If the page above shows
///   that many, nothing is between them.
struct NumberedWalk {
  /// How many items a page has; nil if unknown.
  var pageSize: Int?
  /// How many items the feed had, according to the last page added.
  var total: Int?
  /// Whether `total` changed while pages were read again, so the next page may have shifted too.
  var mayHaveShifted = false
  /// How often in a row pages were read again because the feed has become smaller, and showed nothing new.
  private var rereadCount = 0
  /// The requests of consecutive pages; the last one is in progress or was added last.
  private var trail: [[UInt8]] = []
  /// How many to keep. If more pages of items are deleted between two requests, it cannot be detected.
  private static let trailLimit = 8
  /// The lowest page number that was below the run's tail and showed nothing of the run.
  private var lowestBelow = Int.max

  // MARK: The tail

  /// What a page shows of the run whose tail is wanted.
  enum TailView {
    /// The tail.
    case tail
    /// Only items of the run, without its tail: the tail is further down.
    case above
    /// Items of the run, then others: the tail itself has been deleted.
    case beside
    /// Nothing of the run: it is further up.
    case below
  }

  /// The number of the page that should show the tail.
  /// - Parameter count: how many live items the run has, from the top of the feed.
  /// - Returns: nil if the page size is unknown.
  mutating func tailNumber(_ numbering: FeedOptions.Numbering, count: Int, proof: Int) -> Int? {
    guard let pageSize, pageSize > 0 else { return nil }
    lowestBelow = .max
    switch numbering {
    case .pages: return max(0, count - 1) / pageSize
    case .offsets: return count - min(proof, count)
    }
  }

  /// What to do with a page that should show the tail.
  enum TailDecision: Equatable {
    /// It is the right page.
    case take
    case ask(Int)
    /// The whole first page is new since it was read.
    case giveUp
  }

  /// - Parameter number: the number of the page, by which it was requested.
  mutating func verdict(_ numbering: FeedOptions.Numbering, on number: Int, _ tailView: TailView) -> TailDecision {
    let step = numbering == .pages ? 1 : max(1, pageSize ?? 1)
    switch tailView {
    case .tail, .beside: return .take
    case .above:
      // The next page had nothing of the run, so this is the run's end.
      return number + step >= lowestBelow ? .take : .ask(number + step)
    case .below:
      lowestBelow = min(lowestBelow, number)
      return number == 0 ? .giveUp : .ask(max(number - step, 0))
    }
  }

  // MARK: Page after page

  /// Begins a series of consecutive pages.
  mutating func begin(_ request: [UInt8]) { trail = [request] }

  /// Adds the request of the next page.
  /// - Parameter fromFresh: whether the page before it was read by this run.
  mutating func go(_ request: [UInt8], fromFresh: Bool) {
    if !fromFresh {
      trail = []
      total = nil
    }
    trail.append(request)
    if trail.count > Self.trailLimit { trail.removeFirst() }
  }

  /// Prepares to request the last pages again.
  /// - Parameter requests: the requests that would count as a loop.
  mutating func forget(_ count: Int, _ requests: inout Set<Int>) {
    for request in trail.suffix(count) { requests.remove(request.hashValue) }
    trail.removeLast(min(count, trail.count))
  }

  /// The page that must be read again before this one is added; nil if nothing was deleted.
  mutating func pageBefore(_ page: FeedPage, _ order: FeedOrder?) -> [UInt8]? {
    guard let now = page.total, let total else { return nil }
    let isSame = order == .oldestFirst ? now == total && !mayHaveShifted : now >= total
    mayHaveShifted = false
    return isSame ? nil : request(steps: 1)
  }

  /// Whether a page follows one that was read again after it.
  /// - Parameter found: how many items follow the known ones, down to the page.
  func proves(_ page: FeedPage?, after found: Int) -> Bool {
    guard let page, !page.countsPages, let now = page.total, let total else { return false }
    return found >= total - now
  }

  static let totalUnsteady = "the total changes again and again, but nothing new comes, so items may be missing"
  /// A feed that loses items at every second request does so this often in a row once in a million times.
  private static let mostRereads = 20

  /// Counts that the feed has become smaller. Each time, its items may have been pulled up to a page that was already
  /// read. But servers that count differently, behind one address, say so for ever although nothing was deleted.
  /// - Returns: whether pages may be read again; if not, the total is not believed any more.
  mutating func mayReread() -> Bool {
    rereadCount = min(rereadCount + 1, Self.mostRereads)
    return rereadCount < Self.mostRereads
  }

  /// Something new was found.
  mutating func foundNew() { if rereadCount < Self.mostRereads { rereadCount = 0 } }

  /// The request `steps` before the last one.
  func request(steps: Int) -> [UInt8]? { steps < trail.count ? trail[trail.count - 1 - steps] : nil }
}

/// A page that shows a part of a run again, and the items after it.
struct RereadPage {
  let tailView: NumberedWalk.TailView
  /// Without items that appeared between the items of the run, or above them, since it was read: their place is not
  /// below the tail. New ones at the top are found by the next refresh, others by a full walk.
  let page: FeedPage
  /// How many other items follow those of the run.
  let newCount: Int
  var hasMore: Bool { newCount > 0 }
  /// The lowest position of the run that it shows.
  private(set) var last: Int?

  init(_ page: FeedPage, of run: FeedRun, _ store: any FeedStorage) throws(StoreError) {
    let tail = try store.lastLive(in: run.range)
    var isOfRun: [Bool] = []
    var showsTail = false
    for item in page.items {
      let known = try store.item(item)
      isOfRun.append(known.map { !$0.isGone && run.range.contains($0.position) } ?? false)
      if isOfRun.last == true, let known { last = max(last ?? known.position, known.position) }
      if let known, !known.isGone, known.position == tail { showsTail = true }
    }
    var kept = page
    if let last = isOfRun.lastIndex(of: true) {
      kept.items = page.items.indices.filter { $0 > last || isOfRun[$0] }.map { page.items[$0] }
      newCount = page.items.count - 1 - last
      tailView = showsTail ? .tail : newCount > 0 ? .beside : .above
    } else {
      newCount = page.items.count
      tailView = .below
    }
    self.page = kept
  }
}

// MARK: Pages that are read again because pages have shifted

extension FeedEngine {
  /// Asks for the page before this one, if the feed has become smaller since then.
  /// - Returns: nil if the page may be added.
  func pageBefore(_ page: FeedPage) -> Action? {
    guard options.numbering != nil || page.isNumbered, let request = numbered.pageBefore(page, order) else {
      return nil
    }
    let hasIDs = options.dedupes && last.hasIDs
    if hasIDs, numbered.mayReread() { return fetch(request, .before([page], steps: 1, found: 0)) }
    let note = hasIDs ? FeedNote.totalUnsteady : .shrunk
    if !notes.contains(note) { notes.append(note) }
    return nil
  }

  /// Handles a page that was read again, `steps` pages before the one that was read last.
  /// - Parameters:
  ///   - held: the pages after it, last first. Those that still follow it are added after it.
  ///   - found: how many unknown items the pages between had.
  func takeReread(_ page: FeedPage, before held: [FeedPage], steps: Int, found: Int) throws(StoreError) -> Action? {
    guard let head = runs.head else { return end() }
    let reread = try RereadPage(page, of: head, store)
    let found = found + reread.newCount
    let valid = isOldestFirst || numbered.proves(held.last, after: found) ? held : []
    if page.total != held.last?.total { numbered.mayHaveShifted = isOldestFirst }
    // Nothing on it is known: a page or more of items was deleted, so something may be missing above it too. In no order,
    // items can follow whatever is known, and from page 1 on, nothing is missed.
    if reread.tailView == .below, order != FeedOrder.none || lastRequest != options.firstRequest {
      if let request = numbered.request(steps: steps + 1) {
        return fetch(request, .before(valid + [page], steps: steps + 1, found: found))
      }
      guard order == FeedOrder.none else { return end(Self.changesTooFast) }
      numbered.begin(options.firstRequest)
      return fetch(options.firstRequest, .before([], steps: 0, found: 0))
    }
    // Beside nothing known, nothing is proven.
    let kept = reread.tailView == .below ? [] : valid
    stage = .holding(kept)
    numbered.forget(steps - kept.count, &requests)
    // It may show what is above the ground that is read again.
    var known = ground
    ground = nil
    defer { ground = known }
    if let last = reread.last { known?.pass(last) }
    let keepsAll = options.followsTail || order == FeedOrder.none
    return try add(keepsAll ? page : reread.page, below: head, counts: false)
  }
}
