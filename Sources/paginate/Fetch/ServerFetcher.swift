import FeedCore
import FeedHTTP

/// A fetcher that says more than the engine needs, for messages, the exit status and the store.
protocol ReportingFetcher: PageFetcher {
  /// What was detected from the pages; nil before the first.
  var shape: Shape? { get }
  /// The failure of the last request, with its place.
  var failure: ToolFailure? { get }
  /// Why a page that was read may lack items.
  var complaint: ToolFailure? { get }
  /// Why nobody knows whether the pages are the whole feed.
  var doubt: ToolFailure? { get }
  var since: SinceReader? { get }
  /// What a refusal gives in place of a value of `--since` that the server has forgotten.
  var newMark: SinceMark? { get }
  /// Whether a page has been read.
  var hasRead: Bool { get }
  /// Seconds for which the server wants no request, if that ended the walk.
  var retryWait: Int? { get }
}

extension ReportingFetcher {
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

/// Pages from a server, with or without a store. The engine knows a request only as JSON, which in a store has no secrets.
/// Here it becomes a request again. A class, since it is large: copies of it in each frame took 270 KB of the stack.
final class ServerFetcher: ReportingFetcher {
  private var walker: Walker
  let source: PageSource
  private var numbered: ShiftingPages
  /// The request of the command line, and the first one, which may have the parameter of `--since` too.
  private let given, first: PageRequest
  /// Nil if requests are not kept.
  private let secrets: SecretParameters?
  private let printsPages: Bool
  /// The most bytes of a page, with all its parts.
  private let maxSize: Int
  private(set) var since: SinceReader?
  private(set) var newMark: SinceMark?
  /// Prints the note that the feed is open, with the first valid response; nil if there is nothing to note any more.
  var opening: NotePrinter?
  /// The request that the last page led to, and what is kept of it.
  private(set) var next: (json: [UInt8], request: PageRequest)?
  /// What said how many items there are.
  private var totalSource: PageCounts.CountSource?
  private(set) var failure: ToolFailure?
  private(set) var complaint: ToolFailure?
  private(set) var doubt: ToolFailure?

  /// - Parameters:
  ///   - walk: a store may have filled in some options.
  ///   - given: the request of the command line, whose origin gets its secrets.
  ///   - first: the first request, if it is another one.
  ///   - secrets: the values that no message may quote.
  init(
    _ walk: WalkOptions, _ options: Options, _ given: PageRequest, first: PageRequest? = nil, since: SinceReader? = nil,
    hiding secrets: SecretParameters, _ client: HTTPClient, _ streams: StandardStreams
  ) throws(ToolFailure) {
    (self.given, self.first, self.since) = (given, first ?? given, since)
    self.secrets = options.store == nil ? nil : secrets
    printsPages = options.form == .pages
    maxSize = options.maxSize
    var pageOptions = options
    pageOptions.walk = walk
    walker = try Walker(walk, asking: given)
    walker.first = self.first
    guard let origin = walker.origin else { throw .usage("no URL given") }
    source = try PageSource(pageOptions, origin, secrets, client, streams)
    numbered = ShiftingPages(options)
  }

  var shape: Shape? { walker.shape }
  var hasRead: Bool { walker.pages > 0 }
  var retryWait: Int? { source.retryWait }

  // MARK: Requests

  /// - Returns: nil if a store is damaged.
  private func request(_ json: [UInt8]) -> PageRequest? {
    if secrets == nil, json == next?.json { return next?.request }
    if secrets == nil, json == first.json { return first }
    guard var stored = PageRequest(json: json) else { return nil }
    // A body of the rules makes a POST of a GET. Nothing else changes the method.
    let isPost = stored.method == "POST" && stored.body != nil && first.method == "GET"
    if !isPost { stored.method = first.method }
    return secrets?.restored(stored) ?? stored
  }

  /// - Throws: if a stored request must not be made with this command line, because it leads to another origin.
  private func checkOrigin(of request: PageRequest) throws(ToolFailure) {
    guard let origin = walker.origin else { return }
    do { _ = try origin.target(of: request.url, from: origin.home) } catch {
      throw error.failure(in: origin.home.display, page: walker.pages + 1, isLocal: false)
    }
  }

  // MARK: Pages that were requested ahead

  /// Requests a page.
  private func response(
    to request: PageRequest, ifNoneMatch: [UInt8]?, _ endStatuses: StatusSet
  ) throws(ToolFailure) -> PageSource.ServedPage? {
    let ahead = numbered.ahead(of: request)
    let response = try source.page(request, ifNoneMatch: ifNoneMatch, endStatuses: endStatuses, ahead: ahead)
    guard let found = response, found.document != nil else { return response }
    guard numbered.mayBeEarly(request) else { return found }
    let fits = read(found).map { numbered.continuity.fits($0) } ?? false
    if numbered.judge(fits: fits) { source.slowDown(because: "the feed changes fast") }
    if fits { return found }
    // The requests that were made together with this one may have been answered before it.
    source.forget(because: "the feed has changed")
    guard found.wasAhead else { return found }
    source.log("the feed has changed, reading the page again", found.response.url)
    return try again(request)
  }

  /// The page that there is now, whatever was requested ahead.
  private func again(_ request: PageRequest) throws(ToolFailure) -> PageSource.ServedPage {
    guard let found = try source.page(request) else {
      throw .failed(.remote, "unexpected HTTP 304", source: source.home.display)
    }
    return found
  }

  /// The page in a response; nil if it cannot be read, which the walker reports.
  private func read(_ found: PageSource.ServedPage) -> Page? {
    guard let document = found.document else { return nil }
    return try? walker.shape?.read(document, found.response.head)
  }

  /// Decides which pages to request ahead.
  /// - Parameter wanted: how many more items are wanted; nil for all.
  private func plan(after step: Walker.Step, of request: PageRequest, _ response: HTTPResponse, wanted: Int?) {
    let hadReason = numbered.reasonAgainst != nil
    numbered.add(step, of: request, walker.shape, wanted: wanted)
    if let reason = numbered.reasonAgainst, !hadReason {
      source.note("one request at a time (--parallel): \(reason)", response.url)
    }
  }

  // MARK: Pages

  func fetch(_ request: [UInt8], ifNoneMatch: [UInt8]?, after progress: WalkProgress) -> FeedResponse {
    failure = nil
    guard let asked = self.request(request) else {
      return .failed(FeedFailure(status: .error, message: StoreError.damaged("a request in it cannot be read").message))
    }
    do throws(ToolFailure) {
      // A page of this run leads to no other place, but a store may have been made with another URL.
      if next?.json != request { try checkOrigin(of: asked) }
      // The pages of an earlier run lead on without the parameter of this run.
      if let since {
        walker.first = since.isApplied(to: asked, given) ? (try? since.applied(to: given)) ?? given : given
      }
      let read = try read(asked, request, ifNoneMatch: ifNoneMatch, progress)
      try opening?.print(.open, PageSource.url(of: asked).display)
      opening = nil
      guard var read else { return .notModified }
      // Only now, when the tape of a page that may have a million items is no longer in memory.
      read.page.items = read.items.all
      if let newer = read.newer {
        for (index, isNewer) in newer.enumerated() { read.page.items[index].isNewer = isNewer }
        read.page.mark = since?.mark
      }
      return .page(read.page)
    } catch {
      failure = error
      var failed = FeedFailure(status: error.status, message: error.message)
      if case .status(let head) = source.failureKind {
        failed.isForgotten = walker.options.goneStatuses.contains(head.status)
        // Asana refuses a value that it has forgotten with a new one.
        if failed.isForgotten, let refused = source.refused { newMark = since?.mark(in: refused) }
        if !failed.isForgotten, walker.pages == 0, since?.isFiltered == true, (400..<500).contains(head.status),
          ![401, 403, 407, 408, 429].contains(head.status)
        {
          failure = error.adding(
            "; if the server has forgotten the value of --since, type --gone \(head.status), or --full")
        }
      }
      return .failed(failed)
    }
  }

  /// - Returns: the page without its items, what is to become of them, and which of them are newer than the mark of
  ///   `--since`; nil if the page has not changed (304).
  private func read(
    _ request: PageRequest, _ json: [UInt8], ifNoneMatch: [UInt8]?, _ progress: WalkProgress
  ) throws(ToolFailure) -> (page: FeedPage, items: ItemTexts, newer: [Bool]?)? {
    // The first page is never past the end: an error there is an error.
    var endStatuses = request == first ? .none : walker.options.endStatuses
    // One page more than a header says.
    if walker.isAtEnd, request != first { endStatuses = endStatuses.union(StatusSet(400, 404, 416, 422)) }
    let isFirst = walker.shape == nil
    guard let found = try response(to: request, ifNoneMatch: ifNoneMatch, endStatuses) else { return nil }
    guard let document = found.document else {
      var page = FeedPage(items: [])
      if case .incomplete(let reason) = walker.end(after: progress) {
        failure = .failed(.no, reason, source: found.response.url.display)
        page.failure = failure.map { FeedFailure(status: $0.status, message: $0.message) }
        page.next = json
      }
      return (page, ItemTexts([]), nil)
    }
    // If the page is refused, what it has shown helps most.
    defer { if isFirst { log(found.response.url) } }
    let step = try step(request, found.response, document, numbered.counting(progress, request))
    let count = step.page.items.count
    plan(after: step, of: request, found.response, wanted: progress.wanted.map { max($0 - count, 0) })
    source.progress.items += count
    let page = page(step, of: json, found.response)
    let items = printsPages ? ItemTexts(whole: step.page) : ItemTexts(step.page)
    return (page, items, try readMarks(step.page, found.response))
  }

  /// Takes a page, and asks for its other parts before it is whole.
  private func step(
    _ request: PageRequest, _ response: HTTPResponse, _ document: JSONDocument, _ progress: WalkProgress
  ) throws(ToolFailure) -> Walker.Step {
    var (request, response, document) = (request, response, document)
    var size = 0
    // A server may send a page in any number of parts.
    while true {
      size += document.bytes.count
      if size > maxSize {
        let text = "the parts of the page have more than \(maxSize) bytes together (--max-size)"
        throw .failed(.remote, text, source: response.url.display, record: "page \(walker.pages + 1)")
      }
      let step: Walker.Step
      do { step = try walker.take(request, response.head, document, from: response.url, after: progress) } catch {
        throw source.failure(error, response, page: walker.pages + 1)
      }
      guard case .part(let next) = step.outcome else { return step }
      guard let part = try source.page(next), let content = part.document else {
        throw .failed(.remote, "unexpected HTTP 304", source: source.home.display)
      }
      (request, response, document) = (next, part.response, content)
    }
  }

  /// What the engine is told.
  private func page(_ step: Walker.Step, of request: [UInt8], _ response: HTTPResponse) -> FeedPage {
    let url = response.url.display
    if let text = step.complaint {
      let found = source.safe(.failed(.no, text, source: url, record: "page \(walker.pages)"), about: response)
      if complaint != nil { source.log(found.message, response.url) }
      complaint = complaint ?? found
    }
    switch step.outcome {
    case .next(let request):
      next = ((secrets?.redacted(request) ?? request).json, request)
      if walker.isSecured { source.log("the next link is of http, asked for by https", response.url) }
    case .failure(let error): failure = source.failure(error, response, page: walker.pages)
    case .end(.incomplete(let reason)): failure = .failed(.no, reason, source: url)
    case .end(.open(let reason)): doubt = .failed(.no, reason, source: url)
    case .end:
      failure = sameSince(step.page).map { .failed(.no, $0, source: url) }
      if failure == nil, let lacking = walker.lackingOnlyPage {
        source.log("the page \(lacking) (--next), so it is the only one", response.url)
      }
    case .link, .part: break
    }
    var page = FeedPage(
      step, by: shape?.next, of: request, next: step.outcome.continues ? next?.json : nil,
      failure.map { FeedFailure(status: $0.status, message: $0.message) })
    page.isUncertain = step.complaint != nil || failure != nil
    // An uncertain page is read again.
    if !page.isUncertain { page.etag = response.head.value(of: "etag") }
    // Another count may count something else.
    let counted = (step.page.counts.items ?? step.page.counts.pages)?.source
    if let totalSource, counted != totalSource { page.total = nil }
    totalSource = counted
    // The page is its only item, and is printed whole.
    if printsPages, page.end != nil { page.end = 1 }
    return page
  }

  /// Why every later run would get this page again: its items all have the value that the next one sends.
  private func sameSince(_ page: Page) -> String? {
    guard let since, since.isFiltered, let place = walker.options.since?.same(page.items.map(\.value)),
      QueryString(first.url).pairs.contains(where: { PageFacts.isLimit($0.name, $0.value, page.items.count) })
    else { return nil }
    return "all \(page.items.count) items of the page have this value at \(place): ask for larger pages"
  }

  /// Reads the values of `--since`.
  private func readMarks(_ page: Page, _ response: HTTPResponse) throws(ToolFailure) -> [Bool]? {
    let origin = walker.origin
    do throws(NextError) {
      return try since?.read(page, response.head) { (link) throws(NextError) in
        guard let target = try origin?.target(of: link, from: response.url) else { return link }
        return Array(target.text.utf8)
      }
    } catch { throw source.failure(error, response, page: walker.pages) }
  }

  /// Says what the first page has shown.
  private func log(_ url: HTTPURL) {
    source.log(shape, beyond: walker.options, url)
    if walker.options.findsID, hasRead, let id = shape?.id {
      source.note("using \(id.shown) as the id of an item (--id-from)", url)
    }
  }
}

extension FeedPage {
  /// What the engine needs of a page. Its items are added later.
  /// - Parameters:
  ///   - rules: how the next page is requested; nil if it is not.
  ///   - request: the one for the page.
  ///   - next: the one that the page leads to.
  ///   - failure: why the walk cannot go on.
  init(_ step: Walker.Step, by rules: NextRules?, of request: [UInt8], next: [UInt8]?, _ failure: FeedFailure?) {
    self.init(items: [], end: step.end)
    isNumbered = rules?.deciding?.counter != nil
    let count = step.page.counts.items ?? step.page.counts.pages
    total = count.flatMap { NumberedPages.int($0.value) }
    countsPages = count?.countsPages == true
    // If the walk cannot go on, a later run reads the page again, perhaps with another rule.
    self.failure = failure
    self.next = failure == nil ? next : request
  }
}
