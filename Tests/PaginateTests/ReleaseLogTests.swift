import FeedCore
import TestSupport
import Testing

@testable import paginate

/// The numbers of releases, for readers with their own place; also in stores that had none.
@Suite struct ReleaseLogTests {
  private let folder: ScratchFolder
  private let path: [UInt8]

  init() throws {
    folder = try ScratchFolder()
    path = bytes(folder.file("so.db"))
  }

  private func item(_ id: String, at position: Int?, handle: Int? = nil, text: String = "{}") -> FeedChange.ChangedItem
  {
    let item = FeedItem(id: bytes(id), orderKey: nil, data: bytes(text))
    return .init(item: item, handle: handle, position: position, isEdited: handle != nil, isPrintedAgain: handle != nil)
  }

  private func add(_ items: FeedChange.ChangedItem..., to store: FeedStore) throws {
    var change = FeedChange()
    change.items = items
    try store.commit(change)
  }

  /// The numbers and ids of the items that a reader gets.
  private func released(_ store: FeedStore, after number: Int = 0, lines: Int = .max) throws -> [String] {
    try store.released(after: number, lines: lines, bytes: .max).map {
      "\($0.position) \(String(decoding: $0.id, as: UTF8.self))"
    }
  }

  private func rows() throws -> [[Int]] {
    try Database(path).prepare("SELECT feed, seq, item, count, is_again FROM release ORDER BY feed, seq").all {
      row in (0..<5).map { row.integer($0) }
    }
  }

  private func feed(_ name: String = "so") throws -> FeedStore {
    let file = try StoreFile(path)
    return try file.open(try file.add(bytes(name), url: bytes("u")))
  }

  // MARK: Numbers

  /// Items that are consecutive in both orders share a row, even over many pages; others do not.
  @Test func rowsStandForMany() throws {
    let store = try feed()
    try add(item("c", at: 0), item("b", at: 1), to: store)
    try add(item("a", at: 2), to: store)
    #expect(try rows() == [[1, 1, 1, 3, 0]])
    try add(item("d", at: -1), to: store)
    #expect(try rows() == [[1, 1, 1, 4, 0]])
    // The second item is above the first, so it comes before it.
    try add(item("e", at: -2), item("f", at: -3), to: store)
    #expect(try rows() == [[1, 1, 1, 4, 0], [1, 5, 6, 1, 0], [1, 6, 5, 1, 0]])
    #expect(try released(store) == ["1 c", "2 b", "3 a", "4 d", "5 f", "6 e"])
    for (number, rest) in [(2, ["3 a", "4 d", "5 f", "6 e"]), (5, ["6 e"]), (6, []), (99, [])] {
      #expect(try released(store, after: number) == rest)
    }
    #expect(try released(store, after: 1, lines: 2) == ["2 b", "3 a"])
    #expect(try store.releaseNumber(of: bytes("e"), again: nil) == 6)
    #expect(try store.releaseNumber(of: bytes("x"), again: 1) == nil)
  }

  /// An item that is printed again comes at its newest number, and is found by its first.
  @Test func again() throws {
    let store = try feed()
    try add(item("c", at: 0), item("b", at: 1), item("a", at: 2), to: store)
    try add(item("b", at: nil, handle: 2, text: "[1]"), item("d", at: -1), to: store)
    #expect(try rows() == [[1, 1, 1, 4, 0], [1, 5, 2, 1, 1]])
    #expect(try released(store) == ["1 c", "3 a", "4 d", "5 b"])
    try add(item("b", at: nil, handle: 2, text: "[2]"), to: store)
    try add(item("e", at: -2), to: store)
    #expect(try released(store) == ["1 c", "3 a", "4 d", "6 b", "7 e"])
    // Only its own numbers count.
    for (again, number) in [(nil, 2), (5, 5), (6, 6), (7, 2), (1, 2), (-1, 2)] {
      #expect(try store.releaseNumber(of: bytes("b"), again: again) == number)
    }
    #expect(try store.released(after: 0, lines: 9, bytes: 99).map(\.isAgain) == [false, false, false, true, false])
    #expect(try store.released(after: 5, lines: 1, bytes: 1).map(\.data) == [bytes("[2]")])
    // Items whose numbers are in the middle of a row.
    #expect(try ["c", "a", "d", "e"].map { try store.releaseNumber(of: bytes($0), again: nil) } == [1, 3, 4, 7])
  }

  @Test func feedsCountApart() throws {
    let (a, b) = (try feed("a"), try feed("b"))
    try add(item("x", at: 0), to: a)
    try add(item("x", at: 0), item("y", at: 1), to: b)
    try add(item("y", at: 1), to: a)
    #expect(try released(a) == ["1 x", "2 y"])
    #expect(try released(b) == ["1 x", "2 y"])
    #expect(try a.releaseNumber(of: bytes("y"), again: nil) == 2)
    #expect(try rows() == [[1, 1, 1, 1, 0], [1, 2, 4, 1, 0], [2, 1, 2, 2, 0]])
  }

  /// A change that fails uses up no number.
  @Test func wholeOrNotAtAll() throws {
    let store = try feed()
    #expect(throws: StoreError.self) { try add(item("a", at: 0), item("a", at: 1), to: store) }
    #expect(try rows() == [])
    try add(item("a", at: 0), to: store)
    #expect(try released(store) == ["1 a"])
  }

  /// No statement that a reader or a page waits for sorts, or reads every row.
  @Test func noSorting() throws {
    _ = try feed()
    let database = try Database(path)
    for statement in [ReleaseLog.readStatement, ReleaseLog.numberStatement, ReleaseLog.lastStatement] {
      let plan = try database.prepare("EXPLAIN QUERY PLAN " + statement).all {
        String(decoding: $0.text(3), as: UTF8.self)
      }
      #expect(!plan.isEmpty && !plan.contains { $0.hasPrefix("SCAN") || $0.hasPrefix("USE TEMP") }, "\(plan)")
    }
  }

  // MARK: Damage

  @Test(arguments: [
    ("UPDATE release SET count = 9223372036854775807", "the count of a release cannot be 9223372036854775807"),
    ("UPDATE release SET item = 0", "item 'b' was not released"),
    ("UPDATE release SET item = 2, count = 0", "item 'b' was not released"),
    ("UPDATE release SET is_again = 2", "is_again of a release cannot be 2"),
    ("UPDATE release SET count = 1", "item 'b' was not released"),
    ("UPDATE release SET seq = 9223372036854775807", "the number of a release is not a whole number"),
    (
      "UPDATE item SET number = 9223372036854775806 WHERE id = 'b'; UPDATE release SET count = 1",
      "the number of an item cannot be 9223372036854775807"
    ),
    ("DROP INDEX release_first", "index 'release_first' was changed"),
  ])
  func damage(_ statement: String, _ what: String) throws {
    try add(item("a", at: 0), item("b", at: 1), to: try feed())
    let database = try Database(path)
    do throws(StoreError) {
      try database.run("PRAGMA ignore_check_constraints = ON")
      try database.run(statement)
      let file = try StoreFile(path)
      let store = try file.open(try file.add(bytes("so"), url: bytes("u")))
      if !statement.contains("item SET number") { _ = try store.releaseNumber(of: bytes("b"), again: nil) }
      _ = try store.released(after: 0, lines: 9, bytes: 99)
      var change = FeedChange()
      change.items = [item("c", at: 2), item("d", at: 3)]
      try store.commit(change)
      Issue.record("nothing was found")
    } catch {
      #expect(error.message.hasSuffix(what), "\(error)")
    }
  }
}

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
