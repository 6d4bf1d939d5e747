import FeedCore

/// A walk from page 1 down to known items: if the newest items come first, or in no order.
final class TopDown: FeedEngine {
  /// Whether page 1 is unchanged since it was last read (304).
  private var isFirstPageUnchanged = false
  /// Whether the walk goes on past known items, because the request for the page below the tail leads there no more: the
  /// server has forgotten it, or it has brought another page in this run, as links to numbered pages shift.
  private var passesKnown = false
  /// What the server said when it did not know the request for the page below the tail any more.
  private var forgotten: FeedFailure?

  override func begin() throws(StoreError) -> Action? {
    let head = runs.head
    // Whether page 1 is the tail of a run, and was read in part. Then it may have changed since then.
    let isReadInPart = try head.map { (head) throws(StoreError) in
      try store.lastPage(in: head.range)?.next == options.firstRequest
    }
    if options.command == .more, options.numbering == nil, isReadInPart == false { return nil }
    // The rest of page 1 is to be read, even if the page is unchanged.
    let wantsRest = isReadInPart == true && (options.command == .more || head?.lowerEnd != .unread)
    let etag = options.command == .full || head == nil ? nil : try store.firstPage()?.etag
    // As long as the order is unknown, page 1 is looked at.
    let isConditional = options.isConditional && (order == .newestFirst || isFiltered) && !wantsRest
    return fetch(options.firstRequest, .first, ifNoneMatch: isConditional ? etag : nil)
  }

  // MARK: Responses

  override func take(_ response: FeedResponse, _ purpose: Purpose) throws(StoreError) -> Action? {
    switch (response, purpose) {
    case (.failed(let failure), .below) where try isForgotten(failure):
      // Page 1 leads to the tail once more, past known items.
      notes.append(.tailForgotten)
      forgotten = failure
      passesKnown = true
      return fetch(options.firstRequest, .first)
    case (.notModified, .first):
      try rememberPages()
      trail = [BackPlace(request: options.firstRequest, top: 0)]
      isFirstPageUnchanged = true
      return nil
    default: return try super.take(response, purpose)
    }
  }

  /// Whether a request of an earlier run is not known any more.
  private func isForgotten(_ failure: FeedFailure) throws(StoreError) -> Bool {
    guard failure.isForgotten, forgotten == nil, options.numbering == nil, let head = runs.head else { return false }
    return try store.lastPage(in: head.range)?.top != last.top
  }

  override func takeFirst(_ page: FeedPage) throws(StoreError) -> Action? {
    // A response to `--since` may have any order.
    if order == nil, !isFiltered {
      order = FeedOrder.shown(by: page)
      if runs.head == nil, FeedOrder.isSorted(page) { notes.append(.looksSorted) }
      if order == .oldestFirst { return end(Self.looksOldestFirst) }
    }
    let isProbe = options.command == .more && runs.head != nil
    let action = try super.takeFirst(page)
    if isProbe { pageCount = 0 }
    return action
  }

  // MARK: The page below the tail

  override func goOn(below head: FeedRun, _ tail: KnownPage) throws(StoreError) -> Action? {
    if head.lowerEnd == .end || head.lowerEnd == .lost { return end() }
    if let action = try closeTail(head, tail) { return action }
    // The value of `--since` is known only at the end.
    let wantsEnd = options.since?.isFiltered == false
    if head.lowerEnd == .unread, options.command == .refresh, !wantsEnd { return end() }
    if endIfEnough() { return nil }

    var isFresh = last.top == tail.top
    if let numbering = options.numbering, !isFresh {
      let count = try store.liveCount(in: head.range)
      isFresh = isFirstPageUnchanged && count <= numbered.pageSize ?? 0
      if !isFresh, let number = numbered.tailNumber(numbering, count: count, proof: options.proof) {
        let request = options.numberedRequest(number)
        return fetch(request, .back(BackPlace(request: request, top: head.top, number: number)))
      }
    }
    if !isFresh, let next = tail.next, hasRequested(next), last.next.map({ !hasRequested($0) }) == true {
      passesKnown = true
    }
    let request = passesKnown && !isFresh ? last.next : tail.next
    if let forgotten, !isFresh, let request, hasRequested(request) { return end(forgotten) }
    return fetchNext(request, isFresh: isFresh)
  }
}
