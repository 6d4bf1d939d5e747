// What happens to the runs when a walk ends: because it was told to stop, at the end of the feed, or at a known run
// with no live items left.

extension PagePlan {
  /// Joins the head with the run that a full walk has reached: the items that it met have moved to the head, the others
  /// are gone.
  mutating func close(_ joinPoint: JoinPoint, _ knowledge: some FeedKnowledge) throws(StoreError) {
    guard let head = runs.head, let index = runs.all.firstIndex(where: { $0.number == joinPoint.run }), index > 0
    else { return }
    var run = head
    run.bottom = runs.all[index].bottom
    run.lowerEnd = runs.all[index].lowerEnd
    // The item at that position has another position in the head now.
    try merge(run, with: index, met: [joinPoint.position], page: nil, knowledge)
  }

  /// The walk has read the whole feed; items that it did not meet are gone.
  mutating func closeAtEnd() {
    guard var head = runs.head else { return }
    for run in runs.all.dropFirst() {
      change.gone.append(run.range)
      change.removedPages.append(run.range)
      change.removedRuns.append(run.number)
    }
    head.lowerEnd = .end
    change.savedRuns = [head]
    runs.replace(change.removedRuns, with: [head])
  }

  /// The feed ended without reaching known items: the missing ones are no longer available.
  /// - Returns: how many gaps were given up.
  mutating func giveUpGaps() -> Int {
    var count = 0
    for (index, var run) in runs.all.enumerated() {
      switch run.lowerEnd {
      case .open: run.lowerEnd = .lost
      // Of these, only the head was read to its end.
      case .wanted where index == 0, .unread where index == 0: run.lowerEnd = .end
      case .wanted, .unread, .end, .lost: continue
      }
      if runs.all[index].lowerEnd == .open { count += 1 }
      change.savedRuns.append(run)
    }
    runs.replace([], with: change.savedRuns)
    return count
  }

  /// Removes the run below the head, which has no items left; so there is no gap above it.
  mutating func removeEmpty(_ empty: FeedRun) {
    guard var head = runs.head else { return }
    change.removedRuns.append(empty.number)
    change.removedPages.append(empty.range)
    head.lowerEnd = runs.all.count > 2 ? .open : .wanted
    change.savedRuns = [head]
    runs.replace([empty.number], with: [head])
  }

  /// The head's walk ends at its tail, as asked.
  mutating func markUnread() {
    guard var head = runs.head, head.lowerEnd == .wanted else { return }
    head.lowerEnd = .unread
    change.savedRuns.append(head)
    runs.replace([], with: [head])
  }
}
