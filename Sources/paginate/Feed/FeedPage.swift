// The parts of a response that the engine needs. Other code knows how to request a page and how to parse its body; here
// a request is just bytes.

import FeedCore

/// The items of a response, in order, and the request for the next page.
struct FeedPage: Equatable, Sendable {
  var items: [FeedItem]
  /// The request for the next page; nil at the end of the feed.
  var next: [UInt8]?
  /// How many items the feed has, if the page says so.
  var total: Int?
  /// Whether a number leads to the next page.
  var isNumbered = false
  /// Whether `total` counts pages.
  var countsPages = false
  var etag: [UInt8]?
  /// Whether the page says that items of it may be missing. Then no item is gone because it has not come.
  var isUncertain = false
  /// The greatest value of `--since` so far.
  var mark: SinceMark?
  /// The index of the first item with which the caller wants to end (`--stop-before`).
  var end: Int?
  /// Why the walk cannot go on below the page, although its items are valid. Then `next` is the request for the page
  /// itself, which a later run makes again.
  var failure: FeedFailure?

  /// The page without the items from `end` on. Its next request is the one for the page itself, as the rest is unread.
  func cut(_ request: [UInt8]) -> FeedPage {
    guard let end else { return self }
    var page = self
    page.items.removeSubrange(end...)
    page.next = request
    return page
  }
}

/// Why there is no page.
struct FeedFailure: Error, Equatable, Sendable {
  /// 2 to 4 (feedutils(7), EXIT STATUS).
  let status: ExitStatus
  let message: String
  /// Whether the server may have forgotten what the request asks for: HTTP 400, 404 or 410.
  var isForgotten = false
}

/// The response to a request, after all retries.
enum FeedResponse: Equatable, Sendable {
  case page(FeedPage)
  /// 304: the first page has not changed.
  case notModified
  case failed(FeedFailure)
}
