import FeedCore

/// Decides what to do next: which request to make, what to change in the store, when to stop. The engine knows neither
/// network nor disk nor clock: its caller asks for an action, performs it, and passes in the response to a request.
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

  static let looksOldestFirst = FeedFailure(status: .no, message: "looks oldest first: --order oldest-first")
  static let changesTooFast = FeedFailure(status: .tryAgain, message: "the feed changes faster than it can be read")

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
    case again(TailSearch.TailPage, number: Int?)
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
  }

  /// After this many pages in a row without new items, the feed is taken to be endless.
  static let staleLimit = 1000

  let options: FeedOptions
  var order: FeedOrder?
  var runs = FeedRuns([])
  var notes: [FeedNote] = []
  var stage = Stage.starting
  var response: FeedResponse?
  var failure: FeedFailure?
  /// Whether the caller asked to stop.
  var isStopped = false
  /// Whether enough was read.
  var hasReadEnough = false
  /// The number of pages that count for `maxPages`.
  var pageCount = 0
  var staleCount = 0
  /// The number of pages read to find the tail.
  var tailCount = 0
  /// The digests of this run's requests.
  var requests: Set<Int> = []
  /// The last request; nil while pages are added that were read before it.
  var lastRequest: [UInt8]?
  var last = AddedPage()
  /// What the walk reads again of the head, if it began in it.
  var ground: KnownGround?
  var numbered = NumberedWalk()
  var since = SinceResponse()

  /// The engine of a feed's order.
  static func engine(_ options: FeedOptions) -> FeedEngine {
    if options.order != .oldestFirst { return TopDown(options) }
    return options.followsTail ? AfterTail(options) : TailUp(options)
  }

  init(_ options: FeedOptions) {
    self.options = options
    order = options.order
  }

  var isOldestFirst: Bool { options.order == .oldestFirst }
  var isFiltered: Bool { options.since?.isFiltered ?? false }

  /// Whether nothing is missing, neither between the items nor below them.
  var isComplete: Bool {
    !runs.hasOpenGap && (runs.head?.lowerEnd == .end || runs.head?.lowerEnd == .lost)
  }
  /// Whether the mark of `--since` may move to the greatest value, in the change that makes this so.
  var isCovered: Bool {
    guard options.since != nil, isComplete else { return false }
    // If the oldest items come first, more may come after a tail that is complete.
    return !isOldestFirst || (last.isEnd && !since.hasShifted)
  }

  var outcome: FeedOutcome { FeedOutcome(failure: failure, hasOpenGap: runs.hasOpenGap, isStopped: isStopped) }

  /// Whether this walk will have read everything that has changed since the mark.
  private func isReadToEnd(_ knowledge: some FeedKnowledge) throws(StoreError) -> Bool {
    guard let head = runs.head, !options.followsTail, options.since?.isOfPage != true else { return true }
    guard isComplete, isOldestFirst, head.lowerEnd == .lost else { return isComplete }
    // Below a lost gap, a feed whose oldest items come first goes on.
    return try knowledge.lastPage(in: head.range)?.next == nil
  }

  // MARK: Driving

  /// Passes in the response to the last request.
  final func receive(_ response: FeedResponse) { self.response = response }

  /// Asks to stop reading, for example because enough has been printed.
  final func stop() { isStopped = true }

  /// - Parameter knowledge: the store, with all requested changes made.
  final func next(_ knowledge: some FeedKnowledge) throws(StoreError) -> Action {
    while true {
      if let action = try step(knowledge) { return action }
    }
  }

  private func step(_ knowledge: some FeedKnowledge) throws(StoreError) -> Action? {
    let stage = stage
    self.stage = .deciding
    switch stage {
    case .starting:
      runs = FeedRuns(try knowledge.runs())
      since.raisesMark = try isReadToEnd(knowledge)
      return try begin(knowledge)
    case .waiting(let purpose):
      guard let response else { return .done(outcome) }
      self.response = nil
      if case .page(let page) = response, page.end == 0, page.items.isEmpty {
        // Nothing of it is wanted, so nothing is known of its place either.
        hasReadEnough = true
        return end()
      }
      return try take(response, purpose, knowledge)
    case .holding(var pages):
      lastRequest = nil
      guard let page = pages.popLast() else { return nil }
      if !pages.isEmpty { self.stage = .holding(pages) }
      return try add(page, below: runs.head, counts: pages.isEmpty, knowledge)
    case .deciding:
      guard let head = runs.head else { return end() }
      guard let tail = try knowledge.lastPage(in: head.range) else { throw .damaged("run \(head.number) has no page") }
      return try goOn(below: head, tail, knowledge)
    case .closing:
      self.stage = .ended
      return try close(knowledge)
    case .ended:
      self.stage = .ended
      return .done(outcome)
    }
  }

  // MARK: What depends on the order

  /// - Returns: the first request; nil to begin at the tail.
  func begin(_ knowledge: some FeedKnowledge) throws(StoreError) -> Action? { nil }

  /// Takes a response.
  func take(_ response: FeedResponse, _ purpose: Purpose, _ knowledge: some FeedKnowledge) throws(StoreError) -> Action?
  {
    switch (response, purpose) {
    case (.failed(let failure), _): return end(failure)
    case (.notModified, _): return end(FeedFailure(status: .remote, message: "304 without a condition"))
    case (.page(let page), .below):
      if let action = pageBefore(page) { return action }
      return try add(page, below: runs.head, knowledge)
    case (.page(let page), .before(let held, let steps, let found)):
      return try takeReread(page, before: held, steps: steps, found: found, knowledge)
    case (.page(let page), _): return try takeFirst(page, knowledge)
    }
  }

  /// Begins the feed, or a new run above the others.
  func takeFirst(_ page: FeedPage, _ knowledge: some FeedKnowledge) throws(StoreError) -> Action? {
    // An empty first page proves nothing about known items, neither that they exist nor that they are gone. Only a full
    // walk takes it literally.
    if page.items.isEmpty, page.next == nil, runs.head != nil, options.command != .full, !isFiltered { return end() }
    if !options.followsTail { numbered.pageSize = page.items.count }
    numbered.begin(options.firstRequest)
    return try add(page, below: nil, knowledge)
  }

  /// Asks for the page below the head, settles the head's tail, or ends the walk.
  func goOn(below head: FeedRun, _ tail: KnownPage, _ knowledge: some FeedKnowledge) throws(StoreError) -> Action? {
    end()
  }

  // MARK: Requests

  func fetch(_ request: [UInt8], _ purpose: Purpose, ifNoneMatch: [UInt8]? = nil) -> Action {
    var isAgain = true
    switch purpose {
    // A page that was requested to find the tail may be requested again, as the page after another one.
    case .tail, .again, .before: break
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
    numbered.go(request, fromFresh: isFresh)
    return fetch(request, .below)
  }

  func hasRequested(_ request: [UInt8]) -> Bool { requests.contains(request.hashValue) }
}
