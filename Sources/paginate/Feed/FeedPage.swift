// What one answer brings, as far as deciding needs it. How it was asked for and how a body is taken apart is known
// elsewhere; here a request is bytes that stand for themselves.

import FeedCore

/// An item as a page has it.
struct FeedItem: Equatable, Sendable {
  let id: [UInt8]
  /// What the feed is sorted by; nil where `--order-key` is not given.
  var orderKey: [UInt8]?
  /// Differs where the item was edited: a digest of its text, or some member of it.
  var version: [UInt8]
  /// One line of JSON.
  var data: [UInt8]
}

/// The items of an answer, in order, and how to go on.
struct FeedPage: Equatable, Sendable {
  var items: [FeedItem]
  /// The request for the next page; nil at the end of the feed.
  var next: [UInt8]?
  /// How many items the feed has, where it says so.
  var total: Int?
  var etag: [UInt8]?
}

/// Why there is no page.
struct FeedFailure: Error, Equatable, Sendable {
  /// 2 to 4 (DESIGN.md, exit statuses).
  let status: ExitStatus
  let message: String
}

/// What came back for a request, when all retries are done.
enum FeedAnswer: Equatable, Sendable {
  case page(FeedPage)
  /// 304: the first page is as it was.
  case notModified
  case failed(FeedFailure)
}
