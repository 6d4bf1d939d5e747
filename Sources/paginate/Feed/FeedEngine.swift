import FeedCore

/// Decides what to do next: which request to make, what to change in the store, when to stop. The engine knows neither
/// network nor clock, and only reads the store: its caller asks for an action, performs it, and passes in the response to a request.
///
/// There is one loop for everything. A page is read; it joins a run or begins a new one, which is then the head. After
/// that, the head's tail says what is missing: a gap above the next run, or the rest of a walk that did not end. While
/// something is missing, the page below the tail is read. It may join the next run, whose tail then becomes the head's.
/// So three tasks are one: walking down to known items, bridging a gap of an earlier run, and reading a feed for the
/// first time. If it is interrupted, the next run continues.
///
/// Where a walk begins, and how it finds the page below the tail, depends on the order of the feed: `TopDown`, `TailUp`.
class FeedEngine {
  enum Action: Equatable {
    /// Request a page, and pass in the response.
    /// - ifNoneMatch: the ETag that makes the request conditional.
    /// - isAgain: whether this run may have read the page already.
    case fetch([UInt8], ifNoneMatch: [UInt8]?, isAgain: Bool)
    /// Change the store; then print the items that wait.
    case commit(FeedChange)
    case done(FeedOutcome)
  }

  static let looksOldestFirst = FeedFailure(
    status: .no, message: "looks oldest first, so nothing is printed or stored: type --order oldest-first")
  static let changesTooFast = FeedFailure(status: .tryAgain, message: "the feed changes faster than it can be read")

  /// The purpose of a request in progress.
  enum Purpose {
    case first
    case below
    /// A page that should show known items of the head.
    case back(BackPlace)
  }

  enum Stage {
    case starting
    case waiting(Purpose)
    case taking(FeedResponse, Purpose)
    /// A page that the walk has stepped back from is added below the head.
    case adding(FeedPage)
    case deciding
    case closing
    case ended
  }

  /// The page that was added last.
  struct AddedPage {
    /// Where it begins. If it is the tail, its next request comes from this run.
    var top: Int?
    /// The request for the page after it.
    var next: [UInt8]?
    /// Whether nothing comes after it.
    var isEnd = false
    /// Why nothing can follow it.
    var failure: FeedFailure?
    /// Where it met known items, if they were no proof that everything above them was read. A page without items keeps
    /// the place of the one before.
    var joinPoint: PagePlan.JoinPoint?
    /// Whether its items have ids.
    var hasIDs = true
    /// Whether an earlier walk has read it too, and it shows nothing else.
    var isReread = false
  }

  /// After this many pages in a row without new items, the feed is taken to be endless.
  static let staleLimit = 1000
  /// How many pages to step back through requests of this walk.
  private static let trailLimit = 8

  let options: FeedOptions
  let store: any FeedStorage
  var order: FeedOrder?
  private(set) var runs = FeedRuns([])
  var notes: [FeedNote] = []
  var stage = Stage.starting
  private(set) var failure: FeedFailure?
  /// Whether the caller asked to stop.
  private var isStopped = false
  /// Whether a page of this walk may lack items.
  private var isUncertain = false
  /// Whether enough was read.
  private var hasReadEnough = false
  /// The number of pages that count for `maxPages`.
  var pageCount = 0
  private var staleCount = 0
  /// To how many pages in a row without new items the walk has stepped back, which did not join the head.
  var backCount = 0
  /// The page that it has stepped back from last, until that is added or asked for again.
  var left: FeedPage?
  /// The requests of consecutive pages; the last one is in progress or was added last.
  var trail: [BackPlace] = []
  /// The digests of this run's requests.
  var requests: Set<Int> = []
  /// The request of the page that was read or is added last.
  var lastRequest: [UInt8]?
  var last = AddedPage()
  /// What the walk reads again of the head, if it began in it.
  var ground: KnownGround?
  var numbered = NumberedWalk()
  private var since = SinceResponse()

  /// The engine of a feed's order.
  static func engine(_ options: FeedOptions, _ store: any FeedStorage) -> FeedEngine {
    if options.order != .oldestFirst { return TopDown(options, store) }
    return options.followsTail ? AfterTail(options, store) : TailUp(options, store)
  }

  init(_ options: FeedOptions, _ store: any FeedStorage) {
    (self.options, self.store, order) = (options, store, options.order)
  }

  var isOldestFirst: Bool { options.order == .oldestFirst }
  var isFiltered: Bool { options.since?.isFiltered ?? false }

  /// Whether nothing is missing, neither between the items nor below them.
  var isComplete: Bool {
    !runs.hasOpenGap && (runs.head?.lowerEnd == .end || runs.head?.lowerEnd == .lost)
  }
  /// Whether the mark of `--since` may move to the greatest value, in the change that makes this so.
  var isCovered: Bool {
    guard options.since != nil, isComplete, !isUncertain else { return false }
    // If the oldest items come first, more may come after a tail that is complete.
    return !isOldestFirst || (last.isEnd && !since.hasShifted)
  }

  var outcome: FeedOutcome { FeedOutcome(failure: failure, hasOpenGap: runs.hasOpenGap, isStopped: isStopped) }

  /// Whether this walk will have read everything that has changed since the mark.
  private func isReadToEnd() throws(StoreError) -> Bool {
    guard let head = runs.head, !options.followsTail, options.since?.isOfPage != true else { return true }
    guard isComplete, isOldestFirst, head.lowerEnd == .lost else { return isComplete }
    // Below a lost gap, a feed whose oldest items come first goes on.
    return try store.lastPage(in: head.range)?.next == nil
  }

  // MARK: Driving

  /// Passes in the response to the last request.
  final func receive(_ response: FeedResponse) {
    if case .waiting(let purpose) = stage { stage = .taking(response, purpose) }
  }

  /// Asks to stop reading, for example because enough has been printed.
  final func stop() { isStopped = true }

  /// Before each call, the requested changes of the store must be made.
  final func next() throws(StoreError) -> Action {
    while true { if let action = try step() { return action } }
  }

  /// One step of the loop: from one stage to the next.
  /// - Returns: what the caller must do for it; nil if nothing.
  private func step() throws(StoreError) -> Action? {
    let stage = stage
    self.stage = .deciding
    switch stage {
    case .starting:
      runs = FeedRuns(try store.runs())
      since.raisesMark = try isReadToEnd()
      return try begin()
    case .taking(let response, let purpose):
      if case .page(let page) = response, page.end == 0, page.items.isEmpty {
        // Nothing of it is wanted, so nothing is known of its place either.
        hasReadEnough = true
        return end()
      }
      return try take(response, purpose)
    case .adding(let page): return try add(page, below: runs.head)
    case .deciding:
      guard let head = runs.head else { return end() }
      guard let tail = try store.lastPage(in: head.range) else { throw .damaged("run \(head.number) has no page") }
      return try goOn(below: head, tail)
    case .closing:
      self.stage = .ended
      return try close()
    case .waiting, .ended:
      self.stage = .ended
      return .done(outcome)
    }
  }

  // MARK: What depends on the order

  /// - Returns: the first request; nil to begin at the tail.
  func begin() throws(StoreError) -> Action? { nil }

  /// Takes a response.
  func take(_ response: FeedResponse, _ purpose: Purpose) throws(StoreError) -> Action? {
    switch (response, purpose) {
    case (.failed(let failure), _): return end(failure)
    case (.notModified, _): return end(FeedFailure(status: .remote, message: "304 without a condition"))
    case (.page(let page), .below):
      if let action = try stepBack(from: page) { return action }
      guard last.isReread, let head = runs.head else { return try add(page, below: runs.head) }
      let shown = try ShownPage(page, of: head, from: head.top, store)
      return try add(shown.below, below: head, counts: shown.restCount > 0, isReread: true)
    case (.page(let page), .back(let place)): return try takeBack(page, place)
    case (.page(let page), .first): return try takeFirst(page)
    }
  }

  /// Begins the feed, or a new run above the others.
  func takeFirst(_ page: FeedPage) throws(StoreError) -> Action? {
    // An empty first page proves nothing about known items, neither that they exist nor that they are gone. Only a full
    // walk takes it literally.
    if page.items.isEmpty, page.next == nil, runs.head != nil, options.command != .full, !isFiltered { return end() }
    if !options.followsTail { numbered.pageSize = page.items.count }
    trail = [BackPlace(request: options.firstRequest, top: 0)]
    return try add(page, below: nil)
  }

  /// Asks for the page below the head, settles the head's tail, or ends the walk.
  func goOn(below head: FeedRun, _ tail: KnownPage) throws(StoreError) -> Action? { end() }

  // MARK: Requests

  /// Asks for a page, and remembers why, for the response.
  func fetch(_ request: [UInt8], _ purpose: Purpose, ifNoneMatch: [UInt8]? = nil) -> Action {
    var isAgain = true
    switch purpose {
    case .back: break
    case .first: isAgain = !requests.insert(request.hashValue).inserted
    case .below:
      isAgain = false
      requests.insert(request.hashValue)
    }
    lastRequest = request
    stage = .waiting(purpose)
    return .fetch(request, ifNoneMatch: ifNoneMatch, isAgain: isAgain)
  }

  /// Asks for the page below the one that was added last.
  func fetchNext(_ request: [UInt8]?, isFresh: Bool = true) -> Action? {
    guard let request else { return end() }
    if isFresh, let failure = last.failure { return end(failure) }
    // The last page added is not the one above.
    if !isFresh { (trail, numbered.total) = ([], nil) }
    trail = trail.suffix(Self.trailLimit - 1) + [BackPlace(request: request, top: (runs.head?.bottom ?? -1) + 1)]
    return fetch(request, .below)
  }

  /// Whether this run has asked for that already.
  func hasRequested(_ request: [UInt8]) -> Bool { requests.contains(request.hashValue) }

  /// How many items the feed has from its top down to a page that is not added yet, each counted once.
  func count(with page: Page) throws(StoreError) -> Int {
    // A walk that reads all counts only what it has read.
    let readsAll = options.command == .full || order == FeedOrder.none
    let head = readsAll && last.top == nil && ground == nil ? nil : runs.head
    var count = try head.map { (head) throws(StoreError) in try store.liveCount(in: head.range) } ?? 0
    var ids = SeenIDs()
    for item in page.items {
      guard options.dedupes, let id = item.id else {
        count += 1
        continue
      }
      let known = try store.item(id)
      let isCounted = known.map { known in !known.isGone && head?.range.contains(known.position) == true } ?? false
      if !isCounted, ids.insert(id) { count += 1 }
    }
    return count
  }

  // MARK: Changes

  private func plan() -> PagePlan {
    var plan = PagePlan(runs, options, store)
    plan.provesAbsence = !isUncertain
    return plan
  }

  // MARK: What becomes of a page, of the tail, and of the runs when the walk ends

  /// Adds a page to the feed.
  /// - Parameter counts: whether it counts for `maxPages`.
  func add(
    _ page: FeedPage, below walked: FeedRun?, counts: Bool = true, isReread: Bool = false
  ) throws(StoreError) -> Action? {
    if page.isUncertain { isUncertain = true }
    var plan = plan()
    plan.lastJoin = walked == nil ? nil : last.joinPoint
    plan.mustShowCovered = options.since?.mustJoin == true && !since.hasShownCovered
    try plan.take(page, below: walked, isReread: isReread, on: &ground)
    if isOldestFirst { plan.change.firstPage = facts(of: page, isFirst: walked == nil) }
    runs = plan.runs
    // Positions in a damaged store may leave no room for the page.
    if let problem = runs.problem { throw .damaged(problem) }
    let keepsJoin = page.items.isEmpty && walked != nil
    last = AddedPage(
      top: plan.change.savedPages.last?.top, next: page.next, isEnd: page.next == nil, failure: page.failure,
      joinPoint: keepsJoin ? last.joinPoint : plan.joinPoint, hasIDs: page.items.first?.hasID ?? last.hasIDs)
    last.isReread = isReread && !isOldestFirst && plan.unseenCount == 0
    if let top = last.top, !trail.isEmpty { trail[trail.count - 1].top = top }
    if since.raisesMark { plan.change.mark = page.mark }
    // With --pages, an item is a page, which may have no items.
    var isStale = (plan.unseenCount == 0 || page.items.first?.count == 0) && plan.joinPoint == nil
    if options.followsTail {
      isStale = since.take(page, isExpected: counts, mayShift: options.since?.mayShift == true)
      if plan.isGapLost { notes.append(.gapLost) }
      if !plan.change.savedPages.isEmpty { since.hasShownCovered = true }
    }
    plan.change.isCovered = isCovered
    if plan.showsCovered { since.hasShownCovered = true }
    numbered.total = page.total
    if plan.change.items.contains(where: { $0.handle == nil }) {
      numbered.foundNew()
      backCount = 0
    }
    // What an earlier walk has read of the same response does not count.
    if counts, !options.followsTail || !plan.change.items.isEmpty { pageCount += 1 }
    staleCount = isStale ? staleCount + 1 : 0
    return .commit(plan.change)
  }

  /// Settles the tail if that needs no request.
  func closeTail(_ head: FeedRun, _ tail: KnownPage) throws(StoreError) -> Action? {
    var plan = plan()
    if isFiltered, head.lowerEnd == .open, last.isEnd || tail.next == nil {
      if options.since?.mustJoin == true, last.isEnd, !since.hasShownCovered {
        notes += Array(repeating: .gapLost, count: plan.giveUpGaps())
      } else {
        plan.joinAll()
      }
    } else if head.lowerEnd == .open, let below = runs.all.dropFirst().first,
      try store.firstLive(in: below.range) == nil
    {
      plan.removeEmpty(below)
    } else if tail.next == nil {
      if options.command == .full {
        plan.closeAtEnd()
      } else if head.lowerEnd == .open, let joinPoint = last.joinPoint,
        runs.all.dropFirst().contains(where: { $0.number == joinPoint.run })
      {
        // Nothing comes after them.
        try plan.close(joinPoint)
      } else {
        notes += Array(repeating: .gapLost, count: plan.giveUpGaps())
      }
    } else {
      return nil
    }
    runs = plan.runs
    plan.change.isCovered = isCovered
    return .commit(plan.change)
  }

  /// Ends the walk if no more pages are wanted.
  /// - Returns: whether it does.
  func endIfEnough() -> Bool {
    let most = options.maxPages ?? (options.command == .more ? 1 : .max)
    if isStopped || pageCount >= most {
      hasReadEnough = true
      _ = end()
    } else if staleCount >= Self.staleLimit {
      _ = end(FeedFailure(status: .remote, message: "\(staleCount) pages without a new item"))
    } else {
      return false
    }
    return true
  }

  /// Ends the reading; the runs are settled next.
  /// - Returns: nil, for the caller to return.
  func end(_ failure: FeedFailure? = nil) -> Action? {
    self.failure = failure
    stage = .closing
    return nil
  }

  /// Settles the runs when nothing more is read.
  func close() throws(StoreError) -> Action? {
    var plan = plan()
    if options.command == .full, let joinPoint = last.joinPoint { try plan.close(joinPoint) }
    if hasReadEnough { plan.markUnread() }
    runs = plan.runs
    // A failed walk may have changed nothing yet.
    if failure == nil { plan.change.isCovered = isCovered }
    return plan.change.isEmpty ? nil : .commit(plan.change)
  }
}
