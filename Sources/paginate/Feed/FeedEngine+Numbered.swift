// Pages of numbered feeds that are read again because pages have shifted.

extension FeedEngine {
  /// Asks for the page before this one, if the feed has become smaller since then.
  /// - Returns: nil if the page may be added.
  func pageBefore(_ page: FeedPage) -> Action? {
    guard options.numbering != nil || page.isNumbered, let request = numbered.pageBefore(page, order) else {
      return nil
    }
    let hasIDs = options.dedupes && last.hasIDs
    if hasIDs, numbered.rereads.isAllowed() { return fetch(request, .before([page], steps: 1, found: 0)) }
    let note = hasIDs ? FeedNote.totalUnsteady : .shrunk
    if !notes.contains(note) { notes.append(note) }
    return nil
  }

  /// Handles a page that was read again, `steps` pages before the one that was read last.
  /// - Parameters:
  ///   - held: the pages after it, last first. Those that still follow it are added after it.
  ///   - found: how many unknown items the pages between had.
  func takeReread(
    _ page: FeedPage, before held: [FeedPage], steps: Int, found: Int, _ knowledge: some FeedKnowledge
  ) throws(StoreError) -> Action? {
    guard let head = runs.head else { return end() }
    let reread = try RereadPage(page, of: head, knowledge)
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
    return try add(keepsAll ? page : reread.page, below: head, counts: false, knowledge)
  }
}
