// A walk that does not know where to go on steps back, page by page, until a page shows known items of the head. There
// it goes on, reading again what is below. It does so to find the tail of an earlier run, and if pages have shifted.

/// A page that should show known items of the head, and what comes after them.
struct BackPlace: Equatable {
  let request: [UInt8]
  /// If the oldest items come first: its first position when it was read. Known items from further up prove nothing: they
  /// have moved.
  var top: Int
  /// In a numbered feed: its number, if the page was found by it.
  var number: Int?
}

/// What a page shows of the run in whose place it is.
struct ShownPage {
  /// How many items are of the run, at their places: in its order, from a position on.
  let proofCount: Int
  /// If it shows several items of the run and nothing else, in its order: the position of the first.
  let stretchTop: Int?
  /// Whether all its items are of the run, which goes on below.
  let isAbove: Bool
  /// Whether it shows something else than items at their places.
  var hasNews: Bool { proofCount < count }
  /// How many items come after those of the run.
  let restCount: Int
  /// The page without items that appeared between the items of the run, or above them, since it was read: their place is
  /// not below the tail. New ones at the top are found by the next refresh, others by a full walk.
  let below: FeedPage
  private let count: Int

  /// - Parameter top: the position.
  init(_ page: FeedPage, of run: FeedRun, from top: Int, _ store: any FeedStorage) throws(StoreError) {
    var (proofs, last, lastIndex) = (0, Int.min, -1)
    var positions: [Int?] = []
    for (index, item) in page.items.enumerated() {
      let found = try store.item(item).flatMap { !$0.isGone && run.range.contains($0.position) ? $0 : nil }
      positions.append(found?.position)
      guard let found else { continue }
      lastIndex = index
      let hasMoved = found.orderKey != item.orderKey && found.orderKey != nil && item.orderKey != nil
      guard !hasMoved, found.position >= top, found.position > last else { continue }
      proofs += 1
      last = found.position
    }
    (proofCount, count, restCount) = (proofs, page.items.count, page.items.count - 1 - lastIndex)
    let known = positions.compactMap(\.self)
    let isOfRun = !known.isEmpty && known.count == count
    let tail = try store.lastLive(in: run.range) ?? .min
    isAbove = isOfRun && last < tail
    stretchTop = isOfRun && known.count > 1 && zip(known, known.dropFirst()).allSatisfy { $0 < $1 } ? known[0] : nil
    var below = page
    below.items = page.items.indices.filter { $0 > lastIndex || positions[$0] != nil }.map { page.items[$0] }
    self.below = below
  }
}

/// What a walk that reads known items again has met of them.
struct KnownGround: Equatable {
  /// The first position that the walk can meet at its place. An item from further up has moved.
  let top: Int
  /// The first position where a missing item is proven to be gone: the place that was asked for.
  let asked: Int
  /// The last position when the walk began.
  let bottom: Int
  /// Whether the first page to be read began at `top`. If not, it begins somewhere below.
  let isPageTop: Bool
  /// The last position met; before the first, the one above `top`.
  var last: Int
  /// Whether a page was read, and whether one has shown something from here.
  var isRead = false
  var isEntered = false

  init(from top: Int, asked: Int, to bottom: Int, isPageTop: Bool) {
    (self.top, self.asked, self.bottom, self.isPageTop) = (top, asked, bottom, isPageTop)
    last = top - 1
  }
}

extension FeedEngine {
  /// Steps back from a page, if the feed has become smaller since the one before was read. If the page may not follow
  /// that one any more, it is asked for again. If nothing is there then, its items have moved up too.
  /// - Returns: nil if the page may be added.
  func stepBack(from page: FeedPage) throws(StoreError) -> Action? {
    var mayHaveShifted = (options.numbering != nil || page.isNumbered) && numbered.mayHaveShifted(page, order)
    if page.items.isEmpty, let left, try !areKnown(left.items) { mayHaveShifted = true }
    left = nil
    guard mayHaveShifted, let place = trail.dropLast().last else { return nil }
    let hasIDs = options.dedupes && last.hasIDs
    if hasIDs, numbered.believesTotal() {
      left = page
      return fetch(place.request, .back(place))
    }
    let note = hasIDs ? FeedNote.totalUnsteady : .shrunk
    if !notes.contains(note) { notes.append(note) }
    return nil
  }

  /// Takes a page that the walk has stepped back to, or steps further back.
  func takeBack(_ page: FeedPage, _ place: BackPlace) throws(StoreError) -> Action? {
    guard let head = runs.head else { return end() }
    let shown = try ShownPage(page, of: head, from: isOldestFirst ? place.top : head.top, store)
    guard try joins(page, shown, at: place, in: head) else {
      backCount += 1
      // A server that returns the same page for every number has no tail.
      if backCount >= Self.staleLimit { return end(Self.changesTooFast) }
      guard let before = try self.place(before: place, in: head) else { return try startAgain(page) }
      return fetch(before.request, .back(before))
    }
    let known = trail.lastIndex { $0.request == place.request }
    let next = known.flatMap { $0 + 2 == trail.count ? trail.last : nil }
    trail = known.map { Array(trail[...$0]) } ?? [place]
    let keepsAll = options.followsTail || order == FeedOrder.none
    if isOldestFirst, !options.followsTail {
      // A stretch of known items is where it was, however far up: the walk has to pass everything below it again.
      let top = min(place.top, shown.stretchTop ?? place.top)
      ground = KnownGround(from: top, asked: place.top, to: head.bottom, isPageTop: place.number == nil && known == nil)
    }
    // The tail of an earlier run may be now where this run has read already.
    if known == nil { requests = [] }
    let follows = next != nil && follows(shown)
    let action = try add(
      keepsAll || ground != nil ? page : shown.below, below: head,
      counts: known == nil && (ground == nil ? shown.restCount > 0 : shown.hasNews), isReread: known == nil)
    if follows, let next, let left {
      trail.append(next)
      lastRequest = next.request
      stage = .adding(left)
      self.left = nil
    }
    return action
  }

  /// Whether the page that the walk has stepped back from follows the page before it still: no more items were pulled up
  /// than the total has shrunk by, and that page shows as many after known ones. If the oldest items come first, nothing
  /// comes between.
  private func follows(_ shown: ShownPage) -> Bool {
    guard shown.proofCount > 0, let left, !left.countsPages, let now = left.total, let total = numbered.total
    else { return false }
    return isOldestFirst || shown.restCount >= total - now
  }

  /// Whether a page shows what is known around a place.
  private func joins(
    _ page: FeedPage, _ shown: ShownPage, at place: BackPlace, in head: FeedRun
  ) throws(StoreError) -> Bool {
    let isFirst = place.request == options.firstRequest
    // In no order, items can follow whatever is known, and from page 1 on, nothing is missed.
    if order == FeedOrder.none, isFirst { return true }
    let isOfWalk = trail.contains { $0.request == place.request }
    if !isOldestFirst || options.followsTail || isFirst || isOfWalk { return shown.proofCount > 0 }
    if place.number != nil, shown.isAbove { return true }
    var expected = try store.liveCount(in: place.top...head.bottom)
    if let number = place.number {
      let isPages = options.numbering == .pages
      expected = try store.liveCount(in: head.range) - (isPages ? number * (numbered.pageSize ?? 1) : number)
    }
    return shown.proofCount >= max(1, min(options.proof, expected))
  }

  /// The place of the page before another one; nil if that was the first.
  private func place(before place: BackPlace, in head: FeedRun) throws(StoreError) -> BackPlace? {
    if place.request == options.firstRequest { return nil }
    if let index = trail.lastIndex(where: { $0.request == place.request }), index > 0 { return trail[index - 1] }
    let first = BackPlace(request: options.firstRequest, top: head.top)
    let above = isOldestFirst ? try storedPlace(at: place.top - 1, in: head) ?? first : first
    guard let number = place.number, let numbering = options.numbering else {
      return isOldestFirst || order == FeedOrder.none ? above : nil
    }
    return numbered.number(before: number, numbering).map { number in
      BackPlace(request: options.numberedRequest(number), top: above.top, number: number)
    }
  }

  /// Begins again at page 1, since no page joins the head.
  /// - Parameter page: the last page that was tried.
  private func startAgain(_ page: FeedPage) throws(StoreError) -> Action? {
    // An edited item keeps its place, so the response to `--since` may begin with items of other runs. Then the tail is
    // further down, and all pages are read again.
    if isFiltered, !isOldestFirst, try areKnown(page.items) { return try add(page, below: runs.head) }
    ground = nil
    if lastRequest == options.firstRequest { return try takeFirst(page) }
    return fetch(options.firstRequest, .first)
  }

  private func areKnown(_ items: [FeedItem]) throws(StoreError) -> Bool {
    for item in items where try store.item(item) == nil { return false }
    return true
  }

  /// The place of the stored page that has a position: the request for it is in the page before.
  func storedPlace(at position: Int, in run: FeedRun) throws(StoreError) -> BackPlace? {
    guard position >= run.top, let page = try store.lastPage(in: run.top...position), page.top > run.top,
      let request = try store.lastPage(in: run.top...(page.top - 1))?.next
    else { return nil }
    return BackPlace(request: request, top: page.top)
  }
}
