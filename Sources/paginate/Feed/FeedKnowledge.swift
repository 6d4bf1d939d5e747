// What the engine asks the store. The protocol is small, so that a test can answer from memory.

/// What is known of an item.
struct KnownItem: Equatable, Sendable {
  /// The store's identifier for it.
  let handle: Int
  let position: Int
  let orderKey: [UInt8]?
  let version: [UInt8]
  let isGone: Bool
}

/// A page of a run. It begins at a position, and ends where the next page begins or the run ends.
struct KnownPage: Equatable, Sendable {
  var top: Int
  /// The request for the next page, at the time when this one was read; nil at the end of the feed.
  var next: [UInt8]?
}

/// What is known of one feed. An item is live if it is not gone.
protocol FeedKnowledge {
  func runs() throws(StoreError) -> [FeedRun]
  func item(_ id: [UInt8]) throws(StoreError) -> KnownItem?
  func item(_ item: FeedItem) throws(StoreError) -> KnownItem?
  /// The text of a known item.
  func text(of handle: Int) throws(StoreError) -> [UInt8]
  /// The smallest position of a live item within a range.
  func firstLive(in range: ClosedRange<Int>) throws(StoreError) -> Int?
  /// The largest position of a live item within a range.
  func lastLive(in range: ClosedRange<Int>) throws(StoreError) -> Int?
  func liveCount(in range: ClosedRange<Int>) throws(StoreError) -> Int
  /// The first of the pages that begin within a range.
  func firstPage(in range: ClosedRange<Int>) throws(StoreError) -> KnownPage?
  /// The last of them.
  func lastPage(in range: ClosedRange<Int>) throws(StoreError) -> KnownPage?
  /// What page 1 said when it was last read.
  func firstPage() throws(StoreError) -> FeedChange.FirstPage?
}

extension FeedKnowledge {
  func item(_ item: FeedItem) throws(StoreError) -> KnownItem? { try self.item(item.id) }
}
