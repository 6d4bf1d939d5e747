// A page of an answer to `--since`: only what is newer than a mark. Known items come again because they were edited, and
// in any order, so they stay in their places, and no item is gone because it does not come. The walk goes on to the end
// of the answer. Only there does the new run join the known ones.
//
// A walk that did not end leaves an open gap. The next walk gets the same answer, with more on top. When it comes to what
// the last walk has read, it goes on where that one stopped.

extension PagePlan {
  mutating func takeFiltered(_ page: FeedPage, _ compared: ComparedPage, below walked: FeedRun?) {
    for item in compared.unseen + compared.seen where item.run != nil { note(item, at: nil) }
    let new = compared.unseen.filter { $0.run == nil }
    let reachesRead = compared.reachesRead(page)
    if walked == nil, new.isEmpty, page.next == nil || (reachesRead && runs.head?.lowerEnd == .open) { return }
    append(new, of: page, to: walked)
    if reachesRead, runs.placed.dropFirst().first?.lowerEnd == .open { joinNext() }
  }

  /// Joins the head with all runs down to the next one that was complete: the answer has ended.
  mutating func joinAll() { while runs.head?.lowerEnd == .open, joinNext() {} }

  /// Joins the head with the run below it.
  @discardableResult
  private mutating func joinNext() -> Bool {
    guard var head = runs.head, let below = runs.placed.dropFirst().first else { return false }
    head.bottom = below.bottom
    head.lowerEnd = below.lowerEnd
    change.removedRuns.append(below.number)
    change.savedRuns.removeAll { $0.number == head.number }
    change.savedRuns.append(head)
    runs.replace([below.number], with: [head])
    return true
  }
}

extension ComparedPage {
  /// Whether the last item of a filtered page was read by an earlier walk that did not end: it is newer than the mark,
  /// and known as it is now.
  fileprivate func reachesRead(_ page: FeedPage) -> Bool {
    guard let last = unseen.last, last.item.id == page.items.last?.id else { return false }
    return last.run != nil && !last.isEdited && last.item.isNewer
  }

  /// Whether the page has known items that the mark covers.
  var showsCovered: Bool { unseen.contains { $0.run != nil && !$0.item.isNewer } }
}
