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
    for item in page.items where try knowledge.item(item.id) == nil { return false }
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
    if reread.tailView == .below {
      guard let request = numbered.request(steps: steps + 1) else { return end(Self.changesTooFast) }
      lastRequest = request
      stage = .waiting(.before(valid + [page], steps: steps + 1, found: found))
      return .fetch(request, ifNoneMatch: nil)
    }
    // It may show what is above the ground that is read again.
    let ground = ground
    self.ground = nil
    let action = try take(options.followsTail ? page : reread.page, below: head, counts: false, knowledge)
    self.ground = ground
    if let ground, let last = reread.last { self.ground?.last = max(ground.last, min(last, ground.bottom)) }
    stage = .holding(valid)
    numbered.forget(steps - valid.count, &requests)
    return action
  }

  static let changesTooFast = FeedFailure(
    status: .later, message: "the feed changes faster than it can be read")
}
