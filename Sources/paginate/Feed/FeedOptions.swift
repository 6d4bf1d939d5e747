import FeedCore

/// The engine's part of the command line.
struct FeedOptions: Sendable {
  enum FeedCommand: Sendable {
    /// From the top to known items, then whatever is missing below.
    case refresh
    /// Continue from the tail.
    case more
    /// From the top to the end.
    case full
  }

  /// How a page is requested if its place is a number, which shifts when items are inserted above.
  enum Numbering: Sendable {
    /// The first page is 0.
    case pages
    /// By the index of its first item, from 0.
    case offsets
  }

  /// A feed of which the first request can ask for a part: only what is newer than a mark that the store keeps.
  struct Since: Equatable, Sendable {
    /// Whether the first request asks for that part. Then an item that does not come proves nothing.
    var isFiltered = false
    /// Whether that part must begin with known items; if not, it follows them by its meaning.
    var mustJoin = false
    /// Whether its pages may be numbered, so that an item that moves to its end shifts the others.
    var mayShift = false
    /// Whether the value comes from the last page of a response, rather than from its items.
    var isOfPage = false
  }

  var command = FeedCommand.refresh
  /// Nil as long as it has not been said, and pages have not shown it: then as if the newest come first.
  var order: FeedOrder?
  /// Nil for no limit.
  var maxPages: Int?
  /// Whether the feed is in a store, to which later runs add.
  var isKept = true
  /// Whether an item that came before is known by its id. If not, each one is new.
  var dedupes = true
  /// How many known items prove that a page reaches what is known, unless there cannot be as many.
  var proof = 2
  /// `--changed`.
  var printsChanged = false
  /// Whether an item was edited, by its old and its new text. `--ignore` leaves something out.
  var isEdit: (@Sendable (_ old: [UInt8], _ new: [UInt8]) -> Bool)?
  /// `--since`; nil without it.
  var since: Since?
  /// Whether the ETag of page 1 belongs to `firstRequest`.
  var isConditional = true
  /// The request for page 1.
  var firstRequest: [UInt8]
  /// Nil if each next request comes from the page before.
  var numbering: Numbering?
  /// The request for the page with a number.
  var numberedRequest: @Sendable (Int) -> [UInt8] = { _ in [] }

  init(firstRequest: [UInt8]) { self.firstRequest = firstRequest }

  /// Whether page 1 follows the tail: the oldest items come first, and it has only what is newer than the mark.
  var followsTail: Bool { order == .oldestFirst && since?.isFiltered == true }
}

/// The order of a feed: where new items appear, and so where a refresh begins.
///
/// Positions follow the feed in each order. If the newest items come first, a refresh reads from the top down to known
/// items. If the oldest come first, it reads the page of the tail again, and then what follows. In no order, it reads all.
enum FeedOrder: String, CaseIterable, Sendable {
  case newestFirst = "newest-first"
  case oldestFirst = "oldest-first"
  /// New items appear anywhere, so each run reads everything.
  case none

  /// Whether the ids of a page are in the order of their text, not of numbers: it may be a listing by name.
  static func isSorted(_ page: FeedPage) -> Bool {
    let ids = page.items.map(\.id)
    guard ids.count >= 3, !ids.allSatisfy({ DecimalText($0) != nil }) else { return false }
    let pairs = zip(ids, ids.dropFirst())
    return pairs.allSatisfy { $0.lexicographicallyPrecedes($1) }
      || pairs.allSatisfy { $1.lexicographicallyPrecedes($0) }
  }

  /// The order that a page shows: the oldest come first if every item is newer than the one above it.
  /// - Returns: nil if another page may show more: this one has fewer than three items, or equal ones. If ages cannot be
  ///   told from ids, no page ever shows that the oldest come first.
  static func shown(by page: FeedPage) -> FeedOrder? {
    guard page.items.count >= 3 else { return nil }
    if let order = order(of: page.items, by: { DecimalText($0.orderKey ?? $0.id) }) { return order }
    return order(of: page.items) { $0.orderKey.flatMap { SinceValue($0, as: .time)?.amount } } ?? .newestFirst
  }

  /// - Returns: nil if an item has no age; an inner nil if the ages do not tell.
  private static func order<Age: Comparable>(of items: [FeedItem], by age: (FeedItem) -> Age?) -> FeedOrder?? {
    var last: Age?
    var (hasOlder, allAreNewer) = (false, true)
    for item in items {
      guard let now = age(item) else { return nil }
      if let last {
        if now < last { hasOlder = true }
        if !(last < now) { allAreNewer = false }
      }
      last = now
    }
    return .some(hasOlder ? .newestFirst : allAreNewer ? .oldestFirst : nil)
  }
}

/// A message for standard error.
enum FeedNote: Equatable, Sendable {
  /// The server does not know the request any more that leads to the tail, so reading begins at page 1.
  case tailForgotten
  /// It does not know the value of `--since` any more.
  case sinceForgotten
  /// The same, and it has given another one, so what came between is lost.
  case sinceReplaced
  /// Items between two runs are no longer available.
  case gapLost
  /// The ids of page 1 are in the order of their text.
  case looksSorted
  /// This number of items may or may not have been printed by a run that was killed.
  case uncertain(Int)
  /// The feed said again and again that it has become smaller, and showed nothing new. So its total proves nothing, and
  /// items may be missing.
  case totalUnsteady
  /// The feed has become smaller, and pages cannot be read again without printing items twice.
  case shrunk

  /// The message: one line, lower case, no full stop.
  func text(_ order: FeedOrder?) -> String {
    switch self {
    case .tailForgotten: "the server has forgotten where an earlier run ended; reading from page 1"
    case .sinceForgotten: "the server does not know the value of --since any more; reading from page 1"
    case .sinceReplaced:
      "the server does not know the value of --since any more, so items may be missing (--full reads all)"
    case .gapLost:
      "a gap cannot be filled any more: the feed "
        + (order == .oldestFirst ? "begins after the known items" : "ends above the known items")
    case .uncertain(1): "1 item may or may not have been printed (--redeliver)"
    case .uncertain(let count): "\(count) items may or may not have been printed (--redeliver)"
    case .totalUnsteady: NumberedWalk.totalUnsteady
    case .looksSorted:
      "the ids are in the order of their text; if this is no order of time, use a new store and --order none"
    case .shrunk: "the feed has become smaller while it is read, so items may be missing (--id-from)"
    }
  }
}

/// How the run ended.
struct FeedOutcome: Equatable, Sendable {
  /// Why it ended early, if it did.
  var failure: FeedFailure?
  /// Whether items are missing in the middle that are still available to a later run.
  var hasOpenGap: Bool
  /// Whether it ended because enough was printed.
  var isStopped = false
  /// Why the output took no more, which ended the run.
  var outputError: SystemError?

  var status: ExitStatus { failure?.status ?? (hasOpenGap ? .no : .yes) }
}
