import FeedCore

/// A walk from the tail on, if the oldest items come first: the page with the tail is read again, and shows where to go
/// on. Page 1 is read only once. A page below a gap is found in the same way.
final class TailUp: FeedEngine {
  private var search = TailSearch()

  override func begin() throws(StoreError) -> Action? {
    try rememberPages()
    if runs.head != nil, options.command != .full { return nil }
    return fetch(options.firstRequest, .first)
  }

  // MARK: Responses

  override func take(_ response: FeedResponse, _ purpose: Purpose) throws(StoreError) -> Action? {
    switch (response, purpose) {
    case (.failed(let failure), .again(let place, number: nil)) where failure.isForgotten && !place.isFirst:
      // The server does not know the page any more, so page 1 is read, and everything after it again.
      guard let head = runs.head else { return end() }
      notes.append(.tailForgotten)
      search.goToTop()
      return try ask(nil, of: head)
    case (.notModified, .again(let place, let number)): return try takeUnchanged(place, number)
    case (.page(let page), .again(let place, let number)): return try takeAgain(page, place, number)
    default: return try super.take(response, purpose)
    }
  }

  /// The page of the tail is as it was.
  private func takeUnchanged(_ place: TailSearch.TailPage, _ number: Int?) throws(StoreError) -> Action? {
    guard let head = runs.head else { return end() }
    last.top = try store.lastPage(in: head.range)?.top
    begin(place, number, from: place.top, in: head)
    ground?.last = head.bottom
    ground?.isRead = true
    return nil
  }

  /// Takes a page that should show the tail, or looks for it elsewhere.
  private func takeAgain(_ page: FeedPage, _ place: TailSearch.TailPage, _ number: Int?) throws(StoreError) -> Action? {
    guard let head = runs.head else { return end() }
    let shown = try ShownTail(page, of: head, from: place.top, store)
    let expected = try knownCount(from: place, number, in: head)
    let isProven = shown.proofCount >= max(1, min(options.proof, expected))
    if let number, let numbering = options.numbering {
      let view = shown.view == .above || isProven || number == 0 && shown.proofCount > 0 ? shown.view : .below
      switch numbered.verdict(numbering, on: number, view) {
      case .take: break
      case .giveUp: return try beginAgain(page)
      case .ask(let other):
        if other < number { search.goUp() }
        return try ask(other, of: head)
      }
    } else if !isProven, !place.isFirst {
      search.goUp()
      return try ask(nil, of: head)
    } else if shown.proofCount == 0 {
      return try beginAgain(page)
    }
    // A stretch of known items is where it was, however far up: the walk has to pass everything below it again.
    begin(place, number, from: min(place.top, shown.stretchTop ?? place.top), in: head)
    return try add(page, below: head, counts: shown.hasNews)
  }

  /// Nothing in the feed is known: it begins again, after a gap.
  private func beginAgain(_ page: FeedPage) throws(StoreError) -> Action? {
    ground = nil
    return try takeFirst(page)
  }

  /// How many known items a page should show, at least.
  private func knownCount(from place: TailSearch.TailPage, _ number: Int?, in head: FeedRun) throws(StoreError) -> Int {
    guard let number else { return try store.liveCount(in: place.top...head.bottom) }
    let isPages = options.numbering == .pages
    return try store.liveCount(in: head.range) - (isPages ? number * (numbered.pageSize ?? 1) : number)
  }

  /// Begins to read on from a page.
  private func begin(_ place: TailSearch.TailPage, _ number: Int?, from top: Int, in head: FeedRun) {
    let request = number.map(options.numberedRequest) ?? place.request
    requests.insert(request.hashValue)
    numbered.begin(request)
    ground = KnownGround(from: top, asked: place.top, to: head.bottom, isPageTop: number == nil)
  }

  // MARK: The page below the tail

  override func goOn(below head: FeedRun, _ tail: KnownPage) throws(StoreError) -> Action? {
    let isFresh = last.top == tail.top
    if isFresh {
      // Below a lost gap, the feed goes on.
      if head.lowerEnd == .end || (head.lowerEnd == .lost && tail.next == nil) { return end() }
      if let action = try closeTail(head, tail) { return action }
    }
    if endIfEnough() { return nil }
    if !isFresh { return try searchTail(head) }
    return fetchNext(tail.next)
  }

  /// Requests the page that should show the tail.
  private func searchTail(_ head: FeedRun) throws(StoreError) -> Action? {
    search = TailSearch()
    var number: Int?
    if let numbering = options.numbering {
      var count = try store.liveCount(in: head.range)
      // Known items may have been deleted. A total of less than half may count pages.
      if let total = numbered.total, total > count / 2 { count = min(count, total) }
      if count > 0 { number = numbered.tailNumber(numbering, count: count, proof: options.proof) }
      number = number ?? 0
      search.goUp()
    }
    return try ask(number, of: head, isConditional: true)
  }

  /// Requests a page in which the tail is looked for.
  /// - Parameter number: its number; nil for the place that the search is at.
  private func ask(_ number: Int?, of head: FeedRun, isConditional: Bool = false) throws(StoreError) -> Action? {
    if tailCount >= Self.staleLimit { return end(Self.changesTooFast) }
    tailCount += 1
    let place = try search.place(in: head, options, store)
    let request = number.map(options.numberedRequest) ?? place.request
    // If an empty page comes after the tail, more may come after that.
    var etag: [UInt8]?
    if isConditional, let tail = try store.lastLive(in: head.range),
      try store.lastPage(in: head.range)?.top ?? .max <= tail
    {
      etag = try self.etag(for: request)
    }
    return fetch(request, .again(place, number: number), ifNoneMatch: etag)
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
