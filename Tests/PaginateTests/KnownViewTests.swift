import FeedCore
import TestSupport
import Testing

@testable import paginate

/// The view `known`: all that a store knows of a feed, in stretches with gaps between them.
@Suite struct KnownViewTests {
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

  /// Checks that the view has all known items, in order, each with its stretch and with what is below that.
  static func check(_ store: FeedStore, _ comment: Comment) throws {
    func row(_ stretch: Int, _ run: FeedRun, _ position: Int, _ id: [UInt8]) -> String {
      "\(stretch) \(run.lowerEnd.rawValue) \(position) \(String(decoding: id, as: UTF8.self))"
    }
    var expected: [String] = []
    for (index, run) in FeedRuns(try store.runs()).all.enumerated() {
      let items = try store.live(in: run.range, lines: .max, bytes: .max)
      expected += items.map { row(index + 1, run, $0.position, $0.id) }
    }
    let statement = "SELECT stretch || ' ' || below || ' ' || position || ' ' || id FROM known WHERE feed = 'so'"
    let found = try store.database.prepare(statement).all { String(decoding: $0.text(0), as: UTF8.self) }
    #expect(found == expected, comment)
    let shown = try store.database.prepare("SELECT count(*) FROM items").first { $0.integer(0) }
    #expect(shown == expected.count { $0.hasPrefix("1 ") }, comment)
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
  }

  /// What is printed is one state of the store, although another process changes it meanwhile.
  @Test(.enabled(if: Repository.has("sqlite3")))
  func oneState() throws {
    let store = try feed()
    var change = FeedChange()
    change.items = (0..<40_000).map(item)
    change.savedRuns = [FeedRun(number: 1, top: 0, bottom: 39_999, lowerEnd: .end)]
    try store.commit(change)
    let result = try Command.shell(
      """
      paginate --store so.db --cached | {
        read -r first
        sqlite3 so.db 'UPDATE item SET gone_at = 1'
        tail -n 1
      }
      paginate --store so.db --cached
      """, in: folder.path)
    #expect(result.text == "[39999]\n" && result.error.isEmpty && result.status == 0, "\(result.text)\(result.error)")
  }

  // MARK: Cost

  private static let page = """
    SELECT id, data, stretch FROM known
    WHERE feed = 'so' AND position > (SELECT position FROM known WHERE feed = 'so' AND id = ?)
    ORDER BY position LIMIT 20
    """

  /// The number of steps of SQLite that a page in the middle of a feed takes.
  private func steps(for count: Int) throws -> Int {
    let store = try feed()
    var change = FeedChange()
    change.items = (0..<count).map(item)
    change.savedRuns = [FeedRun(number: 1, top: 0, bottom: count - 1, lowerEnd: .end)]
    try store.commit(change)
    let page = store.database.prepare(Self.page)
    #expect(try page.all(.text(Array("i\(count / 2)".utf8))) { $0.integer(0) }.count == 20)
    let steps = store.database.prepare("SELECT nstep FROM sqlite_stmt WHERE sql LIKE '%LIMIT 20'")
    return try steps.first { $0.integer(0) } ?? 0
  }

  /// A page costs as much in a long feed as in a short one.
  @Test(arguments: [100, 20_000])
  func theFeedCostsNothing(_ count: Int) throws {
    guard try Database.compileOptions(path).contains("ENABLE_STMTVTAB") else { return }
    let steps = try steps(for: count)
    #expect(steps > 100 && steps < 3000, "\(steps)")
  }

  @Test func noSorting() throws {
    _ = try feed()
    let plan = try Database(path).prepare("EXPLAIN QUERY PLAN " + Self.page).all {
      String(decoding: $0.text(3), as: UTF8.self)
    }
    #expect(plan.contains("SEARCH item USING INDEX item_live (feed=? AND position>?)"))
    #expect(!plan.joined().contains("TEMP B-TREE") && !plan.joined().contains("SCAN"), "\(plan)")
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
