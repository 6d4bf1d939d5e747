// The file with the feeds: created if it does not exist, refused if it belongs to another program.

import FeedCore

/// A feed as the store lists it.
struct FeedRecord: Equatable, Sendable {
  let number: Int
  let name: [UInt8]
  let url: [UInt8]
  /// The options of its walk, as JSON that only the caller understands.
  let options: [UInt8]

  /// For a message about a feed that is missing: ` (it has 'a' and 2 more)`; empty if there are none.
  static func names(_ feeds: [FeedRecord]) -> String {
    guard let first = feeds.first else { return "" }
    return " (it has '\(shortened(first.name))'\(feeds.count == 1 ? "" : " and \(feeds.count - 1) more"))"
  }
}

final class StoreFile {
  let path: [UInt8]
  let database: Database

  /// Opens an existing store for reading. This needs no write permission for the file or its folder.
  init(reading path: [UInt8]) throws(StoreError) {
    self.path = path
    try Self.refuseSpecialFile(path)
    do throws(SystemError) { try Descriptor.open(reading: path).close() } catch {
      throw StoreError(error.message)
    }
    do {
      let shared = try Database(path)
      try Self.check(shared)
      database = shared
    } catch {
      // Without a log file, the file is complete and nobody writes to it.
      let log = try? Descriptor.open(reading: path + Array("-wal".utf8))
      log?.closeQuietly()
      guard error.kind == .readOnly, log == nil else { throw error }
      database = try Database(path, alone: true)
      try Self.check(database)
    }
    guard try database.number("application_id") == Schema.application else {
      throw StoreError("not a store: the file is empty")
    }
  }

  /// Opens a store. Creates it (mode 0600) if it does not exist.
  /// - Parameter isDurable: whether each change must be on the disk before the next step, to survive a power cut. If
  ///   not, it survives only the end of the process.
  init(_ path: [UInt8], isDurable: Bool = false) throws(StoreError) {
    try Self.refuseSpecialFile(path)
    try Self.refuseLongName(path)
    do throws(SystemError) { try LockFile.ensureFile(path, mode: 0o600) } catch {
      throw StoreError(error.message)
    }
    self.path = LockFile.realPath(path)
    database = try Database(path)
    // Write nothing before it is certain that the file is ours.
    try Self.check(database)
    try Self.make(database)
    try Self.useWriteAheadLog(of: database)
    try database.run(isDurable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
    // 16 MiB, so that most of the index of a million ids stays in memory. The log is of the same size: each time that it
    // is copied into the file, the disk must have it.
    try database.run("PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 4096; PRAGMA foreign_keys = ON")
  }

  private static func refuseSpecialFile(_ path: [UInt8]) throws(StoreError) {
    if Descriptor.isSpecialFile(path) { throw StoreError("not a store: not a regular file") }
  }

  /// The longest name for a new file: the names of the feed locks, the log and the journal begin with it, and most file
  /// systems limit names to 255 bytes.
  private static let longestName = 255 - "-feed".utf8.count - String(Int.max).utf8.count - ".lock".utf8.count

  /// Called before a file is created; an existing file has proved that its name is short enough.
  private static func refuseLongName(_ path: [UInt8]) throws(StoreError) {
    let name = path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
    guard name.count > longestName else { return }
    if let file = try? Descriptor.open(reading: path) { return file.closeQuietly() }
    throw StoreError(
      "the file name is too long, as names of other files begin with it (at most \(longestName) bytes)")
  }

  /// Checks that the file is ours, in one transaction, because another process may be creating it.
  private static func check(_ database: Database) throws(StoreError) {
    try database.run("BEGIN")
    defer { try? database.run("COMMIT") }
    let isEmpty = try database.prepare("SELECT 1 FROM sqlite_schema").first { _ in true } == nil
    let application = try database.number("application_id")
    let version = try database.number("user_version")
    if application == 0, version == 0, isEmpty { return }
    guard application == Schema.application else {
      throw StoreError("not a store: the SQLite database belongs to another program")
    }
    guard version <= Schema.version else {
      throw StoreError("the store was made by a later version of paginate (format \(version))")
    }
    guard version == Schema.version else { throw .damaged("there is no format \(version)") }
    if let problem = try Schema.problem(in: database) { throw .damaged(problem) }
  }

  private static func make(_ database: Database) throws(StoreError) {
    // A store may have been made before there was a view. What exists is not written.
    guard try database.number("application_id") == 0 else {
      for view in Schema.views { try database.run(view) }
      return
    }
    try database.transaction { () throws(StoreError) in
      // Another process may have made it meanwhile.
      guard try database.number("application_id") == 0 else { return }
      for part in Schema.parts + Schema.views { try database.run(part) }
      try database.run("PRAGMA application_id = \(Schema.application); PRAGMA user_version = \(Schema.version)")
    }
  }

  /// Turns on the write-ahead log. For this change, SQLite does not wait for other processes by itself.
  private static func useWriteAheadLog(of database: Database) throws(StoreError) {
    let deadline = Clock.monotonic() + Database.busyTimeout
    while true {
      do { return try database.run("PRAGMA journal_mode = WAL") } catch {
        guard error.kind == .busy, Clock.monotonic() < deadline else { throw error }
        _ = try? Descriptor.wait(for: [], milliseconds: 10)
      }
    }
  }

  // MARK: Feeds

  func feeds() throws(StoreError) -> [FeedRecord] {
    try database.prepare("SELECT number, name, url, options FROM feed ORDER BY number")
      .all(read: FeedRecord.init(_:))
  }

  func feed(named name: [UInt8]) throws(StoreError) -> FeedRecord? {
    try database.prepare("SELECT number, name, url, options FROM feed WHERE name = ?")
      .first(.text(name), read: FeedRecord.init(_:))
  }

  /// Adds a feed without options, unless it exists.
  @discardableResult
  func add(_ name: [UInt8], url: [UInt8]) throws(StoreError) -> FeedRecord {
    try database.prepare("INSERT INTO feed (name, url, options) VALUES (?, ?, '{}') ON CONFLICT (name) DO NOTHING")
      .run(.text(name), .text(url))
    guard let record = try feed(named: name) else {
      throw StoreError("the feed was removed from the store meanwhile")
    }
    return record
  }

  /// Stores the options of a feed.
  func save(_ options: [UInt8], for feed: FeedRecord) throws(StoreError) {
    try database.prepare("UPDATE feed SET options = ?2 WHERE number = ?1").run(.integer(feed.number), .text(options))
  }

  /// Opens a feed. Only the holder of its lock may change it.
  func open(_ feed: FeedRecord) throws(StoreError) -> FeedStore { try FeedStore(database, feed.number) }

  /// The pause between two tries to take a lock, in milliseconds.
  private static let lockPause: Int32 = 50

  /// Locks a feed: one run at a time, while other feeds of the file can be used.
  /// - Parameters:
  ///   - seconds: how long to wait while another run holds the lock.
  ///   - streams: where a long wait is named; nil for `-s`.
  /// - Returns: nil if another run holds the lock.
  func lock(
    _ feed: FeedRecord, waiting seconds: Double, _ streams: StandardStreams? = nil
  ) throws(StoreError) -> LockFile? {
    let lockPath = path + Array("-feed\(feed.number).lock".utf8)
    let deadline = Clock.monotonic() + seconds
    var wait = SilentWait()
    do {
      while true {
        if let lock = try LockFile.take(lockPath) { return lock }
        guard Clock.monotonic() < deadline else { return nil }
        if let streams {
          wait.begin(streams)
          if let report = wait.report() {
            let text = "another run still uses the feed, after \(secondsText(report.seconds)) s (--wait)"
            streams.say(Diagnostic(text, source: quoted(path)))
          }
        }
        _ = try Descriptor.wait(for: [], milliseconds: Self.lockPause)
      }
    } catch {
      throw StoreError("the lock file beside it: \(LockFile.message(error, at: lockPath))")
    }
  }
}
