// The file that holds feeds: made when it is not there, refused when it is somebody else's.

import FeedCore

/// A feed as the store lists it.
struct FeedRecord: Equatable, Sendable {
  let number: Int
  let name: [UInt8]
  let url: [UInt8]
  /// The options of its walk, JSON that only the caller understands.
  let options: [UInt8]
}

final class StoreFile {
  let path: [UInt8]
  let database: Database

  /// Opens a store that is there, to look into it; that needs no right to write, neither to it nor beside it.
  init(reading path: [UInt8]) throws(StoreError) {
    self.path = path
    try Self.refuseSpecialFile(path)
    do throws(SystemError) { try Descriptor.open(reading: path).close() } catch {
      throw StoreError(.other, error.message)
    }
    do {
      let shared = try Database(path, .shared)
      try Self.check(shared)
      database = shared
    } catch {
      // Without a log beside it the file is all there is, and nobody writes to it.
      let log = try? Descriptor.open(reading: path + Array("-wal".utf8))
      log?.closeQuietly()
      guard error.kind == .readOnly, log == nil else { throw error }
      database = try Database(path, .alone)
      try Self.check(database)
    }
    guard try Self.number(database, "PRAGMA application_id") == Schema.application else {
      throw StoreError(.foreign, "not a store: the file is empty")
    }
  }

  /// Opens a store, and makes it (mode 0600) when there is none, or brings it to this format.
  /// - Parameter isDurable: whether each change shall be on the disk before the next step, so that it outlives a power
  ///   cut; otherwise it outlives the process.
  init(_ path: [UInt8], isDurable: Bool = false) throws(StoreError) {
    try Self.refuseSpecialFile(path)
    try Self.refuseLongName(path)
    do throws(SystemError) { try LockFile.ensureFile(path, mode: 0o600) } catch {
      throw StoreError(.other, error.message)
    }
    self.path = LockFile.realPath(path)
    database = try Database(path, .shared)
    // Nothing is written before it is known whose the file is.
    try Self.check(database)
    try Self.make(database)
    try Self.useWriteAheadLog(of: database)
    try database.run(isDurable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
    // 16 MiB, so that the index of a million ids stays in memory for the most part.
    try database.run("PRAGMA cache_size = -16384; PRAGMA foreign_keys = ON")
  }

  private static func refuseSpecialFile(_ path: [UInt8]) throws(StoreError) {
    if Descriptor.isSpecialFile(path) { throw StoreError(.foreign, "not a store: not a regular file") }
  }

  /// The longest name of a file that is made: those of the lock of any feed, of the log and of the journal begin with it,
  /// and no usual file system has names of more than 255 bytes.
  private static let longestName = 255 - "-feed".utf8.count - String(Int.max).utf8.count - ".lock".utf8.count

  /// Before anything is made; a file that is there has shown that its name will do.
  private static func refuseLongName(_ path: [UInt8]) throws(StoreError) {
    let name = path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
    guard name.count > longestName else { return }
    if let file = try? Descriptor.open(reading: path) { return file.closeQuietly() }
    throw StoreError(
      .other, "the file name is too long, as names of other files begin with it (at most \(longestName) bytes)")
  }

  private static func number(_ database: Database, _ pragma: String) throws(StoreError) -> Int {
    try database.prepare(pragma).first { $0.integer(0) } ?? 0
  }

  /// Looks whose the file is, in one transaction, for another process may be making it.
  private static func check(_ database: Database) throws(StoreError) {
    try database.run("BEGIN")
    defer { try? database.run("COMMIT") }
    let isEmpty = try number(database, "SELECT count(*) FROM sqlite_schema") == 0
    let application = try number(database, "PRAGMA application_id")
    let version = try number(database, "PRAGMA user_version")
    if application == 0, version == 0, isEmpty { return }
    guard application == Schema.application else {
      throw StoreError(.foreign, "not a store: the SQLite database belongs to another program")
    }
    guard version <= Schema.version else {
      throw StoreError(.newer, "the store was made by a later version of paginate (format \(version))")
    }
    guard version >= Schema.oldestVersion else { throw .damaged("there is no format \(version)") }
    let parts = try database.prepare("SELECT type, name, sql FROM sqlite_schema").all { row in
      Schema.Part(kind: row.text(0), name: row.text(1), statement: row.text(2))
    }
    if let problem = Schema.problem(with: parts, version: version) { throw .damaged(problem) }
  }

  private static func make(_ database: Database) throws(StoreError) {
    try database.transaction { () throws(StoreError) in
      let isNew = try number(database, "PRAGMA application_id") == 0
      guard try number(database, "PRAGMA user_version") < Schema.version else { return }
      let parts = isNew ? Schema.parts(version: Schema.version) + Schema.views : Schema.releases
      for part in parts { try database.run(part) }
      try database.run("PRAGMA application_id = \(Schema.application); PRAGMA user_version = \(Schema.version)")
    }
  }

  /// Writes go to a log beside the file first. Changing to that is the one thing for which SQLite does not wait by itself.
  private static func useWriteAheadLog(of database: Database) throws(StoreError) {
    let deadline = Clock.monotonic() + Database.busyTimeout
    while true {
      do { return try database.run("PRAGMA journal_mode = WAL") } catch {
        guard error.kind == .busy, Clock.monotonic() < deadline else { throw error }
        _ = try? Descriptor.wait(for: [], milliseconds: 10)
      }
    }
  }

  /// Whether the items of a feed have the numbers of their releases, which earlier formats did not give.
  func hasNumbers(of store: FeedStore) throws(StoreError) -> Bool {
    guard try Self.number(database, "PRAGMA user_version") >= 3 else { return false }
    return try store.releaseLog().hasAllItems()
  }

  // MARK: Feeds

  func feeds() throws(StoreError) -> [FeedRecord] {
    try database.prepare("SELECT number, name, url, options FROM feed ORDER BY number")
      .all { (row) throws(StoreError) in try FeedRecord(row) }
  }

  func feed(named name: [UInt8]) throws(StoreError) -> FeedRecord? {
    try database.prepare("SELECT number, name, url, options FROM feed WHERE name = ?")
      .first(.text(name)) { (row) throws(StoreError) in try FeedRecord(row) }
  }

  /// Adds a feed without options, unless it is there.
  @discardableResult
  func add(_ name: [UInt8], url: [UInt8]) throws(StoreError) -> FeedRecord {
    try database.prepare("INSERT INTO feed (name, url, options) VALUES (?, ?, '{}') ON CONFLICT (name) DO NOTHING")
      .run(.text(name), .text(url))
    guard let record = try feed(named: name) else {
      throw StoreError(.other, "the feed was removed from the store meanwhile")
    }
    return record
  }

  /// Gives a feed its options.
  func save(_ options: [UInt8], for feed: FeedRecord) throws(StoreError) {
    try database.prepare("UPDATE feed SET options = ?2 WHERE number = ?1").run(.integer(feed.number), .text(options))
  }

  /// The feed, to be read and changed by whoever holds its lock.
  /// - Parameter isVersioned: whether its versions are those of `ItemVersion`.
  func open(_ feed: FeedRecord, isVersioned: Bool = false) throws(StoreError) -> FeedStore {
    try FeedStore(database, feed.number, isVersioned: isVersioned)
  }

  /// Takes the lock of a feed: one run at a time, while other feeds of the file go on.
  /// - Returns: nil when another run holds it.
  func lock(_ feed: FeedRecord, waits: Bool) throws(StoreError) -> LockFile? {
    do {
      return try LockFile.take(path + Array("-feed\(feed.number).lock".utf8), waits: waits)
    } catch {
      throw StoreError(.readOnly, "the lock file beside it: \(error.message)")
    }
  }
}
