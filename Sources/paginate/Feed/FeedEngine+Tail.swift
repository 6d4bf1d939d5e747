// What comes after a page: the next request below the head, or the end of the walk.

import FeedCore

extension FeedEngine {
  mutating func decide(_ knowledge: some FeedKnowledge) throws(StoreError) -> Action? {
    guard let head = runs.head else { return end() }
    if options.followsTail, last.isEnd { return end() }
    guard let tail = try knowledge.lastPage(in: head.range) else { throw .damaged("run \(head.number) has no page") }
    var isFresh = options.followsTail || last.top == tail.top
    if !options.followsTail, isFresh || !isOldestFirst {
      if head.lowerEnd == .end { return end() }
      // Below a lost gap, a feed whose oldest items come first goes on.
      if head.lowerEnd == .lost, tail.next == nil || !isOldestFirst { return end() }
      if let action = try closeTail(head, tail, knowledge) { return action }
    }
    // The value of `--since` is known only at the end.
    let wantsEnd = options.since?.isFiltered == false
    if head.lowerEnd == .unread, options.command == .refresh, !isOldestFirst, !wantsEnd { return end() }
    if isStopped || pageCount >= maxPages ?? .max {
      hasReadEnough = true
      return end()
    }
    if staleCount >= Self.staleLimit {
      return end(FeedFailure(status: .otherEnd, message: "\(staleCount) pages without a new item"))
    }

    if isOldestFirst, !isFresh { return try searchTail(head, knowledge) }
    if let numbering = options.numbering, !isFresh {
      let count = try knowledge.liveCount(in: head.range)
      isFresh = isFirstPageUnchanged && count <= numbered.pageSize ?? 0
      if !isFresh, let number = numbered.tailNumber(numbering, count: count, proof: options.proof) {
        return fetch(options.numberedRequest(number), .tail(number))
      }
    }
    if !isFresh, let next = tail.next, requests.contains(next.hashValue),
      last.next.map({ !requests.contains($0.hashValue) }) == true
    {
      passesKnown = true
    }
    let isOfTail = !options.followsTail && (!passesKnown || isFresh)
    guard let request = isOfTail ? tail.next : last.next else { return end() }
    if let forgotten, !isFresh, requests.contains(request.hashValue) { return end(forgotten) }
    if isFresh, let failure = last.failure { return end(failure) }
    numbered.go(request, fromFresh: isFresh)
    return fetch(request, .below)
  }

  /// Settles the tail if that needs no request.
  private mutating func closeTail(
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
        runs.all.contains(where: { $0.number == joinPoint.run })
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

  // MARK: The end

  mutating func close(_ knowledge: some FeedKnowledge) throws(StoreError) -> Action? {
    var plan = PagePlan(runs, options)
    if options.command == .full, let joinPoint = last.joinPoint { try plan.close(joinPoint, knowledge) }
    if hasReadEnough { plan.markUnread() }
    runs = plan.runs
    // A failed walk may have changed nothing yet.
    if failure == nil { plan.change.isCovered = isCovered }
    return plan.change.isEmpty ? nil : .commit(plan.change)
  }
}
