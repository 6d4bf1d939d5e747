import Foundation
import TestSupport
import Testing

@testable import FeedCore
@testable import paginate

/// A value that a store may not contain is an error when it is read, whoever wrote it.
@Suite struct StoreDamageTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// A store with a gap and an item to print, changed in ways that its tables do not allow.
  private func damaged(_ statement: String) throws -> (file: [UInt8], folder: ScratchFolder) {
    let folder = try ScratchFolder()
    let path = bytes(folder.file("so.db"))
    let file = try StoreFile(path)
    let feed = try file.open(try file.add(bytes("so"), url: bytes("u")))
    var change = FeedChange()
    change.items = ["d", "c", "b", "a"].enumerated().map { index, id in
      let data = bytes(#"{"id":"\#(id)"}"#)
      return .init(
        item: FeedItem(id: bytes(id), orderKey: nil, data: data),
        position: [-10, -9, 0, 1][index])
    }
    change.savedRuns = [
      FeedRun(number: 2, top: -10, bottom: -9, lowerEnd: .open), FeedRun(number: 1, top: 0, bottom: 1, lowerEnd: .end),
    ]
    change.savedPages = [KnownPage(top: -10, next: bytes("next")), KnownPage(top: 0, next: nil)]
    change.firstPage = .init(etag: bytes("x"), size: 2, total: 4)
    try feed.commit(change)
    try feed.recordIntent(-10...(-9))
    try feed.setRetryWait(600, now: 1000)
    let database = try Database(path)
    try database.run("PRAGMA ignore_check_constraints = ON")
    try database.run(statement)
    return (path, folder)
  }

  /// Reads everything that is ever read from a store.
  private func read(_ path: [UInt8]) throws(StoreError) {
    let file = try StoreFile(path)
    for record in try file.feeds() {
      let feed = try file.open(record)
      _ = try feed.retryWait(now: 1200)
      _ = try feed.firstPage()
      let runs = FeedRuns(try feed.runs())
      for run in runs.all {
        _ = try [feed.firstLive(in: run.range), feed.lastLive(in: run.range)]
        _ = try [feed.firstPage(in: run.range), feed.lastPage(in: run.range)]
        _ = try feed.live(in: run.range, lines: 9, bytes: 1000)
      }
      for id in ["a", "b", "c", "d"] { _ = try feed.item(bytes(id)) }
      try feed.recoverInterrupted { _ in }
      _ = try feed.waiting(in: Int.min...Int.max, lines: 9, bytes: 1000)
    }
  }

  @Test func theStoreOfTheseTestsIsSound() throws {
    let (path, folder) = try damaged("SELECT 1")
    defer { withExtendedLifetime(folder) {} }
    try read(path)
  }

  @Test(arguments: [
    ("UPDATE feed SET writing_from = 5, writing_to = 1", "what was being printed cannot be from 5 to 1"),
    (
      "UPDATE feed SET writing_from = 0, writing_to = 9223372036854775807",
      "what was being printed cannot be 9223372036854775807"
    ),
    ("UPDATE feed SET writing_to = NULL", "what was being printed has only one end"),
    (
      "UPDATE feed SET retry_at = -9223372036854775808", "the time of the next request cannot be -9223372036854775808"
    ),
    ("UPDATE feed SET retry_said_at = NULL", "the time of the next request has no beginning"),
    ("UPDATE feed SET page_size = -1", "the size of page 1 cannot be -1"),
    ("UPDATE feed SET total = -1", "the total cannot be -1"),
    ("UPDATE feed SET etag = char(13, 10) || 'X: y'", "the ETag holds a control character"),
    ("UPDATE run SET top = 9, bottom = 2 WHERE number = 1", "run 1 cannot be from 9 to 2"),
    (
      "UPDATE run SET number = 9223372036854775807 WHERE number = 1",
      "the number of a run cannot be 9223372036854775807"
    ),
    ("UPDATE run SET bottom = 0 WHERE number = 2", "runs 2 and 1 overlap"),
    ("UPDATE run SET lower_end = 'x' WHERE number = 1", "run 1 cannot end in 'x'"),
    ("UPDATE run SET lower_end = 'end'", "nothing says what is missing below run 2"),
    ("UPDATE item SET data = '{\"id\":\"x\"}' WHERE id = 'b'", "item 'b' is not what was stored"),
    (
      "UPDATE item SET position = 9223372036854775807 WHERE id = 'a'",
      "the position of an item cannot be 9223372036854775807"
    ),
    ("UPDATE unprinted SET is_uncertain = 2 WHERE item = 3", "is_uncertain of an item cannot be 2"),
    ("UPDATE unprinted SET item = 0 WHERE item = 3", "the number of an item cannot be 0"),
    ("UPDATE unprinted SET item = 2 WHERE item = 3", "the items are out of order"),
    ("UPDATE unprinted SET item = 30 WHERE item = 3", "an item that waits is not there"),
    ("UPDATE unprinted SET count = 9 WHERE item = 3", "an item that waits is not there"),
    ("UPDATE unprinted SET count = -1 WHERE item = 3", "the count of items that wait cannot be -1"),
    ("UPDATE unprinted SET position = 9 WHERE item = 3", "the items are out of order"),
    ("UPDATE item SET position = 7 WHERE id = 'b'", "the items are out of order"),
    ("DROP INDEX unprinted_place", "index 'unprinted_place' was changed"),
    ("PRAGMA user_version = 0", "there is no format 0"),
    ("DROP INDEX item_live", "index 'item_live' was changed"),
    ("ALTER TABLE run ADD COLUMN x TEXT", "table 'run' was changed"),
    ("CREATE TRIGGER t AFTER UPDATE ON item BEGIN DELETE FROM item; END", "it has a trigger, 't'"),
  ])
  func whatCannotBe(_ statement: String, _ what: String) throws {
    let (path, folder) = try damaged(statement)
    defer { withExtendedLifetime(folder) {} }
    do throws(StoreError) {
      try read(path)
      Issue.record("nothing was found")
    } catch {
      #expect(error == .damaged(what), "\(statement)")
    }
  }

  /// The tables refuse it too, whoever writes it.
  @Test(arguments: [
    "UPDATE feed SET writing_from = 5, writing_to = 1", "UPDATE feed SET retry_at = -1",
    "UPDATE feed SET page_size = -1",
    "UPDATE run SET top = 9, bottom = 2",
    "UPDATE unprinted SET is_uncertain = 2", "UPDATE unprinted SET count = 0",
    "UPDATE item SET position = 9223372036854775807", "UPDATE run SET number = 0",
  ])
  func whatTheTablesRefuse(_ statement: String) throws {
    let (path, folder) = try damaged("SELECT 1")
    defer { withExtendedLifetime(folder) {} }
    let database = try Database(path)
    #expect(throws: StoreError.self) { try database.run(statement) }
  }

  /// Options that this tool writes can be read; others mean damage, and are not guessed.
  @Test(arguments: [
    ("{", "the options of the feed cannot be read"), ("[]", "the options of the feed cannot be read"),
    (#"{"next":"page:"}"#, "the option 'next' of the feed cannot be read"),
    (#"{"items":"x"}"#, "the option 'items' of the feed cannot be read"),
    (#"{"id":7}"#, "the option 'id' of the feed cannot be read"),
    (#"{"order":"x"}"#, "the option 'order' of the feed cannot be read"),
    (#"{"secretParam":["x"]}"#, "the option 'secretParam' of the feed cannot be read"),
  ])
  func options(_ json: String, _ what: String) throws {
    var options = try Options(paginate.parse([]), StandardStreams(program: "paginate"))
    #expect(throws: StoreError.damaged(what)) { try RememberedOption.fill(&options, from: bytes(json)) }
  }

  /// Each option that a store remembers is in the table, so that it can be filled in.
  @Test func rememberedOptionsHaveRows() {
    #expect(RememberedOption.all.count == 11)
    for option in RememberedOption.all {
      #expect(Options.rows.specs.contains { $0.setting?() == option.setting() })
    }
  }

  /// A remembered wait has a limit.
  @Test func aLongWaitIsCapped() throws {
    let folder = try ScratchFolder()
    let file = try StoreFile(bytes(folder.file("so.db")))
    let feed = try file.open(try file.add(bytes("so"), url: bytes("u")))
    try feed.setRetryWait(1_000_000_000, now: 1000)
    #expect(try feed.retryWait(now: 1000) == 86_400)
    try Database(bytes(folder.file("so.db"))).run("UPDATE feed SET retry_at = 253402300799")
    #expect(try feed.retryWait(now: 1500) == 86_400 - 500)
  }
}
