// Pages of numbered feeds that are read to find the tail, or because pages have shifted.

extension FeedEngine {
  // MARK: Numbered feeds

  mutating func takeTail(
    _ page: FeedPage, _ number: Int, _ knowledge: some FeedKnowledge
  ) throws(StoreError) -> Action? {
    guard let head = runs.head, let numbering = options.numbering else { return end() }
    let reread = try RereadPage(page, of: head, knowledge)
    tailCount += 1
    switch numbered.verdict(numbering, on: number, reread.tailView) {
    case .take: break
    // A server that returns the same page for every number has no tail.
    case .ask where tailCount >= Self.staleLimit: return end(Self.changesTooFast)
    case .ask(let other): return fetch(options.numberedRequest(other), .tail(other))
    case .giveUp:
      // An edited item keeps its place, so the answer to `--since` may begin with items of other runs. Then the tail is
      // further down, and all pages are read again.
      guard options.since?.isFiltered == true, try isKnown(page, knowledge) else { return end(Self.changesTooFast) }
    }
    // The tail of the run that was joined may be now where this run has read already.
    requests = []
    numbered.begin(options.numberedRequest(number))
    // A page that was read only to find the tail does not count.
    let counts = reread.tailView != .above && reread.hasMore
    return try take(reread.page, below: head, counts: counts, isReread: true, knowledge)
  }

  /// Whether a page has only known items.
  private func isKnown(_ page: FeedPage, _ knowledge: some FeedKnowledge) throws(StoreError) -> Bool {
    for item in page.items where try knowledge.item(item) == nil { return false }
    return true
  }

  /// Handles a page that was read again, `steps` pages before the one that was read last.
  /// - Parameters:
  ///   - held: the pages after it, last first, which are added after it.
  ///   - found: how many unknown items the pages between had.
  mutating func takeReread(
    _ page: FeedPage, before held: [FeedPage], steps: Int, found: Int, _ knowledge: some FeedKnowledge
  ) throws(StoreError) -> Action? {
    guard let head = runs.head else { return end() }
    let reread = try RereadPage(page, of: head, knowledge)
    let found = found + reread.newCount
    let valid = isOldestFirst || numbered.proves(held.last, after: found) ? held : []
    if page.total != held.last?.total { numbered.mayHaveShifted = isOldestFirst }
    // Nothing on it is known: a page or more of items was deleted, so something may be missing above it too.
    // In no order, items can follow whatever is known, and from page 1 on, nothing is missed.
    if reread.tailView == .below, order != FeedOrder.none || lastRequest != options.firstRequest {
      if let request = numbered.request(steps: steps + 1) {
        return fetch(request, .before(valid + [page], steps: steps + 1, found: found))
      }
      guard order == FeedOrder.none else { return end(Self.changesTooFast) }
      numbered.begin(options.firstRequest)
      return fetch(options.firstRequest, .before([], steps: 0, found: 0))
    }
    // It may show what is above the ground that is read again.
    let ground = ground
    self.ground = nil
    let keepsAll = options.followsTail || order == FeedOrder.none
    let action = try take(keepsAll ? page : reread.page, below: head, counts: false, knowledge)
    self.ground = ground
    if let ground, let last = reread.last { self.ground?.last = max(ground.last, min(last, ground.bottom)) }
    // Beside nothing known, nothing is proven.
    let kept = reread.tailView == .below ? [] : valid
    stage = .holding(kept)
    numbered.forget(steps - kept.count, &requests)
    return action
  }

  static let changesTooFast = FeedFailure(
    status: .later, message: "the feed changes faster than it can be read")
}
