// One change of the store, made as a whole or not at all.

/// The changes to make in one transaction, in the order of these members.
struct FeedChange: Equatable, Sendable {
  /// An item that is new, moved or edited. There may be a million of them, so it takes 32 bytes.
  struct ChangedItem: Equatable, Sendable {
    let item: FeedItem
    /// Whether its version and data have changed.
    let isEdited: Bool
    /// Whether it waits to be printed again.
    let isPrintedAgain: Bool
    private let number, place: Int

    init(item: FeedItem, handle: Int? = nil, position: Int? = nil, isEdited: Bool = false, isPrintedAgain: Bool = false)
    {
      (self.item, self.isEdited, self.isPrintedAgain) = (item, isEdited, isPrintedAgain)
      // Neither is ever so small. An optional would take 8 bytes more.
      (number, place) = (handle ?? .min, position ?? .min)
    }

    /// The known item; nil for a new one, which then waits to be printed.
    var handle: Int? { number == .min ? nil : number }
    /// Its new position; nil if it does not move. An item with a position is live, so one that was gone is back.
    var position: Int? { place == .min ? nil : place }
  }

  var items: [ChangedItem] = []
  /// The live items at these positions are gone.
  var gone: [ClosedRange<Int>] = []
  /// Delete the records of pages that begin at these positions.
  var removedPages: [ClosedRange<Int>] = []
  var savedPages: [KnownPage] = []
  /// The numbers of the runs.
  var removedRuns: [Int] = []
  var savedRuns: [FeedRun] = []
  /// What page 1 said; nil if this change is not about page 1. If the oldest items come first: what the last page said.
  var firstPage: FirstPage?
  /// The greatest value of `--since`; nil if it stays.
  var mark: SinceMark?
  /// Whether nothing is missing any more, so that the next run may begin at the greatest value.
  var isCovered = false

  struct FirstPage: Equatable, Sendable {
    /// If the oldest items come first, a digest of the page's request and a space come before (`FeedEngine.facts`).
    var etag: [UInt8]?
    /// How many items page 1 had; if the oldest come first, how many any page had.
    var size: Int
    /// How many items the feed had.
    var total: Int?
  }

  var isEmpty: Bool { self == FeedChange() }
}
