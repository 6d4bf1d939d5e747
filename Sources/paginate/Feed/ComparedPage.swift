// Compares a page's items with what is known, and decides whether the page joins a known run.
//
// A page joins an older run if the items that are new to this walk end in items of that run, in its order. They must be
// at the end of the page. A pinned item on top is known however much is missing below it, and an item that was moved up
// is among new ones. The end of the page was read last; if it is known, everything above it has been read.

/// An item of a page, with what is known of it. There may be a million of them, so it takes 32 bytes.
struct ComparedItem {
  let item: FeedItem
  private var facts: ItemFacts
  private let number: Int
  private let place: Int

  private struct ItemFacts: OptionSet {
    let rawValue: UInt8
    static let isKnown = Self(rawValue: 1)
    static let isInRun = Self(rawValue: 2)
    static let isEdited = Self(rawValue: 4)
    static let isReordered = Self(rawValue: 8)
    static let hasMoved = Self(rawValue: 16)
    static let isTrivial = Self(rawValue: 32)
  }

  /// - Parameter isInRun: whether its known position is in a run.
  init(_ item: FeedItem, _ known: KnownItem?, isInRun: Bool) {
    self.item = item
    (number, place) = (known?.handle ?? 0, known?.position ?? 0)
    facts = []
    guard let known else { return }
    facts = isInRun ? [.isKnown, .isInRun] : .isKnown
    if known.version != item.version { facts.insert(.isEdited) }
    let key = item.orderKey
    if known.orderKey != key {
      facts.insert(known.orderKey == nil || key == nil ? .isReordered : [.isReordered, .hasMoved])
    }
  }

  /// The known item; nil if it is new.
  var handle: Int? { facts.contains(.isKnown) ? number : nil }
  /// Its known position.
  var position: Int? { facts.contains(.isKnown) ? place : nil }
  /// The same, if that is in a run: not if it is gone.
  var positionInRun: Int? { facts.contains(.isInRun) ? place : nil }

  /// Whether it can prove that the page reaches known items.
  ///
  /// Not if its order key has changed: then it has moved, and its neighbours say nothing.
  var countsForOverlap: Bool { facts.contains(.isInRun) && !facts.contains(.hasMoved) }

  /// The item as one that belongs to no run.
  var withoutRun: ComparedItem {
    var item = self
    item.facts.remove(.isInRun)
    return item
  }
  /// The same, if it has moved.
  var ifMoved: ComparedItem? { facts.contains(.hasMoved) ? withoutRun : nil }

  /// Whether the item has changed since it was last read.
  var isEdited: Bool { facts.contains(.isEdited) }
  /// Whether that change is to be printed.
  var isWorthPrinting: Bool { facts.contains(.isEdited) && !facts.contains(.isTrivial) }

  /// The change is in an ignored part.
  mutating func markTrivial() { facts.insert(.isTrivial) }
  var isReordered: Bool { facts.contains(.isReordered) }
}

/// A page, with what is known of its items.
struct ComparedPage {
  /// The items that are new to this walk, in the order of the page; a second item with the same id is left out.
  private(set) var unseen: [ComparedItem] = []
  /// The items that the walked run already has. On known ground, only those met at their place now.
  private(set) var seen: [ComparedItem] = []
  /// On known ground: the first position there that the page shows, even if the item has moved.
  private(set) var firstMet: Int?

  /// - Parameters:
  ///   - walked: the index of the run that is being read; nil if this page begins a walk.
  ///   - ground: what the walk reads again of that run; nil if it began above the run.
  ///   - options: if the oldest items come first, one that moves comes towards the walk.
  init(
    _ page: FeedPage, walked: Int?, on ground: KnownGround?, _ options: FeedOptions, _ runs: FeedRuns,
    _ store: any FeedStorage
  ) throws(StoreError) {
    var ids = SeenIDs()
    unseen.reserveCapacity(page.items.count)
    for item in page.items {
      // A feed that is not kept looks for the same id in one page when it adds the items.
      if options.isKept, !ids.insert(item.idDigest) { continue }
      let known = try store.item(item)
      let run = known.flatMap { $0.isGone ? nil : runs.index(of: $0.position) }
      var compared = ComparedItem(item, known, isInRun: run != nil)
      if compared.isEdited, let handle = compared.handle, let isEdit = options.isEdit,
        !isEdit(try store.text(of: handle), item.data)
      {
        compared.markTrivial()
      }
      if let known, let ground, run != nil, run == walked {
        let isExtended = !unseen.isEmpty || runs.all[run ?? 0].bottom > ground.bottom
        add(compared, at: known.position, on: ground, isExtended)
      } else if run != nil, run == walked {
        if options.order == .oldestFirst, let moved = compared.ifMoved {
          unseen.append(moved)
        } else {
          seen.append(compared)
        }
      } else {
        unseen.append(compared)
      }
    }
  }

  /// Adds an item of the walked run. It stays where it is if it still follows the one that was met before it. If not, it
  /// has moved, and counts as an item without a run. What this walk has met already, it does not look at again.
  /// - Parameter isExtended: whether something that is not from here was found.
  private mutating func add(_ item: ComparedItem, at position: Int, on ground: KnownGround, _ isExtended: Bool) {
    if position > ground.bottom || (position >= ground.top && position <= ground.last) {
      if let moved = item.ifMoved { unseen.append(moved) }
      return
    }
    if position >= ground.top { firstMet = min(firstMet ?? position, position) }
    if !isExtended, position >= ground.top, position > seen.last?.position ?? ground.last {
      seen.append(item)
    } else {
      unseen.append(item.withoutRun)
    }
  }

  /// Known items at the end of the page, of one run and in its order.
  struct Overlap {
    /// The index of the run.
    let run: Int
    /// Their positions, ascending.
    let positions: [Int]
    /// Their number, at the end of `unseen`.
    var count: Int { positions.count }
  }

  func overlap(_ runs: FeedRuns) -> Overlap? { overlap(unseen[...], runs) }

  /// The last known items of a run, with unknown ones after them: the page reaches past the run, which ends there.
  /// - Parameters:
  ///   - proof: how many items prove it, if the run has as many.
  ///   - last: where the page before ended in known items.
  /// - Returns: the items of the run, and the index in `unseen` of the first item after them.
  func passed(
    _ runs: FeedRuns, _ proof: Int, after last: PagePlan.JoinPoint?, _ store: any FeedStorage
  ) throws(StoreError) -> (overlap: Overlap, end: Int)? {
    guard let end = unseen.lastIndex(where: { $0.positionInRun != nil }).map({ $0 + 1 }), end < unseen.count,
      unseen[end...].allSatisfy({ $0.handle == nil }), let found = overlap(unseen[..<end], runs)
    else { return nil }
    let range = runs.all[found.run].range
    guard try store.lastLive(in: range) == found.positions.last else { return nil }
    let goesOn =
      found.count == end && last?.run == runs.all[found.run].number && (last?.position ?? .max) < found.positions[0]
    let isProof = goesOn || found.count >= proof ? true : try store.liveCount(in: range) == found.count
    guard isProof else { return nil }
    return (found, end)
  }

  private func overlap(_ unseen: ArraySlice<ComparedItem>, _ runs: FeedRuns) -> Overlap? {
    guard let run = unseen.last?.positionInRun.flatMap(runs.index) else { return nil }
    var positions: [Int] = []
    for item in unseen.reversed() {
      guard item.countsForOverlap, let position = item.positionInRun, runs.all[run].range.contains(position),
        position < positions.last ?? .max
      else { break }
      positions.append(position)
    }
    positions.reverse()
    return positions.isEmpty ? nil : Overlap(run: run, positions: positions)
  }
}
