// Finds where to read on in a feed whose oldest items come first.
//
// A stored page knows the request for the page after it, so the request for the page with the tail is in the page
// before. That page is read again: it shows the tail, and after it what is new. If it shows nothing known, items were
// deleted, or pages have shifted. Then earlier pages are tried, each twice as far up, and at last the first.

/// The search for the page with the tail.
struct TailSearch {
  /// A page that should show the tail.
  struct TailPage: Equatable {
    let request: [UInt8]
    /// Its first position when it was read. Known items from further up prove nothing: they have moved.
    let top: Int
    /// Whether no page is further up.
    let isFirst: Bool
  }

  /// How many pages above that of the tail to look.
  private var distance = 0
  private var isAtTop = false

  /// Looks further up the next time.
  mutating func goUp() { distance = min(max(1, distance * 2), 1 << 30) }

  /// Looks at page 1.
  mutating func goToTop() { isAtTop = true }

  /// The place to look at.
  func place(in run: FeedRun, _ options: FeedOptions, _ store: any FeedStorage) throws(StoreError) -> TailPage {
    let first = TailPage(request: options.firstRequest, top: run.top, isFirst: true)
    guard !isAtTop, let tail = try store.lastLive(in: run.range),
      var page = try store.lastPage(in: run.top...tail)
    else { return first }
    var left = distance
    while page.top > run.top, let before = try store.lastPage(in: run.top...(page.top - 1)) {
      if left <= 0, let request = before.next { return TailPage(request: request, top: page.top, isFirst: false) }
      page = before
      left -= 1
    }
    return first
  }
}

/// What a walk that reads known items again has met of them.
struct KnownGround: Equatable {
  /// The first position that the walk can meet at its place. An item from further up has moved.
  let top: Int
  /// The first position where a missing item is proven to be gone: the place that was asked for.
  let asked: Int
  /// The last position when the walk began.
  let bottom: Int
  /// Whether the first page to be read began at `top`. If not, it begins somewhere below.
  let isPageTop: Bool
  /// The last position met; before the first, the one above `top`.
  var last: Int
  /// Whether a page was read, and whether one has shown something from here.
  var isRead = false
  var isEntered = false

  init(from top: Int, asked: Int, to bottom: Int, isPageTop: Bool) {
    (self.top, self.asked, self.bottom, self.isPageTop) = (top, asked, bottom, isPageTop)
    last = top - 1
  }

  /// The walk has met a position.
  mutating func pass(_ position: Int) { last = max(last, min(position, bottom)) }
}

/// What a page of a search shows of the run whose tail is wanted.
struct ShownTail {
  let view: NumberedWalk.TailView
  /// How many items prove that the page is where it should be: items of the run, in its order, from the place on.
  let proofCount: Int
  /// Whether it shows more than known items at their places.
  let hasNews: Bool
  /// If it shows several items of the run and nothing else, in its order: the position of the first.
  let stretchTop: Int?

  init(_ page: FeedPage, of run: FeedRun, from top: Int, _ store: any FeedStorage) throws(StoreError) {
    let tail = try store.lastLive(in: run.range)
    var (proofs, last, showsTail) = (0, Int.min, false)
    var positions: [Int] = []
    for item in page.items {
      guard let found = try store.item(item), !found.isGone, run.range.contains(found.position) else { continue }
      positions.append(found.position)
      let hasMoved = found.orderKey != item.orderKey && found.orderKey != nil && item.orderKey != nil
      guard !hasMoved, found.position >= top, found.position > last else { continue }
      proofs += 1
      last = found.position
      if last == tail { showsTail = true }
    }
    proofCount = proofs
    hasNews = proofs < page.items.count
    let isOfRun = !positions.isEmpty && positions.count == page.items.count
    let isStretch = isOfRun && positions.count > 1 && zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 }
    stretchTop = isStretch ? positions.first : nil
    view = showsTail ? .tail : isOfRun ? .above : proofs > 0 ? .beside : .below
  }
}
