// The walk: a response goes in, a page and the next request come out. It learns what the API looks like. It neither makes
// the requests nor decides which items are printed, and what was read before is for its caller to say.

import FeedCore
import FeedHTTP

/// What the caller of a walk knows when a page comes.
struct WalkProgress {
  /// How many items have come with the page, each counted once; nil if this is not known.
  var received: (Page) -> Int? = { _ in nil }
  /// How many items of the feed are known, with the page, from its top down to the page; nil if that cannot be told.
  var held: (Page) -> Int? = { _ in nil }
  /// Whether earlier runs have read a part of the feed.
  var isKept = false
  /// Whether an item that came before is not printed again.
  var dedupes = false
  /// Whether an item has not come before.
  var isNew: (PageItem) -> Bool = { _ in true }
  /// How many more items are wanted; nil for all.
  var wanted: Int?
  /// Whether the page may have been read before, and is asked for on purpose.
  var isAgain = false
}

/// A walk through a feed, page by page.
struct Walker: Sendable {
  /// The result of a page.
  struct Step: Sendable {
    let page: Page
    var outcome: WalkOutcome
    /// The index of the first item with which to end (`--stop-before`).
    var end: Int?
    /// What makes it uncertain that the page has all its items, for a message; nil if nothing does.
    var complaint: String?
  }

  /// How a walk goes on after a page.
  enum WalkOutcome: Equatable, Sendable {
    case next(PageRequest)
    /// The page is a part of one: the request for the next part.
    case part(PageRequest)
    /// Without a first request: the next link, to be printed.
    case link([UInt8])
    case end(WalkEnding)
    /// The items are valid, but there is no way to go on.
    case failure(NextError)

    var continues: Bool {
      switch self {
      case .next, .part, .link: true
      case .end, .failure: false
      }
    }
  }

  let options: WalkOptions
  /// Nil until a page has come.
  private(set) var shape: Shape?
  /// Where links may lead; nil without a first request.
  let origin: OriginRules?
  /// How many pages were read.
  private(set) var pages = 0

  /// The first request of the walk; nil if pages are only read. Every other request is made from it.
  var first: PageRequest?
  /// The URL of the last page; nil without a request.
  private var url: HTTPURL?
  private var loops = LoopGuard()
  /// Whether any page had something at the place of its items.
  private var hasMetItems = false
  /// The parts of the page that have come.
  private var parts: [Page] = []
  /// How many pages have come from the first one in a row, how many items were on them, and the request that the last one
  /// led to; nil if pages were left out or read again.
  private(set) var inARow: (next: PageRequest?, pages: Int, items: Int)?
  /// The least total of the feed that a page has had.
  private(set) var least: PageCounts.Count?
  /// What the only page lacks, without which there is no other one: `has nothing at /next`.
  var lackingOnlyPage: String?
  /// The most items that a page has had.
  private(set) var largest = 0
  /// Whether the next link is asked for by https although it says http.
  private(set) var isSecured = false
  /// Whether the next page will probably not be there: a header says that all is read.
  private(set) var isAtEnd = false

  /// - Parameter first: the request of the command line; nil if pages are only read, not requested.
  init(_ options: WalkOptions, first: PageRequest?) throws(NextError) {
    try options.check(first)
    self.options = options
    self.first = first
    guard let first else {
      origin = nil
      return
    }
    do throws(HTTPURL.Invalid) {
      origin = OriginRules(home: try HTTPURL(first.url), allowed: options.allowedHosts, trusted: options.trustedHosts)
    } catch { throw .usage("the URL is malformed") }
  }

  /// Reads a page.
  /// - Parameters:
  ///   - request: the request for the page; nil if pages come from a file.
  ///   - head: the head of its response; nil if pages come from a file.
  ///   - base: the URL that the page came from, after redirects (RFC 3986 §5.1.3); nil for the request's URL.
  /// - Throws: if the page lacks what it should have. None of its items may be printed then.
  mutating func take(
    _ request: PageRequest? = nil, _ head: HTTPHead? = nil, _ document: JSONDocument, from base: HTTPURL? = nil,
    after progress: WalkProgress = WalkProgress()
  ) throws(NextError) -> Step {
    let request = request ?? first
    url = base ?? request.flatMap { try? HTTPURL($0.url) }
    var shape = self.shape ?? Shape(options)
    try shape.learn(from: document, head, request, isFirstRequest: request == first, url, options)
    var page = try shape.read(document, head, mayLackItems: mayLackItems(document, shape, head, request))
    self.shape = shape
    if shape.items.flatMap({ document.root.value(at: $0) }) != nil { hasMetItems = true }
    if let request, let head, let items = shape.items {
      if ItemParts.isPart(document.root, items: items) { return try part(page, shape, response(page, request, head)) }
      if !parts.isEmpty { page = try joined(page, shape, head, items) }
    }
    let complaint = try complaint(of: page, request)
    pages += 1
    count(page, request)
    var step = Step(page: page, outcome: try outcome(shape, page, request, head, progress))
    if let until = options.stopBefore { step.end = page.items.firstIndex { until.holds(for: $0.value) } }
    if case .next(let next) = step.outcome { inARow?.next = next } else { inARow = nil }
    step.complaint = complaint
    if let failure = failure(of: document) { step.outcome = .failure(failure) }
    // If the place of the items is unknown, the page must not be the last one, nor have something that may be items.
    let isUnknown =
      shape.items == nil
      && (!step.outcome.continues || (!options.findsLink && ItemArray.scalars(in: document.root) != nil))
    if isUnknown, !AbsentItems.isPlainlyEmpty(document.root) {
      throw .usage(
        EventRecord.isUnmistakable(document.root)
          ? "this is an event record, and paginate reads pages (sse-cat --raw prints only the data)"
          : "cannot tell which array holds the items (\(Self.placeOfItems(document.root))): the page is "
            + ItemArray.described(document.root))
    }
    return step
  }

  /// What the rules look at.
  private func response(_ page: Page, _ request: PageRequest, _ head: HTTPHead?) -> NextResponse {
    NextResponse(
      head: head, root: page.root, request: request, first: first ?? request, url: url, count: page.items.count
    ) { (page.items[$0].value, page.items[$0].id) }
  }

  /// How the walk goes on.
  private mutating func outcome(
    _ shape: Shape, _ page: Page, _ request: PageRequest?, _ head: HTTPHead?, _ progress: WalkProgress
  ) throws(NextError) -> WalkOutcome {
    guard let request, origin != nil else {
      return options.findsLink ? try link(shape, page, progress) : .end(.noNext)
    }
    do { return try outcome(shape, page, response(page, request, head), progress) } catch {
      // If no more items are wanted than the page has, nobody asks how it goes on.
      let isEnough = progress.wanted.map { page.items.count >= $0 } ?? false
      if isEnough || options.stopBefore.map({ until in page.items.contains { until.holds(for: $0.value) } }) == true {
        return .failure(error)
      }
      // The page is refused.
      pages -= 1
      throw error
    }
  }

  /// Keeps a part of a page. Nothing of it is printed before the others have come.
  private mutating func part(_ page: Page, _ shape: Shape, _ response: NextResponse) throws(NextError) -> Step {
    guard shape.hasIDs else {
      throw .usage("the items of this API come in parts, so their id must be known: type --id-from /pageid")
    }
    parts.append(page)
    var step = Step(
      page: Page(document: page.document), outcome: try outcome(shape, page, response, WalkProgress()))
    if case .next(let next) = step.outcome { step.outcome = .part(next) }
    return step
  }

  /// The whole page, of which the last part has come.
  private mutating func joined(
    _ last: Page, _ shape: Shape, _ head: HTTPHead, _ items: JSONPointer
  ) throws(NextError) -> Page {
    defer { parts = [] }
    do { return try shape.read(ItemParts.joined(parts + [last], items: items), head) } catch let error as NextError {
      throw error
    } catch { throw .response("the parts of this page do not fit together", at: 0) }
  }

  /// The options that can say where the items are. Without an array, they may be the members of an object.
  private static func placeOfItems(_ root: JSONValue) -> String {
    if let only = ItemArray.scalars(in: root) { return "--items \(typed(only.text))" }
    let hasObject = root.kind == .object && root.children.contains { $0.value.kind == .object }
    return hasObject ? "--items or --items members:" : "--items"
  }

  /// Counts a page.
  private mutating func count(_ page: Page, _ request: PageRequest?) {
    let before: (next: PageRequest?, pages: Int, items: Int)? =
      request == first ? (nil, 0, 0) : inARow?.next == request ? inARow : nil
    inARow = before.map { (nil, $0.pages + 1, $0.items + page.items.count) }
    largest = max(largest, page.items.count)
    if let total = page.counts.items ?? page.counts.all, total.isWhole, least.map({ total.value < $0.value }) ?? true {
      least = total
    }
  }

  /// The end of a walk because the server has no page for its request.
  mutating func end(after progress: WalkProgress) -> WalkEnding {
    ending(.noPage, Page(document: JSONDocument(known: Array("[]".utf8))), progress)
  }

  // MARK: Items

  /// Whether a page with nothing at the place of its items counts as empty.
  private func mayLackItems(
    _ document: JSONDocument, _ shape: Shape, _ head: HTTPHead?, _ request: PageRequest?
  ) -> Bool {
    let root = document.root
    guard let pointer = shape.items, root.value(at: pointer) == nil, AbsentItems.areLeftOut(at: pointer, of: root),
      !AbsentItems.isError(root)
    else { return false }
    // Without its items, a later page is empty, unless they stand in another place.
    if hasMetItems || options.hasKnownItems { return !AbsentItems.hasObjects(root) }
    var hasNext = false
    if let rules = shape.next, rules.isInPage, let request {
      hasNext = (try? rules.step(after: response(Page(document: document), request, head))).flatMap(\.self) != nil
    }
    return AbsentItems.areShown(by: root, at: pointer, total: shape.total, hasNext: hasNext)
  }

  // MARK: What a page says about itself

  /// What makes it uncertain that a page has all its items.
  /// - Throws: if it says that it failed, and has none: then it is neither an end, nor a proof that items are gone.
  private func complaint(of page: Page, _ request: PageRequest?) throws(NextError) -> String? {
    if options.failMatches.contains(nil) { return nil }
    let asksForFailures = request.map { QueryString($0.url).pairs.contains { Complaint.isFailure($0.value) } } ?? false
    let found = Complaint(in: page.about, besides: page.place, isEmpty: page.items.isEmpty && !asksForFailures)
    guard let found else { return nil }
    if found.isFailure, page.items.isEmpty {
      throw .failed(found.text + "; if this is no failure, type --fail-match none")
    }
    return found.text + ", so items may be missing; if it is whole, type --fail-match none"
  }

  /// The failure that `--fail-match` names.
  private func failure(of document: JSONDocument) -> NextError? {
    let match = options.failMatches.lazy.compactMap(\.self).first { $0.namesFailure(in: document.root) }
    guard let match else { return nil }
    let value = document.root.value(at: match.pointer).map { $0.string ?? $0.text } ?? []
    return .failed("failed with '\(shortened(value))' (--fail-match \(shortened(match.text)))")
  }

  // MARK: The way on

  /// - Throws: if the page is to be refused.
  private mutating func outcome(
    _ shape: Shape, _ page: Page, _ response: NextResponse, _ progress: WalkProgress
  ) throws(NextError) -> WalkOutcome {
    if progress.isAgain { loops = LoopGuard() }
    try loops.add(page, of: response.request, by: shape.next, hasIDs: progress.dedupes && shape.hasIDs, progress)
    guard let rules = shape.next else { return try verdict(withoutRule: page, response, progress) }
    let step: NextStep?
    do throws(NextError) { step = page.hasMore == false ? nil : try rules.step(after: response) } catch {
      if error.isUsage, pages == 1 { throw error }
      return .failure(error)
    }
    if let end = try verdict(step, by: rules, on: page, response, progress) { return end }
    guard let step else { return .end(.noNext) }
    let completion = completion(step, rules, page, response, progress)
    if completion == .complete { return .end(ending(.total, page, progress)) }
    isAtEnd = completion == .probable
    do throws(NextError) { return try next(step, rules, page, after: response.request, progress) } catch {
      return .failure(error)
    }
  }

  /// The next request, unless the page leads to itself and is empty.
  private mutating func next(
    _ step: NextStep, _ rules: NextRules, _ page: Page, after request: PageRequest, _ progress: WalkProgress
  ) throws(NextError) -> WalkOutcome {
    var target: HTTPURL?
    if let reference = step.reference {
      guard let url else { throw .usage("the URL is malformed") }
      target = try origin?.target(of: reference, from: url)
      isSecured = target?.isSecure == true && HTTPURL.scheme(of: reference) == "http"
    }
    let next = try step.request(
      from: first ?? request, at: target.map { Array($0.text.utf8) },
      sendsSecrets: target.map { origin?.sendsSecrets(to: $0) ?? false } ?? true, keepsMethod: options.keepsMethod)
    // An id as cursor may include its item: then the last page has only this one.
    let isEmpty = { page.items.isEmpty || (rules.needsItems && !page.items.contains(where: progress.isNew)) }
    // Solr repeats the cursor of the last page, even with items.
    let isSolr = rules.deciding?.name?.elementsEqual("cursorMark".utf8) == true
    if next == request, isSolr || isEmpty() {
      return .end(endAtItself(page, progress))
    }
    if options.findsLink, next.body != first?.body || !next.headers.isEmpty {
      throw .usage("the next request has another body or header, which no URL says (--print-next)")
    }
    return .next(next)
  }

  /// The next link of a page from a file: it must be a whole URL, because there is no URL to resolve it against.
  private func link(_ shape: Shape, _ page: Page, _ progress: WalkProgress) throws(NextError) -> WalkOutcome {
    guard let rules = shape.next else {
      return try verdict(withoutRule: page, response(page, PageRequest(url: []), nil), progress)
    }
    guard rules.deciding?.target == .url, case .body(let pointer) = rules.deciding?.place else {
      return rules.isNone
        ? .end(.noNext) : .failure(.usage("the next request needs the page's URL: type --print-next URL FILE"))
    }
    do throws(NextError) {
      if page.hasMore == false { return .end(.noMore) }
      guard let link = try NextRule.link(at: pointer, of: page.root) else { return .end(.noNext) }
      guard HTTPURL.isURL(link) else {
        throw .usage("a relative next link needs the page's URL: type --print-next URL FILE")
      }
      return .link(Array(try OriginRules.url(link).text.utf8))
    } catch { return .failure(error) }
  }
}
