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

  /// Where the page before met known items, if it did not join them.
  var lastJoin: JoinPoint?

  let options: FeedOptions

  init(_ runs: FeedRuns, _ options: FeedOptions) {
    self.runs = runs
    self.options = options
  }

  /// Adds a page.
  /// - Parameters:
  ///   - walked: the run whose tail led to the page; nil if it is page 1 and begins a walk.
  ///   - isReread: whether it shows the run as read by an earlier walk. If not, this walk has already met those items,
  ///     for example because pages shifted, and the first sight of them counts.
  ///   - ground: what this walk reads again of the run, if it began in it.
  mutating func take(
    _ page: FeedPage, below walked: FeedRun?, isReread: Bool, on ground: inout KnownGround?,
    _ knowledge: some FeedKnowledge
  ) throws(StoreError) {
    let index = options.followsTail ? nil : walked.flatMap { runs.index(of: $0.top) }
    let compared = try ComparedPage(page, walked: index, on: ground, options, runs, knowledge)
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
        let passed = try compared.passed(runs, options.proof, after: lastJoin, knowledge)
      {
        let arriving = Array(compared.unseen[..<passed.end])
        try join(arriving, passed.overlap, of: page, to: walked, knowledge)
        joinPoint = JoinPoint(run: runs.all[0].number, position: runs.all[0].bottom)
        var run = runs.head
        if page.next != nil, run?.lowerEnd == .end { run?.lowerEnd = .wanted }
        return append(compared.unseen[passed.end...], of: page, to: run)
      }
      return append(compared.unseen, of: page, from: top, to: walked)
    }
    joinPoint = JoinPoint(run: runs.all[overlap.run].number, position: last)
    guard options.command != .full, try isProof(overlap, compared, page, knowledge) else {
      return append(compared.unseen, of: page, from: top, to: walked)
    }
    if let top { change.savedPages.append(KnownPage(top: top, next: page.next)) }
    try join(compared.unseen, overlap, of: page, to: walked, knowledge)
  }

  /// Whether known items prove that the page reaches them. One item may have moved to the end of a page of new ones, so
  /// there must be two, unless there cannot be.
  private func isProof(
    _ overlap: ComparedPage.Overlap, _ compared: ComparedPage, _ page: FeedPage, _ knowledge: some FeedKnowledge
  ) throws(StoreError) -> Bool {
    let isWholePage = overlap.count == compared.unseen.count + compared.seen.count
    if overlap.count >= options.proof || isWholePage || page.next == nil { return true }
    return try knowledge.liveCount(in: runs.all[overlap.run].range) == overlap.count
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

  mutating func save(_ run: FeedRun) {
    change.savedRuns.removeAll { $0.number == run.number }
    change.savedRuns.append(run)
    runs.replace([], with: [run])
  }

  // MARK: A page that joins

  private mutating func join(
    _ unseen: [ComparedItem], _ overlap: ComparedPage.Overlap, of page: FeedPage, to walked: FeedRun?,
    _ knowledge: some FeedKnowledge
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
      run, with: overlap.run, met: overlap.positions, page: KnownPage(top: pageTop, next: page.next), knowledge)
  }

  /// Joins a run with a known one further down. Items between them are gone.
  /// - Parameters:
  ///   - run: the joined run.
  ///   - index: the index of the known run.
  ///   - met: the positions in it that were met again, ascending; the last of them was read last.
  ///   - page: the page that met it; nil if it is stored already.
  mutating func merge(
    _ run: FeedRun, with index: Int, met: [Int], page: KnownPage?, _ knowledge: some FeedKnowledge
  ) throws(StoreError) {
    var run = run
    let known = runs.all[index]
    guard let last = met.last else { return }
    markGone(above: index, below: run, met: met)

    // Pages of the known run that were read again are replaced; the page that was read in part now begins further down.
    let old = try knowledge.lastPage(in: known.top...last)
    change.removedPages.append(known.top...last)
    var hasRest = false
    if last < known.bottom {
      let rest = (last + 1)...known.bottom
      let next = try knowledge.firstPage(in: rest)
      let remaining = try knowledge.firstLive(in: rest)
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
    change.removedRuns += runs.all[...index].map(\.number).filter { $0 != run.number }
    change.savedRuns = [run]
    runs.replace(change.removedRuns, with: [run])
  }

  /// Items that a walk passed without meeting them are gone: everything between the walked run and the one that it
  /// reached, and in that one, everything above the last item met.
  private mutating func markGone(above index: Int, below walked: FeedRun, met: [Int]) {
    for run in runs.all[..<index] where run.number != walked.number {
      change.gone.append(run.range)
      change.removedPages.append(run.range)
    }
    var start = runs.all[index].top
    for position in met {
      if start < position { change.gone.append(start...(position - 1)) }
      start = position + 1
    }
  }
}
