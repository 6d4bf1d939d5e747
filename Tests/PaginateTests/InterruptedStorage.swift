@testable import paginate

/// A store whose process ends at a chosen moment, between two transactions.
final class InterruptedStorage: FeedStorage {
  enum Moment: Equatable {
    case beforeCommit(page: Int)
    case afterCommit(page: Int)
    /// With the last id of the chunk.
    case afterIntent([UInt8])
    case afterWrite([UInt8])
    /// For a reader with its own place, which has written everything before.
    case beforeRelease
  }

  /// The error that ends the session.
  static let interruption = StoreError("the test ends the process here")

  private let store: any FeedStorage
  private let ends: (Moment) -> Bool
  private var pages = 0
  private var lastID: [UInt8] = []

  init(_ store: any FeedStorage, endsAt ends: @escaping (Moment) -> Bool) {
    self.store = store
    self.ends = ends
  }

  private func reach(_ moment: Moment) throws(StoreError) { if ends(moment) { throw Self.interruption } }

  func text(of handle: Int) throws(StoreError) -> [UInt8] { try store.text(of: handle) }

  func commit<T>(_ judge: () throws(StoreError) -> (T, FeedChange?)) throws(StoreError) -> T {
    var isPage = false
    let result = try store.commit { () throws(StoreError) in
      let (result, change) = try judge()
      // Scenarios count only changes with a page.
      guard let change, !change.savedPages.isEmpty else { return (result, change) }
      isPage = true
      pages += 1
      try reach(.beforeCommit(page: pages))
      return (result, change)
    }
    if isPage { try reach(.afterCommit(page: pages)) }
    return result
  }

  func waiting(in range: ClosedRange<Int>, lines: Int, bytes: Int) throws(StoreError) -> [WaitingItem] {
    let items = try store.waiting(in: range, lines: lines, bytes: bytes)
    lastID = items.last?.id ?? []
    return items
  }

  func recordIntent(_ range: ClosedRange<Int>) throws(StoreError) {
    try store.recordIntent(range)
    try reach(.afterIntent(lastID))
  }

  /// Called after a write.
  func recordPrinted(_ printed: ClosedRange<Int>?, count: Int, torn: Int?) throws(StoreError) {
    try reach(.afterWrite(lastID))
    try store.recordPrinted(printed, count: count, torn: torn)
  }

  func released(after number: Int, lines: Int, bytes: Int) throws(StoreError) -> [WaitingItem] {
    try reach(.beforeRelease)
    return try store.released(after: number, lines: lines, bytes: bytes)
  }

  // MARK: Unchanged

  func recoverInterrupted(_ note: (Int) -> Void) throws(StoreError) { try store.recoverInterrupted(note) }
  func redeliver() throws(StoreError) { try store.redeliver() }
  func releaseNumber(of id: [UInt8], again: Int?) throws(StoreError) -> Int? {
    try store.releaseNumber(of: id, again: again)
  }
  func runs() throws(StoreError) -> [FeedRun] { try store.runs() }
  func item(_ id: [UInt8]) throws(StoreError) -> KnownItem? { try store.item(id) }
  func firstLive(in range: ClosedRange<Int>) throws(StoreError) -> Int? { try store.firstLive(in: range) }
  func lastLive(in range: ClosedRange<Int>) throws(StoreError) -> Int? { try store.lastLive(in: range) }
  func liveCount(in range: ClosedRange<Int>) throws(StoreError) -> Int { try store.liveCount(in: range) }
  func firstPage(in range: ClosedRange<Int>) throws(StoreError) -> KnownPage? { try store.firstPage(in: range) }
  func lastPage(in range: ClosedRange<Int>) throws(StoreError) -> KnownPage? { try store.lastPage(in: range) }
  func firstPage() throws(StoreError) -> FeedChange.FirstPage? { try store.firstPage() }
}

extension FeedStorage {
  func commit(_ change: FeedChange) throws(StoreError) { try commit { ((), change) } }
}
