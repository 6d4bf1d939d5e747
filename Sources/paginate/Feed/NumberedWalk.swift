// Feeds whose pages are asked for by a number or an offset. Whatever is inserted or deleted above shifts all that is
// below, so the number of a page is good only as long as nobody has touched the feed.
//
// - A tail that was read by an earlier run is looked for: the number of live items above it says on which page it is
//   now, and the page that comes must show it. Where it does not, the page before or after it is looked at.
// - While pages are read one after another, inserted items push some down to the next page, where they are met again
//   and known. Deleted ones pull some up to a page that was read already: then `total` is less than it was, and the page
//   before is read again before the one that said so is taken in.

struct NumberedWalk {
  /// How many items a page has; nil while it is not known.
  var pageSize: Int?
  /// How many items the feed had by the last page that was taken in.
  var total: Int?
  /// The requests of pages that follow each other, the last one being the one that is on its way or was taken in last.
  private var trail: [[UInt8]] = []
  /// How many are kept: deleting so many pages' worth of items between two requests is past finding out.
  private static let trailLimit = 8
  /// The least number that showed nothing of the run, being below its tail.
  private var lowestBelow = Int.max

  // MARK: The tail

  /// What a page shows of the run whose tail is looked for.
  enum TailView {
    /// The tail.
    case tail
    /// Only items of the run, and not its tail: that is further down.
    case above
    /// Items of the run and then others: the tail itself is not there any more.
    case beside
    /// Nothing of the run: that is further up.
    case below
  }

  /// The number to ask for so as to see the tail.
  /// - Parameter count: how many live items the run has, from the top of the feed on.
  /// - Returns: nil where the size of a page is not known.
  mutating func tailNumber(_ numbering: FeedOptions.Numbering, count: Int, overlap: Int) -> Int? {
    guard let pageSize, pageSize > 0 else { return nil }
    lowestBelow = .max
    switch numbering {
    case .pages: return max(0, count - 1) / pageSize
    case .offsets: return count - min(max(1, overlap), count)
    }
  }

  /// What to do with a page that was to show the tail.
  enum Verdict: Equatable {
    /// It is the right one.
    case take
    case ask(Int)
    /// The whole first page is new since it was looked at.
    case giveUp
  }

  mutating func verdict(_ numbering: FeedOptions.Numbering, on number: Int, _ tailView: TailView) -> Verdict {
    let step = numbering == .pages ? 1 : max(1, pageSize ?? 1)
    switch tailView {
    case .tail, .beside: return .take
    case .above:
      // What follows was seen to hold nothing of the run, so this is its end.
      return number + step >= lowestBelow ? .take : .ask(number + step)
    case .below:
      lowestBelow = min(lowestBelow, number)
      return number == 0 ? .giveUp : .ask(max(number - step, 0))
    }
  }

  // MARK: Page after page

  /// A page is the first of those that follow each other.
  mutating func begin(_ request: [UInt8]) { trail = [request] }

  /// The request of the page that follows.
  /// - Parameter fromFresh: whether the page before it was read by this run.
  mutating func go(_ request: [UInt8], fromFresh: Bool) {
    if !fromFresh {
      trail = []
      total = nil
    }
    trail.append(request)
    if trail.count > Self.trailLimit { trail.removeFirst() }
  }

  /// The last pages are to be asked for once more.
  /// - Parameter requests: what would be a loop.
  mutating func forget(_ count: Int, _ requests: inout Set<Int>) {
    for request in trail.suffix(count) { requests.remove(request.hashValue) }
    trail.removeLast(min(count, trail.count))
  }

  /// The page that must be read again before this one is taken in; nil where nothing was deleted.
  func pageBefore(_ page: FeedPage) -> [UInt8]? {
    guard let now = page.total, let total, now < total else { return nil }
    return request(steps: 1)
  }

  /// The request that came so many before the last.
  func request(steps: Int) -> [UInt8]? { steps < trail.count ? trail[trail.count - 1 - steps] : nil }
}

/// A page that shows a part of a run again, and what follows it.
struct RereadPage {
  let tailView: NumberedWalk.TailView
  /// Without what has come between the items of the run, or above them, since it was read. That has its place there, not
  /// below the tail; what is new at the top is found by the next refresh, what came late further down by a full walk.
  let page: FeedPage
  /// Whether items follow those of the run.
  let hasMore: Bool

  init(_ page: FeedPage, of run: FeedRun, _ knowledge: some FeedKnowledge) throws(StoreError) {
    let tail = try knowledge.lastLive(in: run.range)
    var isOfRun: [Bool] = []
    var showsTail = false
    for item in page.items {
      let known = try knowledge.item(item.id)
      isOfRun.append(known.map { !$0.isGone && run.range.contains($0.position) } ?? false)
      if let known, !known.isGone, known.position == tail { showsTail = true }
    }
    var kept = page
    if let last = isOfRun.lastIndex(of: true) {
      kept.items = page.items.indices.filter { $0 > last || isOfRun[$0] }.map { page.items[$0] }
      hasMore = last < page.items.count - 1
      tailView = showsTail ? .tail : hasMore ? .beside : .above
    } else {
      hasMore = !page.items.isEmpty
      tailView = .below
    }
    self.page = kept
  }
}
