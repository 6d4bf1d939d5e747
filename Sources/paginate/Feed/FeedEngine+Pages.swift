// The first request of a walk, and what becomes of each answer.

import FeedCore

extension FeedEngine {
  mutating func start(_ knowledge: some FeedKnowledge) throws(StoreError) -> Action? {
    runs = FeedRuns(try knowledge.runs())
    since.raisesMark = try isReadToEnd(knowledge)
    if isOldestFirst { try rememberPages(knowledge) }
    if options.followsTail {
      let etag = isComplete ? try etag(for: options.firstRequest, knowledge) : nil
      return fetch(options.firstRequest, .first, ifNoneMatch: etag)
    }
    if let head = runs.head, try skipsTop(head, knowledge) {
      stage = .deciding
      return nil
    }
    // As long as the order is unknown, page 1 is looked at.
    let etag = options.command == .full || runs.head == nil ? nil : try knowledge.firstPage()?.etag
    let wantsRest = try wantsRestOfTop(knowledge)
    let isConditional = options.isConditional && (order == .newestFirst || isFiltered) && !wantsRest
    return fetch(options.firstRequest, .first, ifNoneMatch: isConditional ? etag : nil)
  }

  /// Whether this walk will have read everything that has changed since the mark.
  private func isReadToEnd(_ knowledge: some FeedKnowledge) throws(StoreError) -> Bool {
    guard let head = runs.head, !options.followsTail, options.since?.isOfPage != true else { return true }
    guard isComplete, isOldestFirst, head.lowerEnd == .lost else { return isComplete }
    // Below a lost gap, a feed whose oldest items come first goes on.
    return try knowledge.lastPage(in: head.range)?.next == nil
  }

  /// Whether a walk begins at the tail of a run.
  private func skipsTop(_ head: FeedRun, _ knowledge: some FeedKnowledge) throws(StoreError) -> Bool {
    if isOldestFirst { return options.command != .full }
    guard options.command == .more, options.numbering == nil else { return false }
    // If page 1 was read in part, it may have changed since then.
    return try !isReadInPart(head, knowledge)
  }

  /// Whether page 1 is the tail of a run, and was read in part.
  private func isReadInPart(_ head: FeedRun, _ knowledge: some FeedKnowledge) throws(StoreError) -> Bool {
    try knowledge.lastPage(in: head.range)?.next == options.firstRequest
  }

  /// Whether the rest of page 1 is to be read, even if the page is unchanged.
  private func wantsRestOfTop(_ knowledge: some FeedKnowledge) throws(StoreError) -> Bool {
    guard let head = runs.head, options.command == .more || head.lowerEnd != .unread else { return false }
    return try isReadInPart(head, knowledge)
  }

  // MARK: Answers

  mutating func take(
    _ answer: FeedAnswer, _ purpose: Purpose, _ knowledge: some FeedKnowledge
  ) throws(StoreError) -> Action? {
    switch (answer, purpose) {
    case (.failed(let failure), .again(let place, number: nil)) where failure.isForgotten && !place.isFirst:
      return try searchFromTop(knowledge)
    case (.failed(let failure), .below) where try isForgotten(failure, knowledge):
      // Page 1 leads to the tail once more, past known items.
      notes.append(.tailForgotten)
      forgotten = failure
      passesKnown = true
      return fetch(options.firstRequest, .first)
    case (.failed(let failure), _): return end(failure)
    case (.page(let page), _) where page.end == 0 && page.items.isEmpty:
      // Nothing of it is wanted, so nothing is known of its place either.
      hasReadEnough = true
      return end()
    case (.notModified, .first) where options.followsTail: return end()
    case (.notModified, .first):
      let page = try knowledge.firstPage()
      numbered.pageSize = page?.size
      numbered.begin(options.firstRequest)
      numbered.total = page?.total
      isFirstPageUnchanged = true
      return nil
    case (.notModified, .again(let place, let number)): return try takeUnchanged(place, number, knowledge)
    case (.notModified, _): return end(FeedFailure(status: .otherEnd, message: "304 without a condition"))
    case (.page(let page), .first): return try takeFirst(page, knowledge)
    case (.page(let page), .below):
      if options.numbering != nil || page.isNumbered, let request = numbered.pageBefore(page, order) {
        let hasIDs = options.dedupes && last.hasIDs
        if hasIDs, numbered.rereads.isAllowed() { return fetch(request, .before([page], steps: 1, found: 0)) }
        let note = hasIDs ? FeedNote.totalUnsteady : .shrunk
        if !notes.contains(note) { notes.append(note) }
      }
      return try take(page, below: runs.head, knowledge)
    case (.page(let page), .before(let held, let steps, let found)):
      return try takeReread(page, before: held, steps: steps, found: found, knowledge)
    case (.page(let page), .tail(let number)): return try takeTail(page, number, knowledge)
    case (.page(let page), .again(let place, let number)): return try takeAgain(page, place, number, knowledge)
    }
  }

  /// Whether a request of an earlier run is not known any more. If the oldest items come first, that shows earlier.
  private func isForgotten(_ failure: FeedFailure, _ knowledge: some FeedKnowledge) throws(StoreError) -> Bool {
    guard failure.isForgotten, forgotten == nil, !isOldestFirst, options.numbering == nil, let head = runs.head else {
      return false
    }
    return try knowledge.lastPage(in: head.range)?.top != last.top
  }

  mutating func takeFirst(_ page: FeedPage, _ knowledge: some FeedKnowledge) throws(StoreError) -> Action? {
    // An answer to `--since` may have any order.
    if order == nil, !isFiltered {
      order = FeedOrder.shown(by: page)
      if runs.head == nil, FeedOrder.isSorted(page) { notes.append(.looksSorted) }
      if order == .oldestFirst { return end(Self.looksOldestFirst) }
    }
    // An empty first page proves nothing about known items, neither that they exist nor that they are gone. Only a full
    // walk takes it literally.
    if page.items.isEmpty, page.next == nil, runs.head != nil, options.command != .full, !isFiltered { return end() }
    ground = nil
    let isProbe = options.command == .more && runs.head != nil && !isOldestFirst
    defer { if isProbe { pageCount = 0 } }
    if !options.followsTail { numbered.pageSize = page.items.count }
    numbered.begin(options.firstRequest)
    return try take(page, below: nil, knowledge)
  }

  /// Adds a page to the feed.
  mutating func take(
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
    var isStale = (page.wholeCount ?? plan.unseenCount) == 0 && plan.joinPoint == nil
    if options.followsTail {
      isStale = since.take(page, isExpected: counts, mayShift: options.since?.mayShift == true)
      if plan.isGapLost { notes.append(.gapLost) }
      if !plan.change.savedPages.isEmpty { since.hasShownCovered = true }
    }
    plan.change.isCovered = isCovered
    if plan.showsCovered { since.hasShownCovered = true }
    numbered.total = page.total
    if plan.unseenCount > 0 { numbered.rereads.reset() }
    // What an earlier walk has read of the same answer does not count.
    if counts, !options.followsTail || !plan.change.items.isEmpty { pageCount += 1 }
    staleCount = isStale ? staleCount + 1 : 0
    return .commit(plan.change)
  }
}
