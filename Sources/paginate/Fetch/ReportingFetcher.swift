// What a fetcher reports besides its pages, for messages, the exit status and the store.

import FeedCore
import FeedHTTP

/// A fetcher that says more than the engine needs.
protocol ReportingFetcher: PageFetcher {
  /// What was detected from the pages; nil before the first.
  var shape: Shape? { get }
  /// The failure of the last request, with its place.
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
    countsPages = count?.countsPages == true
    // If the walk cannot go on, a later run reads the page again, perhaps with another rule.
    self.failure = failure
    self.next = failure == nil ? next : request
  }
}
