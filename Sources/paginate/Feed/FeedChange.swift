// One step of what is known, to be taken whole or not at all.

/// What the store is to change in one transaction. The parts are applied in the order in which they stand here.
struct FeedChange: Equatable, Sendable {
  /// An item that comes, moves, or is another than it was.
  struct Item: Equatable, Sendable {
    let item: FeedItem
    /// The item that is known already; nil for one that is new, and by that waits to be printed.
    var handle: Int?
    /// Where it is from now on; nil where it stays. To have a place is to be there, so whatever was gone is back.
    var position: Int?
    /// Whether its version and data are others than those that are known.
    var isEdited = false
    /// Whether it waits to be printed once more.
    var isPrintedAgain = false
  }

  var items: [Item] = []
  /// The live items with these positions are gone.
  var gone: [ClosedRange<Int>] = []
  /// The pages that begin at these positions are forgotten.
  var removedPages: [ClosedRange<Int>] = []
  var savedPages: [KnownPage] = []
  /// By their numbers.
  var removedRuns: [Int] = []
  var savedRuns: [FeedRun] = []
  /// What page 1 said; nil where this was not about page 1.
  var firstPage: FirstPage?

  struct FirstPage: Equatable, Sendable {
    var etag: [UInt8]?
    /// How many items it had.
    var size: Int
    /// How many items the feed had.
    var total: Int?
  }

  var isEmpty: Bool { self == FeedChange() }
}
