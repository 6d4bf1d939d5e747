import FeedCore
import Foundation
import TestSupport
import Testing

@testable import paginate

/// The file: its owner, who may write it, and what people can read in it.
@Suite struct StoreFileTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// The error when a store is opened.
  private func refusal(_ path: String, isRead: Bool = false) -> StoreError? {
    do throws(StoreError) {
      _ = isRead ? try StoreFile(reading: bytes(path)) : try StoreFile(bytes(path))
      return nil
    } catch { return error }
  }

  @Test func isMadeForTheOwnerOnly() throws {
    let folder = try ScratchFolder()
    let file = try StoreFile(bytes(folder.file("so.db")), isDurable: true)
    try file.add(bytes("so"), url: bytes("https://example.com/"))
    for name in ["so.db", "so.db-wal"] {
      let mode = try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
    }
  }

  @Test func remembersFeeds() throws {
    let folder = try ScratchFolder()
    let path = bytes(folder.file("so.db"))
    do {
      let file = try StoreFile(path)
      let a = try file.add(bytes("a"), url: bytes("https://example.com/a"))
      try file.save(bytes(#"{"next":"/next"}"#), for: a)
      try file.add(bytes("b"), url: bytes("https://example.com/b"))
      // Adding it again changes nothing.
      #expect(try file.add(bytes("a"), url: bytes("https://example.com/b")).url == bytes("https://example.com/a"))
    }
    let file = try StoreFile(path)
    #expect(try file.feeds().map(\.number) == [1, 2])
    #expect(try file.feed(named: bytes("a"))?.options == bytes(#"{"next":"/next"}"#))
    #expect(try file.feed(named: bytes("c")) == nil)
    let feed = try file.open(try #require(try file.feed(named: bytes("b"))))
    #expect(try feed.retryWait(now: 1000) == nil)
    try feed.setRetryWait(600, now: 1000)
    #expect(try feed.retryWait(now: 1000) == 600)
    #expect(try feed.retryWait(now: 1500) == 100)
    // If the clock was set back, the wait ends at once.
    #expect(try feed.retryWait(now: 999) == nil)
    try feed.setRetryWait(nil, now: 1500)
    #expect(try feed.retryWait(now: 1500) == nil)
  }

  // MARK: Refusals

  @Test func refusesWhatIsNoStore() throws {
    let folder = try ScratchFolder()
    let text = try folder.write("notes.txt", String(repeating: "no database\n", count: 100))
    #expect(refusal(text) == StoreError("not a store: the file is not a SQLite database"))
    #expect(try folder.read("notes.txt").hasPrefix("no database"))

    let other = folder.file("other.db")
    try folder.write("other.db", "")
    try Database(bytes(other)).run("CREATE TABLE cookies (name TEXT)")
    let before = FileManager.default.contents(atPath: other)
    #expect(refusal(other) == StoreError("not a store: the SQLite database belongs to another program"))
    #expect(FileManager.default.contents(atPath: other) == before)
  }

  @Test func refusesALaterVersion() throws {
    let folder = try ScratchFolder()
    let path = folder.file("so.db")
    try StoreFile(bytes(path)).add(bytes("a"), url: bytes("u"))
    try Database(bytes(path)).run("PRAGMA user_version = 9")
    #expect(refusal(path) == StoreError("the store was made by a later version of paginate (format 9)"))
  }

  @Test func refusesWhatCannotBeOpened() throws {
    let folder = try ScratchFolder()
    #expect(refusal(folder.file("none.db"), isRead: true)?.message == "no such file or directory")
    #expect(refusal(folder.file("none/so.db"))?.message == "no such file or directory")
    #expect(refusal(folder.path)?.message == "is a directory")
    #expect(refusal("/dev/null") != nil)
    #expect(!FileManager.default.fileExists(atPath: folder.file("none.db")))
  }

  @Test func aDamagedFileIsAnError() throws {
    let folder = try ScratchFolder()
    let path = folder.file("so.db")
    do { try StoreFile(bytes(path)).add(bytes("a"), url: bytes("u")) }
    var content = try #require(FileManager.default.contents(atPath: path))
    for index in 100..<content.count { content[index] = 0x5A }
    try content.write(to: URL(fileURLWithPath: path))
    #expect(refusal(path)?.message.hasPrefix("the store is damaged: ") == true)
  }

  /// A name has no special meaning to SQLite.
  @Test func namesAreNames() throws {
    let folder = try ScratchFolder()
    for name in [":memory:", "file:x?mode=memory", "ü \u{1F600}.db", "50%41#a?b.db"] {
      let path = bytes(folder.file(name))
      try StoreFile(path).add(bytes("a"), url: bytes("u"))
      #expect(try StoreFile(path).feeds().count == 1, "\(name)")
      #expect(try StoreFile(reading: path).feeds().count == 1, "\(name)")
      // As in a folder in which nothing can be created.
      #expect(try Database(path, alone: true).prepare("SELECT name FROM feed").all { _ in 1 }.count == 1, "\(name)")
    }
  }

  // MARK: Locks

  @Test func oneRunAFeed() throws {
    let folder = try ScratchFolder()
    let file = try StoreFile(bytes(folder.file("so.db")))
    let a = try file.add(bytes("a"), url: bytes("u"))
    let b = try file.add(bytes("b"), url: bytes("u"))
    var lock = try file.lock(a, waiting: 0)
    #expect(lock != nil)
    #expect(try file.lock(a, waiting: 0) == nil)
    #expect(try file.lock(b, waiting: 0) != nil)
    lock = nil
    #expect(lock == nil)
    #expect(try file.lock(a, waiting: 0) != nil)
  }

  // MARK: For people

  @Test func views() throws {
    let folder = try ScratchFolder()
    let path = bytes(folder.file("so.db"))
    let file = try StoreFile(path)
    let feed = try file.open(try file.add(bytes("so"), url: bytes("u")))
    func item(_ id: String, at position: Int) -> FeedChange.ChangedItem {
      .init(
        item: FeedItem(id: bytes(id), orderKey: nil, data: bytes(#"{"id":"\#(id)"}"#)),
        position: position)
    }
    var change = FeedChange()
    change.items = [item("d", at: -10), item("c", at: -9), item("b", at: 0), item("a", at: 1)]
    change.savedRuns = [
      FeedRun(number: 2, top: -10, bottom: -9, lowerEnd: .open), FeedRun(number: 1, top: 0, bottom: 1, lowerEnd: .end),
    ]
    change.savedPages = [KnownPage(top: -10, next: bytes("next")), KnownPage(top: 0, next: nil)]
    try feed.commit(change)
    try feed.recordPrinted(-10...(-10), count: 1, torn: -9)
    #expect(try feed.unprinted() == (2, 1))
    // The next run reports the torn line, once.
    for expected in [[1], []] {
      var told: [Int] = []
      try feed.recoverInterrupted { told.append($0) }
      #expect(told == expected)
    }
    #expect(try feed.unprinted() == (2, 1))

    let database = try Database(path)
    let items = try database.prepare("SELECT id, printed FROM items").all { row in
      String(decoding: row.text(0) + [UInt8(ascii: " ")] + row.text(1), as: UTF8.self)
    }
    #expect(items == ["d printed", "c uncertain"])
    let gaps = try database.prepare("SELECT feed, state, above, below FROM gaps").all { row in
      (0..<4).map { String(decoding: row.text($0), as: UTF8.self) }
    }
    #expect(gaps == [["so", "open", "c", "b"]])
  }

  /// Text is preserved: with NUL, empty, or not UTF-8.
  @Test(arguments: [[], [0], [0x61, 0, 0x62], [0xFF, 0xFE], Array("é".utf8)]) func anyId(_ id: [UInt8]) throws {
    let folder = try ScratchFolder()
    let file = try StoreFile(bytes(folder.file("so.db")))
    let feed = try file.open(try file.add(bytes("so"), url: bytes("u")))
    var change = FeedChange()
    change.items = [
      .init(item: FeedItem(id: id, orderKey: id, data: bytes("{}")), position: 0)
    ]
    try feed.commit(change)
    let known = try #require(try feed.item(id))
    #expect(known.orderKey == id)
    #expect(try feed.waiting(in: 0...0, lines: 9, bytes: 9).map(\.id) == [id])
  }

  /// A change that fails in the middle changes nothing.
  @Test func changesAreWhole() throws {
    let folder = try ScratchFolder()
    let file = try StoreFile(bytes(folder.file("so.db")))
    let feed = try file.open(try file.add(bytes("so"), url: bytes("u")))
    let item = FeedItem(id: bytes("a"), orderKey: nil, data: bytes("{}"))
    var change = FeedChange()
    change.items = [.init(item: item, position: 0), .init(item: item, position: 1)]
    #expect(throws: StoreError.self) { try feed.commit(change) }
    #expect(try feed.item(bytes("a")) == nil)
    change.items.removeLast()
    try feed.commit(change)
    #expect(try feed.item(bytes("a"))?.position == 0)
  }
}
