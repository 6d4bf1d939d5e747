// What a walk is told: by the command line, or by a store that remembers it.

import FeedCore

struct WalkOptions: Sendable {
  /// Nil: found out from the first page.
  var next: NextRule?
  /// Nil: likewise.
  var items: JSONPointer?
  var id: JSONPointer?
  var hasMore: HasMore?
  var total: JSONPointer?
  var orderKey: JSONPointer?
  /// Whether the id of an item is found out where it is not given: a store needs it.
  var findsID = false
  /// Whether earlier pages are known to have had their items at `items`.
  var hasKnownItems = false
  /// Whether a cursor that is empty leads to a page; it ends the walk otherwise.
  var followsEmptyCursor = false
  /// Whether a request that comes a second time is an error; not where what asks has its own way to see that.
  var guardsLoops = true
  /// Whether an id that has turned up already is passed over.
  var dedupes = true
  var limit = Int.max
  var maxPages = Int.max
  /// Ends before the item with this id.
  var untilID: [UInt8]?
  /// Parameters that are added to links where the server has left them out.
  var keptParameters: [[UInt8]] = []
  /// Whether the next link of a page is wanted although it is not followed (`--print-next`).
  var findsLink = false
  var allowedHosts: [HostPattern] = []
  var trustedHosts: [HostPattern] = []

  /// - Throws: a usage error, when the options contradict each other or the first request.
  func check(_ first: PageRequest?) throws(WalkError) {
    guard let next else { return }
    let name = String(decoding: next.text.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
    if next.needsIDs, id == nil { throw WalkError(.usage, "option '--next \(name)' needs '--id'") }
    if next.needsBody, let first {
      guard first.body != nil else { throw WalkError(.usage, "option '--next \(name)' needs a JSON body (--data)") }
      _ = try BodyCursor.document(of: first)
    }
  }
}
