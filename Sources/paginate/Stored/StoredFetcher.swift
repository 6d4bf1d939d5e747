// Pages for a feed in a store: the store keeps requests as JSON without secrets, and this makes requests of them again.

import FeedCore
import FeedHTTP

/// Where the pages of a stored feed come from.
protocol StoredSource: PageFetcher {
  /// What was detected from the pages; nil before the first.
  var shape: Shape? { get }
  /// The full failure.
  var failure: ToolFailure? { get }
  /// The error that a page reports although it has items.
  var complaint: ToolFailure? { get }
  var since: SinceReader? { get }
  /// Whether a page has been read.
  var hasRead: Bool { get }
  /// Seconds for which the server wants no request, if that ended the walk.
  var retryWait: Int? { get }
}

struct StoredFetcher: StoredSource {
  private var feed: PageFeed
  private let secrets: SecretParameters
  /// The method of the first request; stored requests cannot change it.
  private let method: String
  private let store: Options.Store
  /// `--stop-before`.
  private let until: Condition?
  private(set) var since: SinceReader?
  /// The first request, without the parameter of `--since`.
  var whole: PageRequest?
  /// Prints the note that the feed is open, with the first valid answer; nil if there is nothing to note any more.
  var opening: NotePrinter?
  private(set) var failure: ToolFailure?
  private(set) var complaint: ToolFailure?

  init(
    _ feed: PageFeed, _ secrets: SecretParameters, method: String, until: Condition?, since: SinceReader?,
    store: Options.Store
  ) {
    self.feed = feed
    self.method = method
    self.until = until
    self.since = since
    self.store = store
    self.secrets = secrets
  }

  var shape: Shape? { feed.walker.shape }
  var hasRead: Bool { feed.walker.pages > 0 }
  var retryWait: Int? { feed.retryWait }
  var source: PageSource { feed.source }

  mutating func hold(until deadline: Double, _ url: HTTPURL) throws(ToolFailure) {
    try feed.hold(until: deadline, url)
  }

  mutating func fetch(_ request: [UInt8], ifNoneMatch: [UInt8]?) -> FeedAnswer {
    failure = nil
    do throws(ToolFailure) {
      guard var stored = PageRequest(json: request) else {
        throw store.failure(StoreError.damaged("a request in it cannot be read").message)
      }
      // A body of the rules makes a POST of a GET. Nothing else changes the method.
      let isPost = stored.method == "POST" && stored.body != nil && method == "GET"
      if !isPost { stored.method = method }
      let asked = secrets.restored(stored)
      try checkOrigin(of: asked)
      // The pages of an earlier run lead on without the parameter of this run.
      if let whole, let since {
        feed.walker.first = since.isApplied(to: asked, whole) ? (try? since.applied(to: whole)) ?? whole : whole
      }
      guard var read = try read(asked, request, ifNoneMatch: ifNoneMatch) else {
        try noteOpen(asked)
        return .notModified
      }
      // Only now, when the tape of a page that may have a million items is no longer in memory.
      read.page.items = read.items.all
      if let newer = read.newer {
        for (index, isNewer) in newer.enumerated() { read.page.items[index].isNewer = isNewer }
        read.page.mark = since?.mark
      }
      try noteOpen(asked)
      return .page(read.page)
    } catch {
      failure = error
      var failed = FeedFailure(status: error.status, message: error.message)
      if case .status(let head) = source.failureKind { failed.isForgotten = [400, 404, 410].contains(head.status) }
      return .failed(failed)
    }
  }

  private mutating func noteOpen(_ request: PageRequest) throws(ToolFailure) {
    try opening?.print(.open, PageSource.url(of: request).display)
    opening = nil
  }

  /// A page without its items, and what is to become of them.
  private struct Read {
    var page: FeedPage
    let items: ItemTexts
    let newer: [Bool]?
  }

  private mutating func read(
    _ asked: PageRequest, _ request: [UInt8], ifNoneMatch: [UInt8]?
  ) throws(ToolFailure) -> Read? {
    let knowsID = feed.walker.options.id != nil || shape?.id != nil
    guard let found = try feed.fetch(asked, ifNoneMatch: ifNoneMatch) else { return nil }
    if !knowsID, let id = shape?.id {
      feed.note("using \(id.shown) as the id of an item (--id)", found.answer.url)
    }
    let page = page(found, request)
    return Read(page: page, items: ItemTexts(found.step.page), newer: try readMarks(found))
  }

  /// A store may have been made with another URL.
  private func checkOrigin(of request: PageRequest) throws(ToolFailure) {
    guard let origin = feed.walker.origin else { return }
    do { _ = try origin.target(of: request.url, from: origin.home) } catch {
      throw error.failure(in: origin.home.display, page: feed.walker.pages + 1, isLocal: false)
    }
  }

  /// Reads the values of `--since`.
  private mutating func readMarks(_ found: PageFeed.Fetched) throws(ToolFailure) -> [Bool]? {
    let origin = feed.walker.origin
    do throws(WalkError) {
      return try since?.read(found.step.page, found.answer.head) { (link) throws(WalkError) in
        guard let target = try origin?.target(of: link, from: found.answer.url) else { return link }
        return Array(target.text.utf8)
      }
    } catch {
      throw feed.failure(error, after: found)
    }
  }

  private mutating func page(_ found: PageFeed.Fetched, _ request: [UInt8]) -> FeedPage {
    complaint = found.complaint ?? complaint
    let step = found.step
    var page = FeedPage(items: [])
    let total = step.page.counts.items ?? step.page.counts.pages
    page.total = total.flatMap { NumberedPages.int($0.value) }
    page.countsPages = total?.unit == .pages
    page.etag = found.answer.head.value(of: "etag")
    if let until { page.end = step.page.items.firstIndex { until.holds(for: $0.value) } }
    switch step.outcome {
    case .next(let next): page.next = secrets.redacted(next).json
    case .end(.open(let reason)): complaint = .failed(.no, reason, source: found.answer.url.display)
    case .end(.incomplete(let reason)):
      // A later run reads the page again, perhaps with another rule.
      failure = .failed(.no, reason, source: found.answer.url.display)
      page.next = request
    case .link, .part, .end: break
    case .failure(let error):
      // The items are valid. The walk ends because the page leads to itself, and this is the reason.
      failure = feed.failure(error, after: found)
      page.next = request
    }
    return page
  }
}
