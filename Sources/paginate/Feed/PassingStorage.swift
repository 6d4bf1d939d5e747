/// A feed that is not kept: what a walk without a store knows of it. There is one run, from page 1 on, and nothing of an
/// item but whether it came before. All that was added can be printed at once, and is forgotten then.
final class PassingStorage: FeedStorage {
  private let dedupes: Bool
  private var seen = SeenIDs()
  /// The id of the last item, and its position.
  private var last: (id: Digest, position: Int)?
  private var run: FeedRun?
  private var page: KnownPage?
  private var fresh: ArraySlice<FeedChange.ChangedItem> = []
  /// How many items came, each counted once.
  private var count = 0

  /// - Parameter dedupes: whether items are told apart by their ids.
  init(dedupes: Bool) { self.dedupes = dedupes }

  // MARK: Knowledge

  func runs() -> [FeedRun] { run.map { [$0] } ?? [] }

  /// All items but the last one seem to be at the top.
  func item(_ id: [UInt8]) -> KnownItem? { item(Digest(of: id)) }

  func item(_ item: FeedItem) -> KnownItem? { self.item(item.idDigest) }

  private func item(_ id: Digest) -> KnownItem? {
    guard let run, seen.contains(id) else { return nil }
    let position = last.map { $0.id == id ? $0.position : run.top } ?? run.top
    return KnownItem(handle: 0, position: position, orderKey: nil, version: [], isGone: false)
  }

  func text(of handle: Int) -> [UInt8] { [] }
  func firstLive(in range: ClosedRange<Int>) -> Int? { run?.top }
  func lastLive(in range: ClosedRange<Int>) -> Int? { last?.position }
  func liveCount(in range: ClosedRange<Int>) -> Int { count }
  func firstPage(in range: ClosedRange<Int>) -> KnownPage? { page }
  func lastPage(in range: ClosedRange<Int>) -> KnownPage? { page }
  func firstPage() -> FeedChange.FirstPage? { nil }

  // MARK: Change

  func commit<T>(_ judge: () throws(StoreError) -> (T, FeedChange?)) throws(StoreError) -> T {
    let (result, change) = try judge()
    guard let change else { return result }
    run = change.savedRuns.last ?? run
    page = change.savedPages.last ?? page
    // Nil as long as all are new: a copy of a million items takes memory.
    var kept: [FeedChange.ChangedItem]?
    for (index, new) in change.items.enumerated() {
      if add(new.item) {
        kept?.append(new)
      } else if kept == nil {
        kept = Array(change.items[..<index])
      }
    }
    fresh = (kept ?? change.items)[...]
    if let new = fresh.last, let position = new.position { last = (new.item.idDigest, position) }
    return result
  }

  /// Adds an item.
  /// - Returns: whether it did not come before.
  func add(_ item: FeedItem) -> Bool {
    if dedupes, item.hasID, !seen.insert(item.idDigest) { return false }
    count += item.count
    return true
  }

  // MARK: Printing

  func waiting(in range: ClosedRange<Int>, lines: Int, bytes: Int) -> [WaitingItem] {
    var size = 0
    var items: [WaitingItem] = []
    for new in fresh.prefix(lines) where size < bytes {
      items.append(WaitingItem(position: new.position ?? 0, new.item))
      size += new.item.size
    }
    return items
  }

  func recordPrinted(_ printed: ClosedRange<Int>?, count: Int, torn: Int?) { fresh = fresh.dropFirst(count) }

  func recordIntent(_ range: ClosedRange<Int>) {}
  func recoverInterrupted(_ note: (Int) -> Void) {}
  func redeliver() {}
  func released(after number: Int, lines: Int, bytes: Int) -> [WaitingItem] { [] }
  func releaseNumber(of id: [UInt8], again: Int?) -> Int? { nil }
}
