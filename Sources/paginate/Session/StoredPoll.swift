// `--every`: runs on a stored feed, one after another in one process. Each run opens the store and locks the feed as if
// it were a process of its own, so that others can use them in between.

import FeedCore
import FeedHTTP

/// What goes on from one run to the next.
struct PollState {
  /// How many items may still be printed; nil for no limit.
  private(set) var remaining: Int?
  /// The place of a reader with a checkpoint. Later runs go on from here: the checkpoint may lag behind.
  var place: Int?
  /// The request of `--since` whose ETag the store has.
  var firstRequest: [UInt8]?
  /// Keeps connections and cookies.
  let client: HTTPClient

  /// Whether the last response was valid. As in http-cat, notes tell when this changes.
  fileprivate(set) var isOpen = false

  /// What kind of failure ended the last run, if one did.
  var failureKind = PollFailure.Kind.content
  /// Whether `--filter` has failed in the last run.
  private(set) var hasFilterFailed = false
  /// How many seconds the server asks to wait.
  var asked: Double?
  /// When the server or `--delay` allows the next request, by the monotonic clock.
  private(set) var nextRequestTime = 0.0
  /// Whether a run has found a gap that cannot be filled any more.
  var hasLostItems = false
  /// The head of the last run's first response.
  private(set) var head: HTTPHead?

  init(_ options: Options) throws(ToolFailure) {
    remaining = options.limit == .max ? nil : options.limit
    client = try PageSource.client()
  }

  mutating func begin() {
    failureKind = .content
    hasFilterFailed = false
    asked = nil
    head = nil
  }

  /// - Parameter fetcher: nil if the pages come from a file.
  mutating func update(_ printer: FeedPrinter, _ fetcher: ServerFetcher?) {
    remaining = printer.remaining
    place = printer.place
    guard let fetcher else { return }
    let source = fetcher.source
    isOpen = fetcher.opening == nil
    failureKind = source.failureKind
    hasFilterFailed = source.hasFilterFailed
    asked = source.retryWait.map(Double.init)
    nextRequestTime = source.nextRequestTime ?? nextRequestTime
    head = source.firstHead
  }
}

struct StoredPoll {
  private let url: HTTPURL
  private let store: Options.Store
  private let interval: Interval
  private let options: Options
  private let streams: StandardStreams
  private var state: PollState
  private var schedule: PollSchedule
  private var hasSucceeded = false
  /// What was last said of pages that are usable but odd.
  private var complaint: String?

  init(
    _ url: HTTPURL, _ store: Options.Store, every interval: Interval, _ options: Options, _ streams: StandardStreams
  ) throws(ToolFailure) {
    (self.url, self.store, self.interval, self.options, self.streams) = (url, store, interval, options, streams)
    state = try PollState(options)
    schedule = PollSchedule(due: 0, RetryPolicy(polling: interval))
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    while true {
      schedule.begin(at: Clock.monotonic())
      state.begin()
      do throws(ToolFailure) {
        let walk = try StoredWalk(.url(url), store, options, streams)
        let status = try walk.run(&state)
        if state.remaining == 0 {
          try noteClosed()
          return status
        }
        complaint = nil
        succeed()
      } catch {
        try handle(error)
      }
      let due = max(schedule.due, state.nextRequestTime)
      if try Interrupts(streams.output).sleep(until: due) != nil { throw .brokenPipe }
    }
  }

  private mutating func succeed() {
    hasSucceeded = true
    schedule.recover()
    let jitter = PollSchedule.jitter * Double.random(in: 0...1)
    schedule.succeed(state.head, every: interval, jitter: jitter, now: Clock.monotonic())
  }

  /// - Parameter failure: nil if the tool ends as it was told to.
  private mutating func noteClosed(_ failure: PollFailure? = nil) throws(ToolFailure) {
    let code = failure?.status
    guard state.isOpen || code != nil else { return }
    state.isOpen = false
    var notes = NotePrinter(options, streams)
    try notes.print(.closed, url.display, code: code, failure?.failure.message)
  }

  /// Handles the failure of a run.
  /// - Throws: a failure that a later run cannot mend.
  private mutating func handle(_ failure: ToolFailure) throws(ToolFailure) {
    switch failure.status {
    // The command line must say more, or nothing is ever printed.
    case .no where failure.message == FeedEngine.looksOldestFirst.message: throw failure
    case .no:
      // The page is usable: only the command line could make it better.
      if failure.message != complaint, !options.http.isSilent { streams.say(failure.diagnostic) }
      complaint = failure.message
      return succeed()
    case .remote, .tryAgain: break
    // The command is right, and the next body may be too.
    case .error where hasSucceeded && state.hasFilterFailed: break
    case .yes, .error: throw failure
    }
    let isBusy = failure.status == .tryAgain && state.failureKind == .content
    let found = PollFailure(
      failure: failure, kind: isBusy ? .network(.transient) : state.failureKind, asked: state.asked)
    // A run that did not get to a request says nothing about the feed.
    if !isBusy { try noteClosed(found) }
    guard !found.isFinal(hasSucceeded: hasSucceeded), let pause = schedule.fail(found, now: Clock.monotonic())
    else { throw failure }
    if pause.isReported || options.isVerbose, !options.http.isSilent {
      streams.say(failure.diagnostic.adding(RetryPolicy.words("retrying", in: pause.seconds)))
    }
    var notes = NotePrinter(options, streams)
    try notes.print(.retrying, url.display, delay: pause.seconds, failure.message)
  }
}
