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
    /// - isAgain: whether this run may have read the page already.
    case fetch([UInt8], ifNoneMatch: [UInt8]?, isAgain: Bool)
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

    var isFirst: Bool { if case .first = self { true } else { false } }
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
  /// The order that was given, or that page 1 has shown.
  var order: FeedOrder?
  var runs = FeedRuns([])
  var notes: [FeedNote] = []
  var stage = Stage.starting
  var answer: FeedAnswer?
  var failure: FeedFailure?
  /// Whether the caller asked to stop.
  var isStopped = false
  /// Whether enough was read.
  var hasReadEnough = false
  /// Whether page 1 is unchanged since it was last read (304).
  var isFirstPageUnchanged = false

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
  /// If the oldest items come first: the search for the tail, and what is read again from there.
  var search = TailSearch()
  var ground: KnownGround?
  /// Whether the walk goes on past known items, because the request for the page below the tail leads there no more: the
  /// server has forgotten it, or it has brought another page in this run, as links to numbered pages shift.
  var passesKnown = false
  /// What the server said when it did not know the request for the page below the tail any more.
  var forgotten: FeedFailure?
  var numbered = NumberedWalk()
  var since = SinceAnswer()

  init(_ options: FeedOptions) {
    self.options = options
    order = options.order
  }

  var isOldestFirst: Bool { options.order == .oldestFirst }

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
  var isFiltered: Bool { options.since?.isFiltered ?? false }
  var maxPages: Int? { options.maxPages ?? (options.command == .more ? 1 : nil) }

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

  var outcome: FeedOutcome { FeedOutcome(failure: failure, hasOpenGap: runs.hasOpenGap, isStopped: isStopped) }

  mutating func fetch(_ request: [UInt8], _ purpose: Purpose, ifNoneMatch: [UInt8]? = nil) -> Action {
    var isAgain = true
    switch purpose {
    // A page that was requested to find the tail may be requested again, as the page after another one.
    case .tail, .again, .before: break
    case .first, .below:
      isAgain = !requests.insert(request.hashValue).inserted && purpose.isFirst
    }
    lastRequest = request
    stage = .waiting(purpose)
    return .fetch(request, ifNoneMatch: ifNoneMatch, isAgain: isAgain)
  }

  mutating func end(_ failure: FeedFailure? = nil) -> Action? {
    self.failure = failure
    stage = .closing
    return nil
  }
}
