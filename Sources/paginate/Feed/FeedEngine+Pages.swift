// What becomes of a page, of the tail, and of the runs when the walk ends.

extension FeedEngine {
  /// Adds a page to the feed.
  /// - Parameter counts: whether it counts for `maxPages`.
  func add(
    _ page: FeedPage, below walked: FeedRun?, counts: Bool = true, isReread: Bool = false,
    _ knowledge: some FeedKnowledge
  ) throws(StoreError) -> Action? {
    var plan = PagePlan(runs, options)
    plan.lastJoin = walked == nil ? nil : last.joinPoint
    plan.mustShowCovered = options.since?.mustJoin == true && !since.hasShownCovered
    try plan.take(page, below: walked, isReread: isReread, on: &ground, knowledge)
    if isOldestFirst { plan.change.firstPage = facts(of: page, isFirst: walked == nil) }
    runs = plan.runs
    // Positions in a damaged store may leave no room for the page.
    if let problem = runs.problem { throw .damaged(problem) }
    let keepsJoin = page.items.isEmpty && walked != nil
    last = AddedPage(
      top: plan.change.savedPages.last?.top, next: page.next, isEnd: page.next == nil, failure: page.failure,
      joinPoint: keepsJoin ? last.joinPoint : plan.joinPoint, hasIDs: page.items.first?.hasID ?? last.hasIDs)
    if since.raisesMark { plan.change.mark = page.mark }
    // With --pages, an item is a page, which may have no items.
    var isStale = (plan.unseenCount == 0 || page.items.first?.count == 0) && plan.joinPoint == nil
    if options.followsTail {
      isStale = since.take(page, isExpected: counts, mayShift: options.since?.mayShift == true)
      if plan.isGapLost { notes.append(.gapLost) }
      if !plan.change.savedPages.isEmpty { since.hasShownCovered = true }
    }
    plan.change.isCovered = isCovered
    if plan.showsCovered { since.hasShownCovered = true }
    numbered.total = page.total
    if plan.unseenCount > 0 { numbered.rereads.reset() }
    // What an earlier walk has read of the same response does not count.
    if counts, !options.followsTail || !plan.change.items.isEmpty { pageCount += 1 }
    staleCount = isStale ? staleCount + 1 : 0
    return .commit(plan.change)
  }

  /// Settles the tail if that needs no request.
  func closeTail(
    _ head: FeedRun, _ tail: KnownPage, _ knowledge: some FeedKnowledge
  ) throws(StoreError) -> Action? {
    var plan = PagePlan(runs, options)
    if isFiltered, head.lowerEnd == .open, last.isEnd || tail.next == nil {
      if options.since?.mustJoin == true, last.isEnd, !since.hasShownCovered {
        notes += Array(repeating: .gapLost, count: plan.giveUpGaps())
      } else {
        plan.joinAll()
      }
    } else if head.lowerEnd == .open, let below = runs.all.dropFirst().first,
      try knowledge.firstLive(in: below.range) == nil
    {
      plan.removeEmpty(below)
    } else if tail.next == nil {
      if options.command == .full {
        plan.closeAtEnd()
      } else if head.lowerEnd == .open, let joinPoint = last.joinPoint,
        runs.all.dropFirst().contains(where: { $0.number == joinPoint.run })
      {
        // Nothing comes after them.
        try plan.close(joinPoint, knowledge)
      } else {
        notes += Array(repeating: .gapLost, count: plan.giveUpGaps())
      }
    } else {
      return nil
    }
    runs = plan.runs
    plan.change.isCovered = isCovered
    return .commit(plan.change)
  }

  /// Ends the walk if no more pages are wanted.
  /// - Returns: whether it does.
  func endIfEnough() -> Bool {
    let most = options.maxPages ?? (options.command == .more ? 1 : .max)
    if isStopped || pageCount >= most {
      hasReadEnough = true
      _ = end()
    } else if staleCount >= Self.staleLimit {
      _ = end(FeedFailure(status: .remote, message: "\(staleCount) pages without a new item"))
    } else {
      return false
    }
    return true
  }

  func end(_ failure: FeedFailure? = nil) -> Action? {
    self.failure = failure
    stage = .closing
    return nil
  }

  func close(_ knowledge: some FeedKnowledge) throws(StoreError) -> Action? {
    var plan = PagePlan(runs, options)
    if options.command == .full, let joinPoint = last.joinPoint { try plan.close(joinPoint, knowledge) }
    if hasReadEnough { plan.markUnread() }
    runs = plan.runs
    // A failed walk may have changed nothing yet.
    if failure == nil { plan.change.isCovered = isCovered }
    return plan.change.isEmpty ? nil : .commit(plan.change)
  }
}
