// The options of a walk, from the command line or remembered by a store.

import FeedCore
import FeedHTTP

struct WalkOptions: Sendable {
  /// Nil: to be detected from the first page.
  var next: NextRule?
  /// Nil: to be detected from the first page.
  var items: JSONPointer?
  /// Whether the items are the members of an object, rather than the elements of an array.
  var itemsAreMembers = false
  /// Whether each line of a page is an item.
  var itemsAreLines = false
  var id: JSONPointer?
  var hasMore: HasMore?
  var total: JSONPointer?
  var orderKey: JSONPointer?
  var since: SinceRule?
  /// If not given, the feed in a store may set it.
  var sinceOverlap = SinceOverlap.none
  /// Whether to detect the id of an item if it is not given: a store needs it.
  var findsID = false
  /// Whether earlier pages are known to have had items at `items`.
  var hasKnownItems = false
  var emptyCursor = EmptyCursor.end
  /// Whether a repeated request is an error; false if the caller detects loops itself.
  var guardsLoops = true
  /// Whether a request may be made again by a later run.
  var keepsRequests = false
  /// Whether to skip items whose id was seen before.
  var dedupes = true
  /// The statuses of a request past the last page.
  var endStatuses = StatusSet.none
  var limit = Int.max
  var maxPages = Int.max
  /// Ends before the first item for which this holds.
  var stopBefore: Condition?
  /// Parameters to add to links if the server has left them out.
  var keptParameters: [[UInt8]] = []
  /// Whether to find the next link of a page without following it (`--print-next`).
  var findsLink = false
  var allowedHosts: [HostPattern] = []
  var trustedHosts: [HostPattern] = []

  /// What an empty cursor means.
  enum EmptyCursor: String, CaseIterable { case end, follow }

  /// The pointer to the object whose members are the items.
  var itemsObject: JSONPointer? {
    get { itemsAreMembers ? items : nil }
    set { (items, itemsAreMembers) = (newValue, newValue != nil) }
  }

  /// Whether the id of an item is known without a search: a member has its name.
  var hasIDs: Bool { id != nil || itemsAreMembers }

  /// - Throws: a usage error if the options contradict each other or the first request.
  func check(_ first: PageRequest?) throws(WalkError) {
    guard let next else { return }
    let name = String(decoding: next.text.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
    if next.needsIDs, !hasIDs { throw WalkError(.usage, "option '--next \(name)' needs '--id'") }
    if next == .scroll, let first { try ElasticScroll.check(first, isKept: keepsRequests) }
    if next.needsBody, let first {
      guard first.body != nil else { throw WalkError(.usage, "option '--next \(name)' needs a JSON body (--data)") }
      _ = try BodyCursor.document(of: first)
    }
  }
}
