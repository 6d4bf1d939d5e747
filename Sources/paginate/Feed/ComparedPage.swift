// What a page's items are to the walk that reads it, and whether they show that the page joins what is known.
//
// A page joins an older run when the items of the page that this walk has not met before end in items of that run, in
// its order. It must be the end of the page: a pinned item on top is known however much is missing below it, and an
// item that was moved up stands between new ones. What comes last on the page was read last, so if that is known
// ground, what lies above it has been seen completely.

/// An item of a page beside what is known of it.
struct ComparedItem {
  let item: FeedItem
  let known: KnownItem?
  /// The index of the run that it is in; nil where it is new or gone.
  let run: Int?

  /// Whether it can show that known ground is reached.
  ///
  /// Not if its order key is another than before: then it is not where it was, so what is around it need not be either.
  var countsForOverlap: Bool {
    guard run != nil, let known else { return false }
    guard let old = known.orderKey, let new = item.orderKey else { return true }
    return old == new
  }

  /// Whether the item is another than it was when it was read last.
  var isEdited: Bool { known.map { $0.version != item.version } ?? false }
  var isReordered: Bool { known.map { $0.orderKey != item.orderKey } ?? false }
}

/// A page beside what is known of its items.
struct ComparedPage {
  /// What the walk meets for the first time, in the order of the page; a second item of one id on a page is left out.
  private(set) var unseen: [ComparedItem] = []
  /// What the walked run has already.
  private(set) var seen: [ComparedItem] = []

  /// - Parameter walked: the index of the run that is being read; nil where this page begins a walk.
  init(
    _ page: FeedPage, walked: Int?, _ runs: FeedRuns, _ knowledge: some FeedKnowledge
  ) throws(StoreError) {
    var ids: Set<[UInt8]> = []
    ids.reserveCapacity(page.items.count)
    for item in page.items where ids.insert(item.id).inserted {
      let known = try knowledge.item(item.id)
      let run = known.flatMap { $0.isGone ? nil : runs.index(of: $0.position) }
      let compared = ComparedItem(item: item, known: known, run: run)
      if run != nil, run == walked { seen.append(compared) } else { unseen.append(compared) }
    }
  }

  /// Known items at the end of the page, of one run and in its order.
  struct Overlap {
    /// The index of the run.
    let run: Int
    /// How many items at the end of `unseen`.
    let count: Int
    /// Where they are, ascending.
    let positions: [Int]
  }

  var overlap: Overlap? {
    guard let run = unseen.last?.run else { return nil }
    var positions: [Int] = []
    for item in unseen.reversed() {
      guard item.run == run, item.countsForOverlap, let position = item.known?.position,
        position < positions.last ?? .max
      else { break }
      positions.append(position)
    }
    return positions.isEmpty ? nil : Overlap(run: run, count: positions.count, positions: positions.reversed())
  }
}
