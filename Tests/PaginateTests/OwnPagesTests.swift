import FeedCore
import TestSupport
import Testing

@testable import paginate

/// Pages of a stored feed: together they are the known feed, downwards and upwards, and no gap is inside one.
@Suite struct OwnPagesTests {
  private let folder: ScratchFolder
  private let path: [UInt8]

  init() throws {
    folder = try ScratchFolder()
    path = Array(folder.file("so.db").utf8)
  }

  private func feed() throws -> FeedStore {
    let file = try StoreFile(path)
    return try file.open(try file.add(Array("so".utf8), url: Array("u".utf8)))
  }

  private func item(at position: Int) -> FeedChange.ChangedItem {
    let (id, data) = (Array("i\(position)".utf8), Array("[\(position)]".utf8))
    return .init(
      item: FeedItem(id: id, orderKey: nil, data: data), position: position)
  }

  // MARK: Every page

  /// Checks all pages of a feed.
  static func check(_ store: FeedStore, sizes: [Int] = [1, 2, 3, 30], _ comment: Comment) throws {
    let runs = FeedRuns(try store.runs())
    let pages = StoredPages(store, runs)
    let shown = try shown(runs, store)
    for size in sizes {
      let down = try all(pages, from: .top, size)
      #expect(down.flatMap(\.items) == shown.flatMap(\.items), comment)
      try check(down, runs, shown.map(\.run), size, comment)
      let up = try all(pages, from: .before(StoreLimit.positions.upperBound), size)
      #expect(up.flatMap(\.items) == shown.flatMap(\.items), comment)
      try check(up, runs, shown.map(\.run), size, comment)
    }
  }

  /// The runs that have items, as they must be shown.
  private static func shown(_ runs: FeedRuns, _ store: FeedStore) throws -> [(run: FeedRun, items: [WaitingItem])] {
    try runs.all.map { (run: $0, items: try store.live(in: $0.range, lines: .max, bytes: .max)) }
      .filter { !$0.items.isEmpty }
  }

  /// Checks what is next to any position, also to one where no item is.
  private static func checkPlaces(_ store: FeedStore, _ comment: Comment) throws {
    let runs = FeedRuns(try store.runs())
    let pages = StoredPages(store, runs)
    let shown = try shown(runs, store)
    for (run, items) in shown {
      for position in Set(items.flatMap { [$0.position - 1, $0.position, $0.position + 1] } + [run.top, run.bottom]) {
        let below = shown.map { $0.items.filter { $0.position > position } }.first { !$0.isEmpty } ?? []
        let above = shown.map { $0.items.filter { $0.position < position } }.last { !$0.isEmpty } ?? []
        #expect(try pages.page(at: .after(position), size: 2).items == Array(below.prefix(2)), comment)
        #expect(try pages.page(at: .before(position), size: 2).items == Array(above.suffix(2)), comment)
        guard run.range.contains(position) else { continue }
        for (place, side) in [
          (FeedPlace.after(position), items.filter { $0.position > position }),
          (.before(position), items.filter { $0.position < position }.suffix(2)),
        ] {
          let stretch = try pages.stretch(at: place, count: 2)
          let found = try stretch.map { try store.live(in: $0, lines: .max, bytes: .max) } ?? []
          #expect(found == side, comment)
        }
      }
    }
  }

  /// All pages from a place, in the order of the feed.
  private static func all(
    _ pages: StoredPages, from start: FeedPlace, _ size: Int
  ) throws -> [StoredPage] {
    var found: [StoredPage] = []
    var place = start
    while true {
      let page = try pages.page(at: place, size: size)
      found.append(page)
      guard start.isAtEnd ? page.hasPrevious : page.hasMore, let first = page.items.first, let last = page.items.last
      else { break }
      place = start.isAtEnd ? .before(first.position) : .after(last.position)
    }
    return start.isAtEnd ? found.reversed() : found
  }

  private static func check(
    _ pages: [StoredPage], _ runs: FeedRuns, _ shown: [FeedRun], _ size: Int, _ comment: Comment
  ) throws {
    guard !shown.isEmpty else {
      #expect(pages.count == 1 && pages[0].items.isEmpty && !pages[0].hasMore && !pages[0].hasPrevious, comment)
      return
    }
    for (index, page) in pages.enumerated() {
      #expect((1...size).contains(page.items.count), comment)
      #expect(page.hasPrevious == (index > 0) && page.hasMore == (index < pages.count - 1), comment)
      let first = try #require(page.items.first?.position)
      let run = try #require(shown.first { $0.range.contains(first) }, comment)
      func isOutside(_ index: Int) -> Bool {
        !pages.indices.contains(index) || !pages[index].items.allSatisfy { run.range.contains($0.position) }
      }
      let (isTop, isBottom) = (isOutside(index - 1), isOutside(index + 1))
      #expect(!isOutside(index), comment)
      #expect(page.lowerEnd == (isBottom ? run.lowerEnd : nil), comment)
      #expect(page.isBelowGap == (isTop && run.number != runs.head?.number), comment)
    }
    #expect(pages.filter { $0.lowerEnd != nil }.count == shown.count, comment)
  }

  /// Runs that are short, empty, or full of deleted items.
  @Test(arguments: 1...80)
  func anyFeed(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let count = Int.random(in: 0...4, using: &random)
    var (change, top) = (FeedChange(), 0)
    var gone: [ClosedRange<Int>] = []
    for number in 0..<count {
      let bottom = top + Int.random(in: 0...9, using: &random)
      var run = FeedRun(number: number + 1, top: top, bottom: bottom, lowerEnd: .end)
      if number < count - 1 { run.lowerEnd = Bool.random(using: &random) ? .lost : .open }
      change.savedRuns.append(run)
      let share = Int.random(in: 0...4, using: &random)
      for position in run.range where Int.random(in: 0..<4, using: &random) < share {
        change.items.append(item(at: position))
        if Int.random(in: 0..<4, using: &random) == 0 { gone.append(position...position) }
      }
      top = run.bottom + 1 + Int.random(in: 0...5, using: &random)
    }
    let store = try feed()
    try store.commit(change)
    change = FeedChange()
    change.gone = gone
    try store.commit(change)
    try Self.check(store, "seed \(seed)")
    try Self.checkPlaces(store, "seed \(seed)")
  }

  /// What is printed is one state of the store, although another process changes it meanwhile.
  @Test(.enabled(if: Repository.has("sqlite3")), arguments: ["--pages --page-size 2", ""])
  func oneState(_ options: String) throws {
    let store = try feed()
    var change = FeedChange()
    change.items = (0..<40_000).map(item)
    change.savedRuns = [FeedRun(number: 1, top: 0, bottom: 39_999, lowerEnd: .end)]
    try store.commit(change)
    let result = try Command.shell(
      """
      paginate --store so.db --cached \(options) | {
        read -r first
        sqlite3 so.db 'UPDATE item SET gone_at = 1'
        tail -n 1
      }
      paginate --store so.db --cached \(options)
      """, in: folder.path)
    let (last, empty) =
      options.isEmpty
      ? ("[39999]\n", "")
      : (
        #"{"items":[[39998],[39999]],"prev":"i39998","has_more":false,"below":"end"}"# + "\n",
        #"{"items":[],"has_more":false,"below":"end"}"# + "\n"
      )
    #expect(result.text == last + empty && result.error.isEmpty && result.status == 0, "\(result.text)\(result.error)")
  }

  // MARK: Cost

  /// The number of steps of SQLite that pages in the middle of a feed take.
  private func steps(for count: Int) throws -> Int {
    let file = try StoreFile(path)
    let record = try file.add(Array("\(count)".utf8), url: Array("u".utf8))
    let store = try file.open(record)
    var change = FeedChange()
    change.items = (0..<count).map(item)
    change.savedRuns = [FeedRun(number: 1, top: 0, bottom: count - 1, lowerEnd: .end)]
    try store.commit(change)
    let pages = StoredPages(store, FeedRuns(try store.runs()))
    let total = file.database.prepare("SELECT sum(nstep) FROM sqlite_stmt")
    let before = try total.first { $0.integer(0) } ?? 0
    let middle = try #require(try store.item(Array("i\(count / 2)".utf8))).position
    for place in [FeedPlace.after(middle), .before(middle), .top] {
      #expect(try pages.page(at: place, size: 20).items.count == 20)
    }
    _ = try pages.stretch(at: .before(middle), count: 20)
    return (try total.first { $0.integer(0) } ?? 0) - before
  }

  /// A page costs as much in a long feed as in a short one.
  @Test func theFeedCostsNothing() throws {
    let options = try Database.compileOptions(path)
    guard options.contains("ENABLE_STMTVTAB") else { return }
    let (short, long) = (try steps(for: 100), try steps(for: 20_000))
    #expect(short > 100 && short < 5000 && abs(long - short) < 20, "\(short) \(long)")
  }

  @Test func noSorting() throws {
    _ = try feed()
    let plan = try Database(path).prepare("EXPLAIN QUERY PLAN " + StoredPages.startStatement).all {
      String(decoding: $0.text(3), as: UTF8.self)
    }
    #expect(plan == ["SEARCH item USING INDEX item_live (feed=? AND position>? AND position<?)"])
  }
}

extension Database {
  fileprivate static func compileOptions(_ path: [UInt8]) throws -> [String] {
    _ = try StoreFile(path)
    return try Database(path).prepare("PRAGMA compile_options").all {
      String(decoding: $0.text(0), as: UTF8.self)
    }
  }
}
