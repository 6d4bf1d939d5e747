import FeedCore

@testable import paginate

enum PrintState: Int { case waiting, printed, uncertain }

/// A feed in memory, written to be correct rather than fast; the SQLite store must agree with it.
final class MemoryStorage: FeedStorage {
  struct Item {
    var item: FeedItem
    var position: Int
    var state = PrintState.waiting
    var isGone = false
    var isReleased = false
  }

  private(set) var items: [Item] = []
  private var allRuns: [Int: FeedRun] = [:]
  private(set) var pages: [Int: [UInt8]?] = [:]
  private var first: FeedChange.FirstPage?
  private(set) var mark: SinceMark?
  private(set) var intended: ClosedRange<Int>?
  /// All releases for printing, as indices of items.
  private var releases: [Int] = []

  // MARK: Knowledge

  func runs() -> [FeedRun] { Array(allRuns.values) }

  func item(_ id: [UInt8]) -> KnownItem? {
    guard let handle = items.firstIndex(where: { $0.item.id == id }) else { return nil }
    let found = items[handle]
    return KnownItem(
      handle: handle, position: found.position, orderKey: found.item.orderKey, version: found.item.version,
      isGone: found.isGone)
  }

  func text(of handle: Int) -> [UInt8] { items[handle].item.data }

  private func live(_ range: ClosedRange<Int>) -> [Int] {
    items.filter { !$0.isGone && range.contains($0.position) }.map(\.position).sorted()
  }

  func firstLive(in range: ClosedRange<Int>) -> Int? { live(range).first }
  func lastLive(in range: ClosedRange<Int>) -> Int? { live(range).last }
  func liveCount(in range: ClosedRange<Int>) -> Int { live(range).count }

  private func pages(_ range: ClosedRange<Int>) -> [KnownPage] {
    pages.filter { range.contains($0.key) }.sorted { $0.key < $1.key }.map { KnownPage(top: $0.key, next: $0.value) }
  }

  func firstPage(in range: ClosedRange<Int>) -> KnownPage? { pages(range).first }
  func lastPage(in range: ClosedRange<Int>) -> KnownPage? { pages(range).last }
  func firstPage() -> FeedChange.FirstPage? { first }

  // MARK: Change

  func commit<T>(_ judge: () throws(StoreError) -> (T, FeedChange?)) throws(StoreError) -> T {
    let (result, change) = try judge()
    if let change { make(change) }
    return result
  }

  private func make(_ change: FeedChange) {
    for entry in change.items {
      guard let handle = entry.handle else {
        items.append(Item(item: entry.item, position: entry.position ?? 0))
        continue
      }
      if let position = entry.position { items[handle].position = position }
      items[handle].isGone = false
      let old = items[handle].item
      items[handle].item = FeedItem(
        id: old.id, orderKey: entry.item.orderKey, data: old.data, isNewer: old.isNewer)
      if entry.isEdited { items[handle].item = entry.item }
      if entry.isPrintedAgain {
        items[handle].state = .waiting
        items[handle].isReleased = false
      }
    }
    for range in change.gone {
      for index in items.indices where range.contains(items[index].position) { items[index].isGone = true }
    }
    for range in change.removedPages { pages = pages.filter { !range.contains($0.key) } }
    for page in change.savedPages { pages[page.top] = .some(page.next) }
    for number in change.removedRuns { allRuns[number] = nil }
    for run in change.savedRuns { allRuns[run.number] = run }
    first = change.firstPage ?? first
    if let new = change.mark { mark = SinceMark(source: new.source, covered: mark?.covered, greatest: new.greatest) }
    if change.isCovered, let greatest = mark?.greatest { mark?.covered = greatest }
    release()
  }

  private func release() {
    let printable = FeedRuns(runs()).printable
    let due = items.indices.filter { !items[$0].isReleased && printable.contains(items[$0].position) }
    for index in due { items[index].isReleased = true }
    releases += due.sorted { items[$0].position < items[$1].position }
  }

  func released(after number: Int, lines: Int, bytes: Int) -> [WaitingItem] {
    var size = 0
    var result: [WaitingItem] = []
    for (place, index) in releases.enumerated().dropFirst(number) where releases.lastIndex(of: index) == place {
      let (item, isAgain) = (items[index].item, releases.firstIndex(of: index) != place)
      result.append(WaitingItem(position: place + 1, id: item.id, data: item.data, isAgain: isAgain))
      size += items[index].item.data.count
      if size >= bytes || result.count >= lines { break }
    }
    return result
  }

  func releaseNumber(of id: [UInt8], again: Int?) -> Int? {
    let places = releases.indices.filter { items[releases[$0]].item.id == id }.map { $0 + 1 }
    return places.first { $0 == again } ?? places.first
  }

  // MARK: Printing

  func waiting(in range: ClosedRange<Int>, lines: Int, bytes: Int) -> [WaitingItem] {
    var size = 0
    var result: [WaitingItem] = []
    for item in items.filter({ $0.state == .waiting && range.contains($0.position) })
      .sorted(by: { $0.position < $1.position })
    {
      result.append(WaitingItem(position: item.position, id: item.item.id, data: item.item.data))
      size += item.item.data.count
      if size >= bytes || result.count >= lines { break }
    }
    return result
  }

  func recordIntent(_ range: ClosedRange<Int>) { intended = range }

  func recordPrinted(_ printed: ClosedRange<Int>?, count: Int, torn: Int?) {
    if let printed { mark(printed, .printed) }
    if let torn { mark(torn...torn, .uncertain) }
    intended = torn.map { $0...$0 }
  }

  func recoverInterrupted(_ note: (Int) -> Void) {
    let count = intended.map { max(mark($0, .uncertain), $0.count == 1 ? 1 : 0) } ?? 0
    intended = nil
    if count > 0 { note(count) }
  }

  func redeliver() {
    for index in items.indices where items[index].state == .uncertain { items[index].state = .waiting }
  }

  @discardableResult
  private func mark(_ range: ClosedRange<Int>, _ state: PrintState) -> Int {
    var count = 0
    for index in items.indices where items[index].state == .waiting && range.contains(items[index].position) {
      items[index].state = state
      count += 1
    }
    return count
  }
}
