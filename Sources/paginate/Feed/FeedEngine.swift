// Decides what to do next: which request to make, what to change in the store, when to stop. The engine knows neither
// network nor disk nor clock: its caller asks for an action, performs it, and passes in the answer to a request.
//
// There is one loop for everything. Page 1 is read; it joins a run or begins a new one, which is then the head. After
// that, the head's tail says what is missing: a gap above the next run, or the rest of a walk that did not end. While
// something is missing, the page below the tail is read. It may join the next run, whose tail then becomes the head's.
// So three tasks are one: walking down to known items, bridging a gap of an earlier run, and reading a feed for the
// first time. If it is interrupted, the next run continues.
//
// If the oldest items come first, page 1 is read only once. After that, the page of the head's tail is read again, and
// then the pages below it, whatever is known of its end. A page below a gap is found in the same way.

struct FeedEngine {
  enum Action: Equatable {
    /// Request a page, and pass in the answer.
    /// - ifNoneMatch: the ETag that makes the request conditional.
    case fetch([UInt8], ifNoneMatch: [UInt8]?)
    /// Change the store; then print the items that wait.
    case commit(FeedChange)
    case done(FeedOutcome)
  }

  /// The purpose of a request in progress.
  enum Purpose {
    case first
    case below
    /// In a numbered feed: the page with this number, which should contain the head's tail.
    case tail(Int)
    /// In a numbered feed: an earlier page to read again because `total` has shrunk; with the pages after it, last
    /// first, and how many unknown items the pages had that were read again.
    case before([FeedPage], steps: Int, found: Int)
    /// If the oldest items come first: a page that should contain the head's tail, and in a numbered feed its number.
    case again(TailSearch.Place, number: Int?)
  }

  enum Stage {
    case starting
    case waiting(Purpose)
    /// Pages to add below the head, last first.
    case holding([FeedPage])
    case deciding
    case closing
    case ended
  }

  /// After this many pages in a row without new items, the feed is taken to be endless.
  static let staleLimit = 1000

  let options: FeedOptions
  /// The order that was given, or that page 1 has shown.
  private(set) var order: FeedOrder?
  private(set) var runs = FeedRuns([])
  var notes: [FeedNote] = []
  var stage = Stage.starting
  private var answer: FeedAnswer?
  private var failure: FeedFailure?
  /// Whether the caller asked to stop.
  private var isStopped = false
  /// Whether enough was read.
  private var hasReadEnough = false
  /// Whether page 1 is unchanged since it was last read (304).
  private var isFirstPageUnchanged = false

  /// The number of pages that count for `maxPages`.
  private var pageCount = 0
  private var staleCount = 0
  /// The number of pages read to find the tail.
  var tailCount = 0
  /// The digests of this run's requests, to detect a loop.
  var requests: Set<Int> = []
  /// The last request; nil while pages are added that were read before it.
  var lastRequest: [UInt8]?
  /// The start of the page that was added last. If it is the tail, its next request comes from this run.
  var freshTop: Int?
  /// If the oldest items come first: the search for the tail, and what is read again from there.
  var search = TailSearch()
  var ground: KnownGround?
  /// What the server said when it did not know the request for the page below the tail any more.
  private var forgotten: FeedFailure?
  /// The request for the page after the one that was added last.
  private var lastNext: [UInt8]?
  /// The place where a full walk last met known items.
  private var joinPoint: PagePlan.JoinPoint?
  var numbered = NumberedWalk()
  /// Whether values that come may raise the mark of `--since`. Not if an earlier walk did not end: what changed since it
  /// began may be on pages that are not read again.
  private var raisesMark = false
  /// Whether the answer to `--since` has ended.
  private var hasAnswerEnded = false
  /// Whether it has shown known items that the mark covers, or is known not to.
  private var hasShownCovered = false
  /// If it follows the tail: what it has shown.
  private var followed = FollowedAnswer()

  init(_ options: FeedOptions) {
    self.options = options
    order = options.order
  }

  var isOldestFirst: Bool { options.order == .oldestFirst }

  /// Whether nothing is missing, neither between the items nor below them.
  private var isComplete: Bool {
    !runs.hasOpenGap && (runs.head?.lowerEnd == .end || runs.head?.lowerEnd == .lost)
  }
  /// Whether the mark of `--since` may move to the greatest value, in the change that makes this so.
  private var isCovered: Bool {
    guard options.since != nil, isComplete else { return false }
    // If the oldest items come first, more may come after a tail that is complete.
    return !isOldestFirst || (hasAnswerEnded && !followed.hasShifted)
  }
  private var isFiltered: Bool { options.since?.isFiltered ?? false }
  private var maxPages: Int? { options.maxPages ?? (options.command == .more ? 1 : nil) }

  // MARK: Driving

  /// Passes in the answer to the last request.
  mutating func receive(_ answer: FeedAnswer) { self.answer = answer }

  /// Asks to stop reading, for example because enough has been printed.
  mutating func stop() { isStopped = true }

  /// - Parameter knowledge: the store, with all requested changes made.
  mutating func next(_ knowledge: some FeedKnowledge) throws(StoreError) -> Action {
    while true {
      if let action = try step(knowledge) { return action }
    }
  }

  private mutating func step(_ knowledge: some FeedKnowledge) throws(StoreError) -> Action? {
    switch stage {
    case .starting: return try start(knowledge)
    case .waiting(let purpose):
      guard let answer else { return .done(outcome) }
      self.answer = nil
      stage = .deciding
      return try take(answer, purpose, knowledge)
    case .holding(var pages):
      stage = .deciding
      lastRequest = nil
      guard let page = pages.popLast() else { return nil }
      if !pages.isEmpty { stage = .holding(pages) }
      return try take(page, below: runs.head, counts: pages.isEmpty, knowledge)
    case .deciding: return try decide(knowledge)
    case .closing:
      stage = .ended
      return try close(knowledge)
    case .ended: return .done(outcome)
    }
  }

  private var outcome: FeedOutcome { FeedOutcome(failure: failure, hasOpenGap: runs.hasOpenGap) }

  mutating func fetch(_ request: [UInt8], _ purpose: Purpose, ifNoneMatch: [UInt8]? = nil) -> Action {
    // A page that was requested to find the tail may be requested again, as the page after another one.
    switch purpose {
    case .tail, .again: break
    default: requests.insert(request.hashValue)
    }
    lastRequest = request
    stage = .waiting(purpose)
    return .fetch(request, ifNoneMatch: ifNoneMatch)
  }

  mutating func end(_ failure: FeedFailure? = nil) -> Action? {
    self.failure = failure
    stage = .closing
    return nil
  }

  // MARK: The top

  private mutating func start(_ knowledge: some FeedKnowledge) throws(StoreError) -> Action? {
    runs = FeedRuns(try knowledge.runs())
    raisesMark = try isReadToEnd(knowledge)
    if isOldestFirst { try rememberPages(knowledge) }
    if options.followsTail {
      let etag = isComplete ? try etag(for: options.firstRequest, knowledge) : nil
      return fetch(options.firstRequest, .first, ifNoneMatch: etag)
    }
    if let head = runs.head, try skipsTop(head, knowledge) {
      stage = .deciding
      return nil
    }
    // As long as the order is unknown, page 1 is looked at.
    let etag = options.command == .full || runs.head == nil ? nil : try knowledge.firstPage()?.etag
    let wantsRest = try wantsRestOfTop(knowledge)
    let isConditional = options.isConditional && (order == .newestFirst || isFiltered) && !wantsRest
    return fetch(options.firstRequest, .first, ifNoneMatch: isConditional ? etag : nil)
  }

  /// Whether this walk will have read everything that has changed since the mark.
  private func isReadToEnd(_ knowledge: some FeedKnowledge) throws(StoreError) -> Bool {
    guard let head = runs.head, !options.followsTail else { return true }
    guard isComplete, isOldestFirst, head.lowerEnd == .lost else { return isComplete }
    // Below a lost gap, a feed whose oldest items come first goes on.
    return try knowledge.lastPage(in: head.range)?.next == nil
  }

  /// Whether a walk begins at the tail of a run.
  private func skipsTop(_ head: FeedRun, _ knowledge: some FeedKnowledge) throws(StoreError) -> Bool {
    if isOldestFirst { return options.command != .full }
    guard options.command == .more, options.numbering == nil else { return false }
    // If page 1 was read in part, it may have changed since then.
    return try !isReadInPart(head, knowledge)
  }

  /// Whether page 1 is the tail of a run, and was read in part.
  private func isReadInPart(_ head: FeedRun, _ knowledge: some FeedKnowledge) throws(StoreError) -> Bool {
    try knowledge.lastPage(in: head.range)?.next == options.firstRequest
  }

  /// Whether the rest of page 1 is to be read, even if the page is unchanged.
  private func wantsRestOfTop(_ knowledge: some FeedKnowledge) throws(StoreError) -> Bool {
    guard let head = runs.head, options.command == .more || head.lowerEnd != .unread else { return false }
    return try isReadInPart(head, knowledge)
  }

  // MARK: Answers

  private mutating func take(
    _ answer: FeedAnswer, _ purpose: Purpose, _ knowledge: some FeedKnowledge
  ) throws(StoreError) -> Action? {
    switch (answer, purpose) {
    case (.failed(let failure), .again(let place, number: nil)) where failure.isForgotten && !place.isFirst:
      return try searchFromTop(knowledge)
    case (.failed(let failure), .below) where try isForgotten(failure, knowledge):
      // Page 1 leads to the tail once more, past known items.
      notes.append(.tailForgotten)
      forgotten = failure
      return fetch(options.firstRequest, .first)
    case (.failed(let failure), _): return end(failure)
    case (.page(let page), _) where page.end == 0 && page.items.isEmpty:
      // Nothing of it is wanted, so nothing is known of its place either.
      hasReadEnough = true
      return end()
    case (.notModified, .first) where options.followsTail: return end()
    case (.notModified, .first):
      let page = try knowledge.firstPage()
      numbered.pageSize = page?.size
      numbered.begin(options.firstRequest)
      numbered.total = page?.total
      isFirstPageUnchanged = true
      return nil
    case (.notModified, .again(let place, let number)): return try takeUnchanged(place, number, knowledge)
    case (.notModified, _): return end(FeedFailure(status: .otherEnd, message: "304 without a condition"))
    case (.page(let page), .first): return try takeFirst(page, knowledge)
    case (.page(let page), .below):
      if options.numbering != nil, let request = numbered.pageBefore(page, order) {
        if numbered.rereads.isAllowed() {
          lastRequest = request
          stage = .waiting(.before([page], steps: 1, found: 0))
          return .fetch(request, ifNoneMatch: nil)
        }
        if !notes.contains(.totalUnsteady) { notes.append(.totalUnsteady) }
      }
      return try take(page, below: runs.head, knowledge)
    case (.page(let page), .before(let held, let steps, let found)):
      return try takeReread(page, before: held, steps: steps, found: found, knowledge)
    case (.page(let page), .tail(let number)): return try takeTail(page, number, knowledge)
    case (.page(let page), .again(let place, let number)): return try takeAgain(page, place, number, knowledge)
    }
  }

  /// Whether a request of an earlier run is not known any more. If the oldest items come first, that shows earlier.
  private func isForgotten(_ failure: FeedFailure, _ knowledge: some FeedKnowledge) throws(StoreError) -> Bool {
    guard failure.isForgotten, forgotten == nil, !isOldestFirst, options.numbering == nil, let head = runs.head else {
      return false
    }
    return try knowledge.lastPage(in: head.range)?.top != freshTop
  }

  mutating func takeFirst(_ page: FeedPage, _ knowledge: some FeedKnowledge) throws(StoreError) -> Action? {
    // An answer to `--since` may have any order.
    if order == nil, !isFiltered {
      order = FeedOrder.shown(by: page)
      if order == .oldestFirst { return end(Self.looksOldestFirst) }
    }
    // An empty first page proves nothing about known items, neither that they exist nor that they are gone. Only a full
    // walk takes it literally.
    if page.items.isEmpty, page.next == nil, runs.head != nil, options.command != .full, !isFiltered { return end() }
    ground = nil
    let isProbe = options.command == .more && runs.head != nil && !isOldestFirst
    defer { if isProbe { pageCount = 0 } }
    if !options.followsTail { numbered.pageSize = page.items.count }
    numbered.begin(options.firstRequest)
    return try take(page, below: nil, knowledge)
  }

  /// Adds a page to the feed.
  mutating func take(
    _ page: FeedPage, below walked: FeedRun?, counts: Bool = true, isReread: Bool = false,
    _ knowledge: some FeedKnowledge
  ) throws(StoreError) -> Action? {
    var plan = PagePlan(runs, options)
    plan.mustShowCovered = options.since?.mustJoin == true && !hasShownCovered
    try plan.take(page, below: walked, isReread: isReread, on: &ground, knowledge)
    if isOldestFirst { plan.change.firstPage = facts(of: page, isFirst: walked == nil) }
    runs = plan.runs
    // Positions in a damaged store may leave no room for the page.
    if let problem = runs.problem { throw .damaged(problem) }
    joinPoint = plan.joinPoint
    freshTop = plan.change.savedPages.last?.top
    if raisesMark { plan.change.mark = page.mark }
    lastNext = page.next
    hasAnswerEnded = page.next == nil
    var isStale = plan.unseenCount == 0 && plan.joinPoint == nil
    if options.followsTail {
      isStale = followed.take(page, isExpected: counts, mayShift: options.since?.mayShift == true)
      if plan.isGapLost { notes.append(.gapLost) }
      if !plan.change.savedPages.isEmpty { hasShownCovered = true }
    }
    plan.change.isCovered = isCovered
    if plan.showsCovered { hasShownCovered = true }
    numbered.total = page.total
    if plan.unseenCount > 0 { numbered.rereads.reset() }
    // What an earlier walk has read of the same answer does not count.
    if counts, !options.followsTail || !plan.change.items.isEmpty { pageCount += 1 }
    staleCount = isStale ? staleCount + 1 : 0
    return .commit(plan.change)
  }

  // MARK: Below the head

  private mutating func decide(_ knowledge: some FeedKnowledge) throws(StoreError) -> Action? {
    guard let head = runs.head else { return end() }
    if options.followsTail, hasAnswerEnded { return end() }
    guard let tail = try knowledge.lastPage(in: head.range) else { throw .damaged("run \(head.number) has no page") }
    var isFresh = options.followsTail || freshTop == tail.top
    if !options.followsTail, isFresh || !isOldestFirst {
      if head.lowerEnd == .end { return end() }
      // Below a lost gap, a feed whose oldest items come first goes on.
      if head.lowerEnd == .lost, tail.next == nil || !isOldestFirst { return end() }
      if let action = try closeTail(head, tail, knowledge) { return action }
    }
    if head.lowerEnd == .unread, options.command == .refresh, !isOldestFirst { return end() }
    if isStopped || pageCount >= maxPages ?? .max {
      hasReadEnough = true
      return end()
    }
    if staleCount >= Self.staleLimit {
      return end(FeedFailure(status: .otherEnd, message: "\(staleCount) pages without a new item"))
    }

    if isOldestFirst, !isFresh { return try searchTail(head, knowledge) }
    if let numbering = options.numbering, !isFresh {
      let count = try knowledge.liveCount(in: head.range)
      isFresh = isFirstPageUnchanged && count <= numbered.pageSize ?? 0
      if !isFresh, let number = numbered.tailNumber(numbering, count: count, overlap: options.overlap) {
        return fetch(options.numberedRequest(number), .tail(number))
      }
    }
    let isOfTail = !options.followsTail && (forgotten == nil || isFresh)
    guard let request = isOfTail ? tail.next : lastNext else { return end() }
    if let forgotten, !isFresh, requests.contains(request.hashValue) { return end(forgotten) }
    if requests.contains(request.hashValue) {
      return end(FeedFailure(status: .otherEnd, message: "the next page was already read"))
    }
    numbered.go(request, fromFresh: isFresh)
    return fetch(request, .below)
  }

  /// Settles the tail if that needs no request.
  private mutating func closeTail(
    _ head: FeedRun, _ tail: KnownPage, _ knowledge: some FeedKnowledge
  ) throws(StoreError) -> Action? {
    var plan = PagePlan(runs, options)
    if isFiltered, head.lowerEnd == .open, hasAnswerEnded || tail.next == nil {
      if options.since?.mustJoin == true, hasAnswerEnded, !hasShownCovered {
        notes += Array(repeating: .gapLost, count: plan.giveUpGaps())
      } else {
        plan.joinAll()
      }
    } else if head.lowerEnd == .open, let below = runs.placed.dropFirst().first,
      try knowledge.firstLive(in: below.range) == nil
    {
      plan.removeEmpty(below)
    } else if tail.next == nil {
      if options.command == .full {
        plan.closeAtEnd()
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

  // MARK: The end

  private mutating func close(_ knowledge: some FeedKnowledge) throws(StoreError) -> Action? {
    var plan = PagePlan(runs, options)
    if options.command == .full, let joinPoint { try plan.close(joinPoint, knowledge) }
    if hasReadEnough { plan.markUnread() }
    if options.forgetsBelowGaps { plan.forgetBelowGap() }
    for run in runs.all where !run.isPlaced {
      if try knowledge.firstLive(in: run.range) == nil { plan.remove(run) }
    }
    runs = plan.runs
    // A failed walk may have changed nothing yet.
    if failure == nil { plan.change.isCovered = isCovered }
    return plan.change.isEmpty ? nil : .commit(plan.change)
  }
}
