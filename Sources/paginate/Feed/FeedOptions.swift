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

/// A message for standard error.
enum FeedNote: Equatable, Sendable {
  /// The server does not know the request any more that leads to the tail, so reading begins at page 1.
  case tailForgotten
  /// It does not know the value of `--since` any more.
  case sinceForgotten
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

  func text(_ order: FeedOrder?) -> String {
    switch self {
    case .tailForgotten: "the server has forgotten where an earlier run ended; reading from page 1"
    case .sinceForgotten: "the server does not know the value of --since any more; reading from page 1"
    case .gapLost:
      "a gap cannot be filled any more: the feed "
        + (order == .oldestFirst ? "begins after the known items" : "ends above the known items")
    case .uncertain(1): "1 item may or may not have been printed (--redeliver)"
    case .uncertain(let count): "\(count) items may or may not have been printed (--redeliver)"
    case .totalUnsteady: RereadLimit.message
    case .looksSorted: "the ids are in the order of their text; if this is no order of time, type --order none"
    case .shrunk: "the feed has become smaller while it is read, so items may be missing (--id)"
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

  var status: ExitStatus { failure?.status ?? (hasOpenGap ? .no : .yes) }
}
