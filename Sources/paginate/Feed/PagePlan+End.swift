// What becomes of the runs where a walk ends: by being told to stop, at the end of the feed, or at known ground of which
// nothing is left.

extension PagePlan {
  /// Makes the head and the run that a full walk has reached into one: what was met has moved to the head, what was
  /// not is gone.
  mutating func close(_ joinPoint: JoinPoint, _ knowledge: some FeedKnowledge) throws(StoreError) {
    guard let head = runs.head, let index = runs.all.firstIndex(where: { $0.number == joinPoint.run }), index > 0,
      runs.all[index].isPlaced
    else { return }
    var run = head
    run.bottom = runs.all[index].bottom
    run.lowerEnd = runs.all[index].lowerEnd
    // The item at that position has another in the head now.
    try merge(run, with: index, met: [joinPoint.position], page: nil, knowledge)
  }

  /// The walk has met everything that the feed has; whatever it did not meet is gone.
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

  /// The feed ended without known ground being reached: what is missing can no longer be had.
  /// - Returns: how many gaps were given up.
  mutating func giveUpGaps() -> Int {
    var count = 0
    for (index, var run) in runs.placed.enumerated() {
      switch run.lowerEnd {
      case .open: run.lowerEnd = .lost
      case .dropped: run.lowerEnd = .end
      // Of the others only the head has been read to its end.
      case .wanted where index == 0, .unread where index == 0: run.lowerEnd = .end
      default: continue
      }
      if runs.placed[index].lowerEnd == .open || runs.placed[index].lowerEnd == .dropped { count += 1 }
      change.savedRuns.append(run)
    }
    runs.replace([], with: change.savedRuns)
    return count
  }

  /// Takes out the run below the head, of which nothing is left; so there is no gap above it.
  mutating func removeEmpty(_ empty: FeedRun) {
    guard var head = runs.head else { return }
    change.removedRuns.append(empty.number)
    change.removedPages.append(empty.range)
    head.lowerEnd = runs.placed.count > 2 ? .open : .wanted
    change.savedRuns = [head]
    runs.replace([empty.number], with: [head])
  }

  /// The head's tail is where its walk was to end.
  mutating func markUnread() {
    guard var head = runs.head, head.lowerEnd == .wanted else { return }
    head.lowerEnd = .unread
    change.savedRuns.append(head)
    runs.replace([], with: [head])
  }

  /// Forgets a run of which nothing is left.
  mutating func remove(_ empty: FeedRun) {
    change.removedRuns.append(empty.number)
    change.savedRuns.removeAll { $0.number == empty.number }
    runs.replace([empty.number], with: [])
  }

  /// `--on-gap drop`: forgets the places of all that is below the first open gap.
  mutating func forgetBelowGap() {
    guard let gap = runs.placed.first(where: { $0.lowerEnd == .open }) else { return }
    for var run in runs.placed where run.top >= gap.top {
      if run.number == gap.number {
        run.lowerEnd = .dropped
      } else {
        change.removedPages.append(run.range)
        run.isPlaced = false
      }
      change.savedRuns.removeAll { $0.number == run.number }
      change.savedRuns.append(run)
    }
    runs.replace([], with: change.savedRuns)
  }
}
