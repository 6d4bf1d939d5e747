import FeedCore
import Testing

@testable import paginate

/// The contents of a store for one feed, to check them.
struct StorePicture {
  struct Item {
    let id: String
    let position: Int
    let state: PrintState
    let isGone: Bool
    let data: [UInt8]
  }

  let runs: FeedRuns
  let items: [Item]
  /// The starts of pages.
  let pages: [Int]
  /// The items that were about to be printed.
  let intended: ClosedRange<Int>?

  init(runs: FeedRuns, items: [Item], pages: [Int], intended: ClosedRange<Int>?) {
    self.runs = runs
    self.items = items.sorted { $0.position < $1.position }
    self.pages = pages
    self.intended = intended
  }

  func ids(in run: FeedRun) -> [String] {
    items.filter { !$0.isGone && run.range.contains($0.position) }.map(\.id)
  }

  var visible: [String] { runs.head.map(ids) ?? [] }
  var stretches: [[String]] { runs.all.map(ids) }
  var gaps: [String] { runs.all.map(\.lowerEnd).filter { [.open, .lost].contains($0) }.map(\.rawValue) }
  var tail: String? { runs.all.last?.lowerEnd.rawValue }
  var waiting: [String] {
    items.filter { $0.state == .waiting && !(intended?.contains($0.position) ?? false) }.map(\.id)
  }
  var uncertain: [String] { items.filter { $0.state == .uncertain }.map(\.id) }
  var gone: [String] { items.filter(\.isGone).map(\.id) }

  /// Checks what must be true after every step.
  func checkInvariants(_ comment: String) {
    #expect(Set(items.map(\.id)).count == items.count, "\(comment): two rows of one id")
    let live = items.filter { !$0.isGone }
    #expect(Set(live.map(\.position)).count == live.count, "\(comment): two live items in one place")
    for (run, below) in zip(runs.all, runs.all.dropFirst()) {
      #expect(run.bottom < below.top, "\(comment): runs overlap")
    }
    for item in live {
      guard let index = runs.index(of: item.position) else {
        Issue.record("\(comment): \(item.id) is in no run")
        continue
      }
      let range = runs.all[index].range
      #expect(pages.contains { range.contains($0) && $0 <= item.position }, "\(comment): \(item.id) is on no page")
    }
    for page in pages {
      #expect(runs.all.contains { $0.range.contains(page) }, "\(comment): a page at \(page) is in no run")
    }
    let ends = runs.all.map(\.lowerEnd)
    for (index, end) in ends.enumerated() {
      let isGap = [.open, .lost].contains(end)
      #expect(isGap == (index < ends.count - 1), "\(comment): run \(index) of \(ends.count) ends \(end)")
    }
  }
}

extension MemoryStorage {
  var picture: StorePicture {
    StorePicture(
      runs: FeedRuns(runs()),
      items: items.map {
        StorePicture.Item(
          id: String(decoding: $0.item.id, as: UTF8.self), position: $0.position, state: $0.state, isGone: $0.isGone,
          data: $0.item.data)
      },
      pages: pages.keys.sorted(), intended: intended)
  }
}

extension StorePicture {
  /// Reads a file.
  init(_ path: [UInt8], feed: Int) throws { try self.init(try Database(path), feed: feed) }

  init(_ database: Database, feed: Int) throws {
    let store = try FeedStore(database, feed)
    let items = try database.prepare(
      """
      SELECT id, position, coalesce((
          SELECT is_uncertain * 2 FROM unprinted
          WHERE feed = item.feed AND item.number BETWEEN unprinted.item AND unprinted.item + count - 1), 1),
        gone_at, data
      FROM item WHERE feed = ?
      """
    )
    .all(.integer(feed)) { row in
      Item(
        id: String(decoding: row.text(0), as: UTF8.self), position: row.integer(1),
        state: PrintState(rawValue: row.integer(2)) ?? .waiting, isGone: !row.isNull(3), data: row.text(4))
    }
    let pages = try database.prepare("SELECT top FROM page WHERE feed = ?").all(.integer(feed)) { $0.integer(0) }
    let intended = try database.prepare("SELECT writing_from, writing_to FROM feed WHERE number = ?")
      .first(.integer(feed)) { $0.isNull(0) ? nil : $0.integer(0)...$0.integer(1) }
    self.init(runs: FeedRuns(try store.runs()), items: items, pages: pages, intended: intended ?? nil)
  }
}

extension StoreFile {
  /// The errors that SQLite finds in the file.
  func damage() throws(StoreError) -> [String] {
    let found = try database.prepare("PRAGMA integrity_check").all { String(decoding: $0.text(0), as: UTF8.self) }
    let links = try database.prepare("PRAGMA foreign_key_check").all { _ in "a row without its feed" }
    return found.filter { $0 != "ok" } + links
  }
}
