// Pages from a server, for a feed that is kept or not. What leads to a page is kept as JSON, without secrets if it is kept
// in a store; this makes requests of it again.

import FeedCore
import FeedHTTP

/// Where the pages of a feed come from.
protocol PageOrigin: PageFetcher {
  /// What was detected from the pages; nil before the first.
  var shape: Shape? { get }
  /// The full failure.
  var failure: ToolFailure? { get }
  /// The error that a page reports although it has items.
  var complaint: ToolFailure? { get }
  /// Why nobody knows whether the pages are the whole feed.
  var doubt: ToolFailure? { get }
  var since: SinceReader? { get }
  /// Whether a page has been read.
  var hasRead: Bool { get }
  /// Seconds for which the server wants no request, if that ended the walk.
  var retryWait: Int? { get }
}

extension PageOrigin {
  /// The exit status of a run.
  /// - Parameter other: the failure that does not come from a page.
  /// - Throws: the worst of what is wrong, after telling the rest.
  func status(
    _ outcome: FeedOutcome, _ streams: StandardStreams, other: (FeedFailure) -> ToolFailure
  ) throws(ToolFailure) -> ExitStatus {
    let ended = outcome.failure.map { failure ?? other($0) }
    let wrong = [ended ?? (outcome.isStopped ? nil : doubt), complaint].compactMap(\.self)
    guard let worst = wrong.max(by: { $0.status.rawValue < $1.status.rawValue }) else { return outcome.status }
    for failure in wrong where failure != worst { streams.say(failure.diagnostic) }
    throw worst
  }
}

extension FeedPage {
  /// What the engine needs of a page. Its items are added later.
  /// - Parameters:
  ///   - rules: how the next page is requested; nil if it is not.
  ///   - request: the one for the page.
  ///   - next: the one that the page leads to.
  ///   - failure: why the walk cannot go on.
  init(
    _ step: Walker.Step, by rules: NextRules?, of request: [UInt8], next: [UInt8]?, _ failure: FeedFailure?
  ) {
    self.init(items: [], end: step.end)
    isNumbered = rules?.counting != nil
    let count = step.page.counts.items ?? step.page.counts.pages
    total = count.flatMap { NumberedPages.int($0.value) }
    countsPages = count?.unit == .pages
    // If the walk cannot go on, a later run reads the page again, perhaps with another rule.
    self.failure = failure
    self.next = failure == nil ? next : request
  }

  /// Whether the page itself is the item, for `--pages`.
  mutating func becomeItem(_ page: Page) {
    wholeCount = page.items.count
    if end != nil { end = 1 }
  }
}

struct ServerFetcher: PageOrigin {
  private var feed: PageFeed
  /// Nil if requests are not kept.
  private let secrets: SecretParameters?
  private let printsPages: Bool
  /// The first request, and the one of the command line, without the parameter of `--since`.
  private let first, given: PageRequest
  private(set) var since: SinceReader?
  /// Prints the note that the feed is open, with the first valid answer; nil if there is nothing to note any more.
  var opening: NotePrinter?
  /// The request that the last page led to, and what is kept of it.
  private var next: (json: [UInt8], request: PageRequest)?
  /// What said how many items there are.
  private var totalSource: PageCounts.Source?
  private(set) var failure: ToolFailure?
  private(set) var complaint: ToolFailure?
  private(set) var doubt: ToolFailure?

  /// - Parameters:
  ///   - first: the first request.
  ///   - given: the one of the command line.
  ///   - secrets: what is left out of requests that are kept; nil if none are.
  init(
    _ feed: PageFeed, _ first: PageRequest, of given: PageRequest, since: SinceReader? = nil,
    keepingNo secrets: SecretParameters? = nil, printsPages: Bool = false
  ) {
    (self.feed, self.first, self.given) = (feed, first, given)
    (self.since, self.secrets, self.printsPages) = (since, secrets, printsPages)
  }

  var shape: Shape? { feed.walker.shape }
  var hasRead: Bool { feed.walker.pages > 0 }
  var retryWait: Int? { feed.retryWait }
  var source: PageSource { feed.source }

  mutating func hold(until deadline: Double, _ url: HTTPURL) throws(ToolFailure) {
    try feed.hold(until: deadline, url)
  }

  // MARK: Requests

  /// What is kept of a request.
  func json(_ request: PageRequest) -> [UInt8] { (secrets?.redacted(request) ?? request).json }

  /// - Returns: nil if a store is damaged.
  private func request(_ json: [UInt8]) -> PageRequest? {
    if secrets == nil, let next, next.json == json { return next.request }
    if secrets == nil, json == first.json { return first }
    guard var stored = PageRequest(json: json) else { return nil }
    // A body of the rules makes a POST of a GET. Nothing else changes the method.
    let isPost = stored.method == "POST" && stored.body != nil && first.method == "GET"
    if !isPost { stored.method = first.method }
    return secrets?.restored(stored) ?? stored
  }

  // MARK: Pages

  mutating func fetch(_ request: [UInt8], ifNoneMatch: [UInt8]?, after progress: WalkProgress) -> FeedAnswer {
    failure = nil
    guard let asked = self.request(request) else {
      return .failed(
        FeedFailure(status: .trouble, message: StoreError.damaged("a request in it cannot be read").message))
    }
    do throws(ToolFailure) {
      // A page of this run leads to no other place, but a store may have been made with another URL.
      if next?.json != request { try checkOrigin(of: asked) }
      // The pages of an earlier run lead on without the parameter of this run.
      if let since {
        feed.walker.first = since.isApplied(to: asked, given) ? (try? since.applied(to: given)) ?? given : given
      }
      guard var read = try read(asked, request, ifNoneMatch: ifNoneMatch, progress) else {
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
    _ asked: PageRequest, _ request: [UInt8], ifNoneMatch: [UInt8]?, _ progress: WalkProgress
  ) throws(ToolFailure) -> Read? {
    let findsID = feed.walker.options.findsID && shape?.id == nil
    guard let found = try feed.fetch(asked, ifNoneMatch: ifNoneMatch, after: progress) else { return nil }
    if findsID, let id = shape?.id {
      feed.note("using \(id.shown) as the id of an item (--id)", found.answer.url)
    }
    let page = page(found, request)
    return Read(
      page: page,
      items: page.wholeCount == nil ? ItemTexts(found.step.page) : ItemTexts(whole: found.step.page),
      newer: try readMarks(found))
  }

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
    if let new = found.complaint {
      if let complaint { feed.source.streams.say(complaint.diagnostic) }
      complaint = new
    }
    let (step, url) = (found.step, found.answer.url.display)
    switch step.outcome {
    case .next(let request): next = (json(request), request)
    case .failure(let error): failure = feed.failure(error, after: found)
    case .end(.incomplete(let reason)): failure = .failed(.no, reason, source: url)
    case .end(.open(let reason)): doubt = .failed(.no, reason, source: url)
    case .link, .part, .end: break
    }
    var page = FeedPage(
      step, by: shape?.next, of: request, next: step.outcome.continues ? next?.json : nil,
      failure.map { FeedFailure(status: $0.status, message: $0.message) })
    // Another count may count something else.
    let source = (step.page.counts.items ?? step.page.counts.pages)?.source
    if let totalSource, source != totalSource { page.total = nil }
    totalSource = source
    page.etag = found.answer.head.value(of: "etag")
    if printsPages, step.outcome != .end(.pastEnd) { page.becomeItem(step.page) }
    return page
  }
}
