// The endless walks: a request or a cursor that comes again, and pages with nothing new.

import FeedCore

/// The requests of a walk.
struct LoopGuard: Sendable {
  /// After this many pages in a row without new items, the feed is taken to be endless.
  static let staleLimit = 1000

  /// After this many numbered pages in a row that are the same, the server is taken not to know the number.
  static let sameLimit = 10

  private var requests = SeenIDs()
  private var cursors = SeenIDs()
  private var staleCount = 0
  /// The last numbered page, and how many in a row were the same.
  private var lastPage: Digest?
  private var sameCount = 0

  /// Whether the last page had no new item.
  var hasNothingNew: Bool { staleCount > 0 }

  /// Pages are to be read again.
  mutating func forgetRequests() {
    (requests, cursors) = (SeenIDs(), SeenIDs())
    (lastPage, sameCount) = (nil, 0)
  }

  /// Records how many items of a page are new.
  mutating func add(newItems count: Int) { staleCount = count == 0 ? staleCount + 1 : 0 }

  /// Records a page whose number was in the request. It may have no ids, so nothing else shows that it came before.
  mutating func add(numbered page: JSONDocument) {
    let digest = Digest(of: page.bytes)
    sameCount = digest == lastPage ? sameCount + 1 : 1
    lastPage = digest
  }

  /// Records a request.
  mutating func add(_ request: PageRequest) { _ = requests.insert(request.identity) }

  /// - Throws: if a request or cursor would be used again, or if nothing new comes.
  mutating func check(_ next: PageRequest, cursor: [UInt8]?) throws(WalkError) {
    if staleCount >= Self.staleLimit { throw WalkError(.loop, "\(staleCount) pages without a new item") }
    if sameCount >= Self.sameLimit {
      throw WalkError(.loop, "the last \(sameCount) pages are the same, so the server may ignore their number (--next)")
    }
    if requests.contains(next.identity) {
      throw WalkError(.loop, "the next page was already read in this run, so it would never end")
    }
    if let cursor, !cursors.insert(cursor) {
      throw WalkError(.loop, "the next page's cursor was already used in this run, so it would never end")
    }
  }
}
