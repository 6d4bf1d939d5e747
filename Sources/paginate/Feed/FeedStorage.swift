// What is asked of a store: what is known of a feed, to change it, and to record what has been printed. The protocol is
// small, so that a test can answer from memory.

import FeedCore

/// An item that waits to be printed.
struct WaitingItem: Equatable, Sendable {
  /// The position in the feed, or if that was asked for, the item's release number.
  let position: Int
  /// Whether that number is a later release of the item, not its first.
  var isAgain = false
  /// Without a store, it is still in its page. A store has read its texts.
  private var item: FeedItem?
  private var storedID: [UInt8] = []
  private var storedData: [UInt8] = []

  init(position: Int, _ item: FeedItem) { (self.position, self.item) = (position, item) }

  init(position: Int, id: [UInt8], data: [UInt8], isAgain: Bool = false) {
    (self.position, storedID, storedData, self.isAgain) = (position, id, data, isAgain)
  }

  var id: [UInt8] { item?.id ?? storedID }
  /// Its text, as one line.
  var data: [UInt8] { item?.data ?? storedData }
  /// How many items it stands for.
  var count: Int { item?.count ?? 1 }

  func write(to output: inout ByteWriter) {
    if let item { item.write(to: &output) } else { output.append(storedData) }
  }
}

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

/// A feed in a store. An item is live if it is not gone. Each call is one transaction: it is done as a whole or not at
/// all, whenever the process ends.
protocol FeedStorage: AnyObject {
  /// All runs, in any order.
  func runs() throws(StoreError) -> [FeedRun]
  /// What is known of an id, also if the item is gone; nil if it never came.
  func item(_ id: [UInt8]) throws(StoreError) -> KnownItem?
  /// The same for an item of a page.
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

  /// Makes a change, if there is one. All that `judge` asks of the store belongs to the same transaction, which costs
  /// much less than one for each question; so it must not wait for anything.
  /// - Parameter judge: returns the change, and the result of this call.
  func commit<T>(_ judge: () throws(StoreError) -> (T, FeedChange?)) throws(StoreError) -> T

  /// The first waiting items in a range of positions.
  /// - Parameters:
  ///   - lines: the most items.
  ///   - bytes: no more items once their data has this size; at least one if there is one.
  func waiting(in range: ClosedRange<Int>, lines: Int, bytes: Int) throws(StoreError) -> [WaitingItem]
  /// Records that the items in `range` will be written next.
  func recordIntent(_ range: ClosedRange<Int>) throws(StoreError)
  /// Records the result: the items in `printed` were written, the item at `torn` is uncertain, the rest still waits.
  /// - Parameter count: how many items were written.
  func recordPrinted(_ printed: ClosedRange<Int>?, count: Int, torn: Int?) throws(StoreError)
  /// Makes the items uncertain that were about to be written when the process ended.
  /// - Parameter note: called, if any are uncertain since the last run, with their number, including a torn line. The
  ///   call comes before this is recorded as reported, so it may be repeated, but is never left out.
  func recoverInterrupted(_ note: (Int) -> Void) throws(StoreError)
  /// Makes all uncertain items wait again.
  func redeliver() throws(StoreError)

  /// The items released for printing after a number, in that order; each once, with its newest number. Whether they
  /// have been printed does not matter.
  func released(after number: Int, lines: Int, bytes: Int) throws(StoreError) -> [WaitingItem]
  /// The number of the item's first release, or `again` if that is another of its numbers; nil if the item is unknown.
  func releaseNumber(of id: [UInt8], again: Int?) throws(StoreError) -> Int?
}

extension FeedStorage {
  func item(_ item: FeedItem) throws(StoreError) -> KnownItem? { try self.item(item.id) }
}

/// Why the store failed.
struct StoreError: Error, Equatable, Sendable {
  /// What a caller can do about it.
  enum Kind: Equatable, Sendable {
    /// Try again: another process kept the database locked for too long.
    case busy
    /// Read it otherwise: the file or its folder cannot be written.
    case readOnly
    case other
  }

  /// Lower case, no full stop.
  let message: String
  let kind: Kind

  init(_ message: String, _ kind: Kind = .other) { (self.message, self.kind) = (message, kind) }

  /// A stored value is impossible.
  static func damaged(_ what: String) -> StoreError { StoreError("the store is damaged: \(what)") }
}
