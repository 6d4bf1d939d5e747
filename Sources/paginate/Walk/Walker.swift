// The walk: a response goes in, a page and the next request come out. It learns what the API looks like. It neither makes
// the requests nor decides which items are printed, and what was read before is for its caller to say.

import FeedCore
import FeedHTTP

/// A page, with its response and its request.
struct PageContext {
  /// Nil if pages come from a file.
  let head: HTTPHead?
  let page: Page
  /// The request for the page, and the first one.
  let request: PageRequest
  let first: PageRequest
  /// The URL that the page came from, after redirects; nil if unknown.
  let url: HTTPURL?
  /// The place of the items in the page.
  let items: JSONPointer?

  /// What the rules look at.
  var response: NextResponse {
    let items = page.items
    return NextResponse(
      head: head, root: page.root, request: request, first: first, url: url, count: items.count
    ) { (items[$0].value, items[$0].id) }
  }
}

/// What the caller of a walk knows when a page comes.
struct WalkProgress {
  /// How many items have come with the page, each counted once; nil if this is not known.
  var received: (Page) -> Int? = { _ in nil }
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
    let outcome: WalkOutcome
    /// The index of the first item with which to end (`--stop-before`).
    var end: Int?
    /// The error that the page reports although it has items (GraphQL), for a message.
    var complaint: String?
  }

  enum WalkOutcome: Equatable, Sendable {
    case next(PageRequest)
    /// The page is a part of one: the request for the next part.
    case part(PageRequest)
    /// Without a first request: the next link, to be printed.
    case link([UInt8])
    case end(WalkEnding)
    /// The items are valid, but there is no way to go on.
    case failure(WalkError)

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
  /// The request that the last page led to, and how many items were on the pages from the first one in a row.
  private var inARow: (next: PageRequest, items: Int)?

  /// - Parameter first: the request of the command line; nil if pages are only read, not requested.
  init(_ options: WalkOptions, first: PageRequest?) throws(WalkError) {
    try options.check(first)
    self.options = options
    self.first = first
    guard let first else {
      origin = nil
      return
    }
    do throws(HTTPURL.Invalid) {
      origin = OriginRules(home: try HTTPURL(first.url), allowed: options.allowedHosts, trusted: options.trustedHosts)
    } catch {
      throw WalkError(.usage, "the URL is malformed")
    }
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
  ) throws(WalkError) -> Step {
    let request = request ?? first
    url = base ?? request.flatMap { try? HTTPURL($0.url) }
    var shape = self.shape ?? Shape(options)
    try shape.learn(from: document, head, request, isFirstRequest: request == first, url, options)
    let reader = shape.reader(options)
    var page = try reader.read(document, head, mayLackItems: mayLackItems(document, shape, head, request))
    self.shape = shape
    if shape.items.flatMap({ document.root.value(at: $0) }) != nil { hasMetItems = true }
    if let request, let head, let items = shape.items {
      if ItemParts.isPart(document.root, items: items) { return try part(page, shape, request, head) }
      if !parts.isEmpty { page = try joined(page, reader, head, items) }
    }
    pages += 1
    let countInARow = countInARow(request, page)
    var step = Step(page: page, outcome: try outcome(shape, request, head, page, countInARow, progress))
    if let until = options.stopBefore { step.end = page.items.firstIndex { until.holds(for: $0.value) } }
    if case .next(let next) = step.outcome, let countInARow { inARow = (next, countInARow) } else { inARow = nil }
    if Self.isGraphQL(shape.next), document.root.member("errors") != nil {
      let text = PageReader.complaint(of: document.root)
      if !text.isEmpty { step.complaint = String(text.dropFirst(2)) }
    }
    // If the place of the items is unknown, the page must not be the last one, nor have something that may be items.
    let isUnknown =
      shape.items == nil
      && (!step.outcome.continues || (!options.findsLink && ItemArray.scalars(in: document.root) != nil))
    if isUnknown, !AbsentItems.isPlainlyEmpty(document.root) {
      throw WalkError(
        .usage,
        EventRecord.isUnmistakable(document.root)
          ? "this is an event record, and paginate reads pages (sse-cat --raw prints only the data)"
          : "cannot tell which array holds the items (\(Self.placeOfItems(document.root))): the page is "
            + ItemArray.described(document.root))
    }
    return step
  }

  /// How the walk goes on.
  private mutating func outcome(
    _ shape: Shape, _ request: PageRequest?, _ head: HTTPHead?, _ page: Page, _ inARow: Int?, _ progress: WalkProgress
  ) throws(WalkError) -> WalkOutcome {
    guard let request, let origin else { return options.findsLink ? try link(shape, page) : .end(.noNext) }
    do { return try outcome(shape, request, head, page, origin, inARow, progress) } catch {
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
  private mutating func part(
    _ page: Page, _ shape: Shape, _ request: PageRequest, _ head: HTTPHead
  ) throws(WalkError) -> Step {
    guard shape.id != nil || shape.place?.isMembers == true else {
      throw WalkError(.usage, "the items of this API come in parts, so their id must be known: type --id /pageid")
    }
    parts.append(page)
    guard let origin else { throw WalkError(.usage, "the URL is malformed") }
    let empty = Page(document: page.document, items: [], hasMore: nil, counts: PageCounts())
    let outcome =
      switch try outcome(shape, request, head, page, origin, nil, WalkProgress()) {
      case .next(let next): WalkOutcome.part(next)
      case let other: other
      }
    return Step(page: empty, outcome: outcome)
  }

  /// The whole page, of which the last part has come.
  private mutating func joined(
    _ last: Page, _ reader: PageReader, _ head: HTTPHead, _ items: JSONPointer
  ) throws(WalkError) -> Page {
    defer { parts = [] }
    do { return try reader.read(ItemParts.joined(parts + [last], items: items), head) } catch let error as WalkError {
      throw error
    } catch {
      throw WalkError(.page, "the parts of this page do not fit together", at: 0)
    }
  }

  /// The options that can say where the items are. Without an array, they may be the members of an object.
  private static func placeOfItems(_ root: JSONValue) -> String {
    if let only = ItemArray.scalars(in: root) { return "--items \(typed(only.text))" }
    let hasObject = root.kind == .object && root.children.contains { $0.value.kind == .object }
    return hasObject ? "--items or --items members:" : "--items"
  }

  /// The message about a first page if no next one is known.
  private static func onlyPage(_ root: JSONValue) -> String {
    "found no next page, so this may not be the whole feed (if it is, type --next none): the page is "
      + ItemArray.described(root)
  }

  /// How many items are on the pages from the first one to this one; nil if pages were left out or read again.
  private func countInARow(_ request: PageRequest?, _ page: Page) -> Int? {
    if request == first { return page.items.count }
    guard let inARow, inARow.next == request else { return nil }
    return inARow.items + page.items.count
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
      let page = Page(document: document, items: [], hasMore: nil, counts: PageCounts())
      let context = context(page, shape, request, head)
      hasNext = (try? rules.step(after: context.response)).flatMap(\.self) != nil
    }
    return AbsentItems.areShown(by: root, at: pointer, total: shape.total, hasNext: hasNext)
  }

  private func context(_ page: Page, _ shape: Shape, _ request: PageRequest, _ head: HTTPHead?) -> PageContext {
    PageContext(head: head, page: page, request: request, first: first ?? request, url: url, items: shape.items)
  }

  /// Whether the cursor goes into a variable of GraphQL.
  private static func isGraphQL(_ rules: NextRules?) -> Bool {
    guard case .body(let pointer) = rules?.deciding?.target else { return false }
    return pointer.tokens.first?.elementsEqual("variables".utf8) == true
  }

  // MARK: The way on

  /// - Throws: if the page is to be refused.
  private mutating func outcome(
    _ shape: Shape, _ request: PageRequest, _ head: HTTPHead?, _ page: Page, _ origin: OriginRules, _ inARow: Int?,
    _ progress: WalkProgress
  ) throws(WalkError) -> WalkOutcome {
    if progress.isAgain { loops = LoopGuard() }
    let hasIDs = progress.dedupes && (shape.id != nil || shape.place?.isMembers == true)
    try loops.add(page, of: request, by: shape.next, hasIDs: hasIDs)
    let context = context(page, shape, request, head)
    guard let rules = shape.next else { return try withoutRule(shape, context) }
    let step: NextStep?
    do throws(NextError) { step = page.hasMore == false ? nil : try rules.step(after: context.response) } catch {
      if error.isUsage, pages == 1 { throw WalkError(error) }
      return .failure(WalkError(error))
    }
    switch PageVerdict.of(step, by: rules, on: context, pages, inARow, progress) {
    case .end(let ending): return .end(ending)
    case .refused(let error): throw error
    case .failure(let error): return .failure(error)
    case .next: break
    }
    guard let step else { return .end(.noNext) }
    do throws(WalkError) { return try next(step, rules, page, after: request, origin, progress) } catch {
      return .failure(error)
    }
  }

  /// The first page of a feed whose rule is not known.
  private func withoutRule(_ shape: Shape, _ context: PageContext) throws(WalkError) -> WalkOutcome {
    if context.page.hasMore == false { return .end(.noMore) }
    let unknown = "cannot tell how to ask for the next page"
    switch PageFacts(context).withoutRule {
    case .part(let text): throw WalkError(.usage, "\(unknown): \(text)")
    case .whole: return .end(context.page.items.isEmpty ? .emptyPage : .noNext)
    case .unknown(let text):
      if context.page.hasMore == true || options.findsLink {
        throw WalkError(.usage, "\(unknown) (--next): the page is \(ItemArray.described(context.page.root))")
      }
      return .end(.open(text ?? Self.onlyPage(context.page.root)))
    }
  }

  /// The next request, unless the page leads to itself and is empty.
  private func next(
    _ step: NextStep, _ rules: NextRules, _ page: Page, after request: PageRequest, _ origin: OriginRules,
    _ progress: WalkProgress
  ) throws(WalkError) -> WalkOutcome {
    var target: HTTPURL?
    if let reference = step.reference {
      guard let url else { throw WalkError(.usage, "the URL is malformed") }
      target = try origin.target(of: reference, from: url)
    }
    let next: PageRequest
    do throws(NextError) {
      next = try step.request(
        from: first ?? request, at: target.map { Array($0.text.utf8) },
        sendsSecrets: target.map(origin.sendsSecrets) ?? true, keepsMethod: options.keepsMethod)
    } catch {
      throw WalkError(error)
    }
    // An id as cursor may include its item: then the last page has only this one.
    let isEmpty = { page.items.isEmpty || (rules.needsItems && !page.items.contains(where: progress.isNew)) }
    // Solr repeats the cursor of the last page, even with items.
    let isSolr = rules.deciding?.name?.elementsEqual("cursorMark".utf8) == true
    if next == request, isSolr || isEmpty() {
      let received = PageFacts.isAtTop(first ?? request) ? progress.received(page) : nil
      return .end(PageVerdict.atItself(page, pages: pages, received: received))
    }
    if options.findsLink, next.body != first?.body || !next.headers.isEmpty {
      throw WalkError(.usage, "the next request has another body or header, which no URL says (--print-next)")
    }
    return .next(next)
  }

  /// The next link of a page from a file: it must be a whole URL, because there is no URL to resolve it against.
  private func link(_ shape: Shape, _ page: Page) throws(WalkError) -> WalkOutcome {
    guard let rules = shape.next else {
      let none = PageRequest(url: [])
      return try withoutRule(
        shape,
        PageContext(
          head: nil, page: page, request: none, first: none, url: nil, items: shape.items))
    }
    guard rules.deciding?.target == .url, case .body(let pointer) = rules.deciding?.place else {
      return rules.isNone
        ? .end(.noNext)
        : .failure(WalkError(.usage, "the next request needs the page's URL: type --print-next URL FILE"))
    }
    let link: [UInt8]?
    do throws(NextError) {
      link = page.hasMore == false ? nil : try NextRule.link(at: pointer, of: page.root)
    } catch {
      return .failure(WalkError(error))
    }
    guard let link else { return .end(page.hasMore == false ? .noMore : .noNext) }
    guard HTTPURL.isURL(link) else {
      return .failure(WalkError(.usage, "a relative next link needs the page's URL: type --print-next URL FILE"))
    }
    do throws(WalkError) { return .link(Array(try OriginRules.url(link).text.utf8)) } catch { return .failure(error) }
  }
}
