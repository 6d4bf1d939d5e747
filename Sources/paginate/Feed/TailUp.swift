import FeedCore

/// A walk from the tail on, if the oldest items come first: the page with the tail is read again, and shows where to go
/// on. Page 1 is read only once. A page below a gap is found in the same way.
final class TailUp: FeedEngine {
  override func begin() throws(StoreError) -> Action? {
    try rememberPages()
    if runs.head != nil, options.command != .full { return nil }
    return fetch(options.firstRequest, .first)
  }

  override func take(_ response: FeedResponse, _ purpose: Purpose) throws(StoreError) -> Action? {
    switch (response, purpose) {
    case (.failed(let failure), .back(let place))
    where failure.isForgotten && place.number == nil && place.request != options.firstRequest:
      // The server does not know the page any more, so page 1 is read, and everything after it again.
      guard let head = runs.head else { return end() }
      notes.append(.tailForgotten)
      return fetch(options.firstRequest, .back(BackPlace(request: options.firstRequest, top: head.top)))
    case (.notModified, .back(let place)):
      // The page of the tail is as it was.
      guard let head = runs.head else { return end() }
      last.top = try store.lastPage(in: head.range)?.top
      trail = [place]
      return nil
    default: return try super.take(response, purpose)
    }
  }

  override func goOn(below head: FeedRun, _ tail: KnownPage) throws(StoreError) -> Action? {
    let isFresh = last.top == tail.top
    if isFresh {
      // Below a lost gap, the feed goes on.
      if head.lowerEnd == .end || (head.lowerEnd == .lost && tail.next == nil) { return end() }
      if let action = try closeTail(head, tail) { return action }
    }
    if endIfEnough() { return nil }
    return isFresh ? fetchNext(tail.next) : try fetchTail(of: head)
  }

  /// Requests the page that should show the tail.
  private func fetchTail(of head: FeedRun) throws(StoreError) -> Action? {
    let live = try store.lastLive(in: head.range)
    var place =
      try live.flatMap { (tail) throws(StoreError) in try storedPlace(at: tail, in: head) }
      ?? BackPlace(request: options.firstRequest, top: head.top)
    if let numbering = options.numbering {
      var count = try store.liveCount(in: head.range)
      // Known items may have been deleted. A total of less than half may count pages.
      if let total = numbered.total, total > count / 2 { count = min(count, total) }
      let number = (count > 0 ? numbered.tailNumber(numbering, count: count, proof: options.proof) : nil) ?? 0
      // The first item of that page may have been on the page before.
      let top = try storedPlace(at: place.top - 1, in: head)?.top ?? head.top
      place = BackPlace(request: options.numberedRequest(number), top: top, number: number)
    }
    // If an empty page comes after the tail, more may come after that.
    let isLast = try store.lastPage(in: head.range)?.top ?? .max <= live ?? .min
    return fetch(place.request, .back(place), ifNoneMatch: isLast ? try etag(for: place.request) : nil)
  }
}

/// A walk through a response to `--since` that follows the tail. It is always read from its beginning to its end.
final class AfterTail: FeedEngine {
  override func begin() throws(StoreError) -> Action? {
    try rememberPages()
    let request = options.firstRequest
    return fetch(request, .first, ifNoneMatch: isComplete ? try etag(for: request) : nil)
  }

  override func take(_ response: FeedResponse, _ purpose: Purpose) throws(StoreError) -> Action? {
    if case (.notModified, .first) = (response, purpose) { return end() }
    return try super.take(response, purpose)
  }

  override func goOn(below head: FeedRun, _ tail: KnownPage) throws(StoreError) -> Action? {
    if last.isEnd { return end() }
    if endIfEnough() { return nil }
    return fetchNext(last.next)
  }
}

// MARK: What is kept of the last page

extension FeedEngine {
  /// Gets what earlier runs know of the pages.
  func rememberPages() throws(StoreError) {
    let page = try store.firstPage()
    numbered.pageSize = page?.size
    numbered.total = page?.total
  }

  /// What to keep of a page, which may be the one that the next refresh begins with.
  ///
  /// If a page is full, the next one could change nothing in it but a header, and some servers leave headers out of the
  /// ETag. So only a page that is not full can be asked for with a condition. Nor can a page that was read in part: its
  /// rest is wanted.
  func facts(of page: FeedPage, isFirst: Bool) -> FeedChange.FirstPage {
    let fullSize = isFirst && !options.followsTail ? 0 : numbered.pageSize ?? 0
    numbered.pageSize = max(fullSize, page.items.count)
    var etag: [UInt8]?
    // A response to `--since` can be asked for with a condition if it is one page.
    let isWhole = !options.followsTail || (isFirst && page.next == nil)
    if let lastRequest, let found = page.etag, page.next != lastRequest, isWhole, !page.items.isEmpty,
      page.items.count < fullSize
    {
      etag = Self.prefix(of: lastRequest) + found
    }
    return .init(etag: etag, size: numbered.pageSize ?? 0, total: options.followsTail ? nil : page.total)
  }

  /// An ETag belongs to one request. Its digest is kept with it, so that no other request is made with it.
  private static func prefix(of request: [UInt8]) -> [UInt8] { ItemVersion.of(request.span) + [UInt8(ascii: " ")] }

  /// The ETag that was stored with this request; nil if there is none, or it belongs to another one.
  func etag(for request: [UInt8]) throws(StoreError) -> [UInt8]? {
    let prefix = Self.prefix(of: request)
    guard let etag = try store.firstPage()?.etag, etag.starts(with: prefix) else { return nil }
    return Array(etag.dropFirst(prefix.count))
  }
}
