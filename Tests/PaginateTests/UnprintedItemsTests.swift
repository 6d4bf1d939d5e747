import FeedCore
import TestSupport
import Testing

@testable import paginate

/// What waits to be printed, as rows that stand for many items.
@Suite struct UnprintedItemsTests {
  private let folder: ScratchFolder
  private let path: [UInt8]
  private let store: FeedStore

  init() throws {
    folder = try ScratchFolder()
    path = bytes(folder.file("so.db"))
    let file = try StoreFile(path)
    store = try file.open(try file.add(bytes("so"), url: bytes("u")))
  }

  /// Adds items at some positions; each id is the number of the item.
  private func add(_ positions: Int...) throws {
    let known = try Database(path).prepare("SELECT count(*) FROM item").first { $0.integer(0) } ?? 0
    var change = FeedChange()
    change.items = positions.enumerated().map { index, position in entry(known + index + 1, at: position) }
    try store.commit(change)
  }

  private func entry(_ id: Int, at position: Int?, handle: Int? = nil, again: Bool = false) -> FeedChange.ChangedItem {
    let text = bytes(again ? "[\(id)]" : "\(id)")
    let item = FeedItem(id: bytes("\(id)"), orderKey: nil, data: text)
    return .init(item: item, handle: handle, position: position, isEdited: again, isPrintedAgain: again)
  }

  private func change(_ items: FeedChange.ChangedItem...) throws {
    var change = FeedChange()
    change.items = items
    try store.commit(change)
  }

  /// Item, position, count, is_uncertain.
  private func rows() throws -> [[Int]] {
    try Database(path).prepare(
      "SELECT item, position, count, is_uncertain FROM unprinted ORDER BY is_uncertain, position, item"
    ).all { row in (0..<4).map { row.integer($0) } }
  }

  private func waiting(_ range: ClosedRange<Int> = Int.min...Int.max, lines: Int = .max, size: Int = .max) throws
    -> [Int]
  {
    try store.waiting(in: range, lines: lines, bytes: size).map { Int(String(decoding: $0.id, as: UTF8.self)) ?? 0 }
  }

  // MARK: -

  @Test func rowsStandForMany() throws {
    try add(0, 1, 2, 3)
    #expect(try rows() == [[1, 0, 4, 0]])
    try add(4, 5)
    try add(-1, -2)
    #expect(try rows() == [[8, -2, 1, 0], [7, -1, 1, 0], [1, 0, 4, 0], [5, 4, 2, 0]])
    #expect(try waiting() == [8, 7, 1, 2, 3, 4, 5, 6])
    #expect(try waiting(-1...4) == [7, 1, 2, 3, 4, 5])
    #expect(try waiting(1...2) == [2, 3])
    #expect(try waiting(9...99) == [])
    for lines in 1...8 { #expect(try waiting(lines: lines) == Array([8, 7, 1, 2, 3, 4, 5, 6].prefix(lines))) }
    for size in 1...8 { #expect(try waiting(size: size) == Array([8, 7, 1, 2, 3, 4, 5, 6].prefix(size))) }
    #expect(try store.unprinted() == (8, 0))
  }

  /// Printing shortens a row, or divides it.
  @Test func printed() throws {
    try add(0, 1, 2, 3, 4, 5, 6)
    try store.recordPrinted(0...1, count: 2, torn: nil)
    #expect(try rows() == [[3, 2, 5, 0]])
    try store.recordPrinted(4...4, count: 1, torn: 5)
    #expect(try rows() == [[3, 2, 2, 0], [7, 6, 1, 0], [6, 5, 1, 1]])
    #expect(try waiting() == [3, 4, 7])
    #expect(throws: StoreError.damaged("what waits to be printed is not what was found")) {
      try store.recordPrinted(2...4, count: 3, torn: nil)
    }
    // That changed nothing.
    #expect(try waiting() == [3, 4, 7])
    try store.recordPrinted(2...6, count: 3, torn: nil)
    #expect(try rows() == [[6, 5, 1, 1]])
    try store.redeliver()
    #expect(try waiting() == [6])
    #expect(try store.unprinted() == (1, 0))
  }

  /// A run that was killed while it printed.
  @Test func uncertain() throws {
    try add(0, 1, 2, 3)
    try store.recordIntent(1...2)
    var told: [Int] = []
    try store.recoverInterrupted { told.append($0) }
    #expect(told == [2])
    #expect(try rows() == [[1, 0, 1, 0], [4, 3, 1, 0], [2, 1, 2, 1]])
    #expect(try store.unprinted() == (2, 2))
    try store.redeliver()
    #expect(try waiting() == [1, 2, 3, 4])
  }

  /// An item that moves takes its state along, and one that is printed again waits.
  @Test func moved() throws {
    try add(0, 1, 2, 3)
    try change(entry(2, at: 9, handle: 2))
    #expect(try rows() == [[1, 0, 1, 0], [3, 2, 2, 0], [2, 9, 1, 0]])
    #expect(try waiting() == [1, 3, 4, 2])
    try store.recordPrinted(0...3, count: 3, torn: 9)
    try change(entry(2, at: 5, handle: 2), entry(1, at: 6, handle: 1))
    #expect(try rows() == [[2, 5, 1, 1]])
    try change(entry(1, at: nil, handle: 1, again: true), entry(2, at: 4, handle: 2, again: true))
    #expect(try rows() == [[2, 4, 1, 0], [1, 6, 1, 0]])
    #expect(try waiting() == [2, 1])
  }

  /// An item that is gone may have the position of another one.
  @Test func twoAtOnePlace() throws {
    try add(0, 1, 2, 3, 4)
    try add(2, 3)
    #expect(try waiting() == [1, 2, 3, 6, 4, 7, 5])
    try add(3, 4, 5)
    #expect(try waiting() == [1, 2, 3, 6, 4, 7, 8, 5, 9, 10])
    #expect(try store.unprinted() == (10, 0))
    try store.recordPrinted(1...3, count: 6, torn: nil)
    #expect(try waiting() == [1, 5, 9, 10])
    #expect(try StoreFile(path).damage() == [])
  }

  /// No statement sorts, or reads every row.
  @Test func noSorting() throws {
    let database = try Database(path)
    for statement in [
      UnprintedItems.inRange, UnprintedItems.containing, UnprintedItems.ofState, UnprintedItems.ofNoState,
      UnprintedItems.items,
    ] {
      let plan = try database.prepare("EXPLAIN QUERY PLAN " + statement).all {
        String(decoding: $0.text(3), as: UTF8.self)
      }
      #expect(!plan.isEmpty && !plan.contains { $0.hasPrefix("SCAN") || $0.hasPrefix("USE TEMP") }, "\(plan)")
    }
  }
}

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
