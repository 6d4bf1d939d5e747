// The change that a page makes: the places of its items, whether runs join, and which items are gone.

/// The result of adding a page.
struct PagePlan {
  var change = FeedChange()
  /// The runs after the change.
  var runs: FeedRuns
  /// Where known items were reached: the number of the run, and the position of the last item that overlaps.
  private(set) var joinPoint: JoinPoint?
  /// How many items were new to the walk.
  private(set) var unseenCount = 0
  /// Whether a filtered page has known items that the mark covers.
  private(set) var showsCovered = false
  /// Whether a filtered page with new items must show such items, or come after a page that does.
  var mustShowCovered = false
  /// Whether it does not.
  var isGapLost = false

  struct JoinPoint: Equatable {
    let run: Int
    let position: Int
  }

  /// Whether what was read proves that the known items that it lacks are gone.
  var provesAbsence = true

  /// Where the page before met known items, if it did not join them.
  var lastJoin: JoinPoint?

  let options: FeedOptions
  private let store: any FeedStorage

  init(_ runs: FeedRuns, _ options: FeedOptions, _ store: any FeedStorage) {
    (self.runs, self.options, self.store) = (runs, options, store)
  }

  /// Adds a page.
  /// - Parameters:
  ///   - walked: the run whose tail led to the page; nil if it is page 1 and begins a walk.
  ///   - isReread: whether it shows the run as read by an earlier walk. If not, this walk has already met those items,
  ///     for example because pages shifted, and the first sight of them counts.
  ///   - ground: what this walk reads again of the run, if it began in it.
  mutating func take(
    _ page: FeedPage, below walked: FeedRun?, isReread: Bool, on ground: inout KnownGround?
  ) throws(StoreError) {
    let index = options.followsTail ? nil : walked.flatMap { runs.index(of: $0.top) }
    let compared = try ComparedPage(page, walked: index, on: ground, options, runs, store)
    unseenCount = compared.unseen.count + (ground == nil ? 0 : compared.seen.count)
    change.items.reserveCapacity(compared.unseen.count)
    if walked == nil { change.firstPage = .init(etag: page.etag, size: page.items.count, total: page.total) }
    if options.since?.isFiltered == true {
      showsCovered = compared.showsCovered
      if options.followsTail {
        showsCovered = showsCovered || compared.showsUnchanged
        return takeAfterTail(page, compared)
      }
      return takeFiltered(page, compared, below: walked)
    }
    for item in compared.seen where isReread || ground != nil { note(item, at: nil) }
    let top = cross(&ground, compared, page)

    guard let overlap = compared.overlap(runs), let last = overlap.positions.last else {
      if options.command != .full, ground == nil,
        let passed = try compared.passed(runs, options.proof, after: lastJoin, store)
      {
        let arriving = Array(compared.unseen[..<passed.end])
        try join(arriving, passed.overlap, of: page, to: walked)
        joinPoint = JoinPoint(run: runs.all[0].number, position: runs.all[0].bottom)
        var run = runs.head
        if page.next != nil, run?.lowerEnd == .end { run?.lowerEnd = .wanted }
        return append(compared.unseen[passed.end...], of: page, to: run)
      }
      return append(compared.unseen, of: page, from: top, to: walked)
    }
    joinPoint = JoinPoint(run: runs.all[overlap.run].number, position: last)
    guard options.command != .full, try isProof(overlap, compared, page) else {
      return append(compared.unseen, of: page, from: top, to: walked)
    }
    if let top { change.savedPages.append(KnownPage(top: top, next: page.next)) }
    try join(compared.unseen, overlap, of: page, to: walked)
  }

  /// Whether known items prove that the page reaches them. One item may have moved to the end of a page of new ones, so
  /// there must be two, unless there cannot be.
  private func isProof(
    _ overlap: ComparedPage.Overlap, _ compared: ComparedPage, _ page: FeedPage
  ) throws(StoreError) -> Bool {
    let isWholePage = overlap.count == compared.unseen.count + compared.seen.count
    if overlap.count >= options.proof || isWholePage || page.next == nil { return true }
    return try store.liveCount(in: runs.all[overlap.run].range) == overlap.count
  }

  // MARK: Items

  /// - Parameter position: nil if the item stays.
  mutating func note(_ item: ComparedItem, at position: Int?) {
    let isChanged = item.isWorthPrinting && options.printsChanged
    if item.handle != nil, position == nil, !item.isEdited, !item.isReordered { return }
    change.items.append(
      .init(
        item: item.item, handle: item.handle, position: position, isEdited: item.isEdited,
        isPrintedAgain: isChanged))
  }

  // MARK: A page that does not join

  /// - Parameter top: where the page begins, if that is in the run.
  mutating func append(
    _ unseen: some Sequence<ComparedItem>, of page: FeedPage, from top: Int? = nil, to walked: FeedRun?
  ) {
    var run = walked ?? newRun
    let first = run.bottom + 1
    var count = 0
    for item in unseen {
      note(item, at: first + count)
      count += 1
    }
    // A page without items has a place too, because its next request must be found.
    run.bottom += max(top == nil ? 1 : 0, count)
    change.savedPages.append(KnownPage(top: top ?? first, next: page.next))
    if page.next == nil, [.wanted, .unread].contains(run.lowerEnd) { run.lowerEnd = .end }
    if page.next != nil, options.order == .oldestFirst, [.end, .unread].contains(run.lowerEnd) {
      run.lowerEnd = .wanted
    }
    save(run)
  }

  /// A run above all others, still without items.
  var newRun: FeedRun {
    let top = runs.head.map { $0.top - FeedRun.room } ?? 0
    return FeedRun(number: runs.nextNumber, top: top, bottom: top - 1, lowerEnd: runs.head == nil ? .wanted : .open)
  }

  /// Adds or changes a run.
  /// - Parameter removed: the numbers of runs that become a part of it, or have nothing left.
  mutating func save(_ run: FeedRun, removing removed: [Int] = []) {
    change.removedRuns += removed
    change.savedRuns.removeAll { $0.number == run.number }
    change.savedRuns.append(run)
    runs.replace(removed, with: [run])
  }

  // MARK: A page that joins

  private mutating func join(
    _ unseen: [ComparedItem], _ overlap: ComparedPage.Overlap, of page: FeedPage, to walked: FeedRun?
  ) throws(StoreError) {
    let known = runs.all[overlap.run]
    let arriving = unseen.dropLast(overlap.count)
    for item in unseen.suffix(overlap.count) { note(item, at: nil) }

    // Below the tail of the run that is read; if reading has just begun, above everything.
    let first = walked.map { $0.bottom + 1 } ?? (runs.all[0].top - arriving.count)
    for (offset, item) in arriving.enumerated() { note(item, at: first + offset) }
    let run = FeedRun(
      number: walked?.number ?? runs.nextNumber, top: walked?.top ?? (arriving.isEmpty ? known.top : first),
      bottom: known.bottom, lowerEnd: known.lowerEnd)
    let pageTop = arriving.isEmpty ? overlap.positions[0] : first
    try merge(
      run, with: overlap.run, met: overlap.positions, page: KnownPage(top: pageTop, next: page.next))
  }

  /// Joins a run with a known one further down. Items between them are gone.
  /// - Parameters:
  ///   - run: the joined run.
  ///   - index: the index of the known run.
  ///   - met: the positions in it that were met again, ascending; the last of them was read last.
  ///   - page: the page that met it; nil if it is stored already.
  mutating func merge(_ run: FeedRun, with index: Int, met: [Int], page: KnownPage?) throws(StoreError) {
    var run = run
    let known = runs.all[index]
    guard let last = met.last else { return }
    // Items that the walk passed without meeting them are gone: everything between the walked run and the one that it
    // reached, and in that one, everything above the last item met.
    for passed in runs.all[..<index] where passed.number != run.number {
      markGone(passed.range)
      change.removedPages.append(passed.range)
    }
    markGone(from: known.top, to: last, except: met)

    // Pages of the known run that were read again are replaced; the page that was read in part now begins further down.
    let old = try store.lastPage(in: known.top...last)
    change.removedPages.append(known.top...last)
    var hasRest = false
    if last < known.bottom {
      let rest = (last + 1)...known.bottom
      let next = try store.firstPage(in: rest)
      let remaining = try store.firstLive(in: rest)
      hasRest = next != nil
      if let remaining, remaining < next?.top ?? .max, let old {
        // Page 1 that was read in part is now further down, so its request leads elsewhere. The new page leads there.
        let next = old.next == options.firstRequest ? page?.next : nil
        change.savedPages.append(KnownPage(top: remaining, next: next ?? old.next))
        hasRest = true
      }
    }
    if let page {
      change.savedPages.append(page)
      // If nothing is left of the known run, the new page says how it continues below.
      if !hasRest, page.next == nil, [.wanted, .unread].contains(run.lowerEnd) { run.lowerEnd = .end }
    }
    save(run, removing: runs.all[...index].map(\.number).filter { $0 != run.number })
  }

  // MARK: What a page changes in the known items that are read again, before its new items are added after them

  /// Removes what the page proves to be gone, and the records of the pages that it replaces.
  /// - Returns: where the page begins in the known ground; nil if it shows nothing of it at its place.
  mutating func cross(_ ground: inout KnownGround?, _ compared: ComparedPage, _ page: FeedPage) -> Int? {
    guard var known = ground else { return nil }
    let isFirst = !known.isRead
    let begin = known.isEntered ? known.last + 1 : compared.firstMet
    let met = compared.seen.compactMap(\.position)
    let top = isFirst && known.isPageTop ? known.top : met.first
    if isFirst, let top, top <= known.bottom { change.removedPages.append(top...known.bottom) }
    // Known items were to come before anything that follows them. If one comes later, it is back.
    if let begin, !compared.unseen.isEmpty || page.next == nil {
      markGone(from: max(begin, known.asked), to: known.bottom, except: met)
    }
    known.isRead = true
    if let first = compared.firstMet {
      known.isEntered = true
      known.last = max(known.last, met.last ?? first - 1)
    }
    ground = known
    return top
  }

  /// - Parameter met: positions in this range, ascending.
  private mutating func markGone(from begin: Int, to bottom: Int, except met: [Int]) {
    var start = begin
    for position in met where position >= begin {
      if start < position { markGone(start...(position - 1)) }
      start = position + 1
    }
    if start <= bottom { markGone(start...bottom) }
  }

  private mutating func markGone(_ range: ClosedRange<Int>) { if provesAbsence { change.gone.append(range) } }

  // MARK: The end of a walk: it was told to stop, or came to the end of the feed or to a known run without live items

  /// Joins the head with the run that a full walk has reached: the items that it met have moved to the head, the others
  /// are gone.
  mutating func close(_ joinPoint: JoinPoint) throws(StoreError) {
    guard let head = runs.head, let index = runs.all.firstIndex(where: { $0.number == joinPoint.run }), index > 0
    else { return }
    var run = head
    run.bottom = runs.all[index].bottom
    run.lowerEnd = runs.all[index].lowerEnd
    // The item at that position has another position in the head now.
    try merge(run, with: index, met: [joinPoint.position], page: nil)
  }

  /// The walk has read the whole feed; items that it did not meet are gone.
  mutating func closeAtEnd() {
    guard var head = runs.head else { return }
    let others = runs.all.dropFirst()
    for other in others { markGone(other.range) }
    change.removedPages += others.map(\.range)
    head.lowerEnd = .end
    // Those that stay are below what was read.
    if !provesAbsence, let last = others.last { head.bottom = last.bottom }
    save(head, removing: others.map(\.number))
  }

  /// The feed ended without reaching known items: the missing ones are no longer available.
  /// - Returns: how many gaps were given up.
  mutating func giveUpGaps() -> Int {
    var count = 0
    for (index, var run) in runs.all.enumerated() {
      switch run.lowerEnd {
      case .open:
        run.lowerEnd = .lost
        count += 1
      // Of these, only the head was read to its end.
      case .wanted where index == 0, .unread where index == 0: run.lowerEnd = .end
      case .wanted, .unread, .end, .lost: continue
      }
      save(run)
    }
    return count
  }

  /// Removes the run below the head, which has no items left; so there is no gap above it.
  mutating func removeEmpty(_ empty: FeedRun) {
    guard var head = runs.head else { return }
    change.removedPages.append(empty.range)
    head.lowerEnd = runs.all.count > 2 ? .open : .wanted
    save(head, removing: [empty.number])
  }

  /// The head's walk ends at its tail, as asked.
  mutating func markUnread() {
    guard var head = runs.head, head.lowerEnd == .wanted else { return }
    head.lowerEnd = .unread
    save(head)
  }
}
