// SQLite, as far as the store needs it: open, prepare once, bind, step, read columns. Only this file calls the library;
// its users see bytes, integers and errors that are values.

import CSQLite
import FeedCore

/// An open database. Not for use by several threads.
@safe
final class Database {
  /// How long to wait for another process that locks the database, in seconds.
  static let busyTimeout = 10.0

  private let handle: OpaquePointer

  /// Done once in the process, before the first database is opened.
  private static let isConfigured = sqlite3_config_without_statistics() == SQLITE_OK

  /// Opens an existing file; an empty one is an empty database. Nothing is written yet.
  /// - Parameters:
  ///   - path: used literally; no name has a special meaning.
  ///   - isAlone: for reading while nobody writes; no other file is created. If not, the file is shared with others,
  ///     and read-only if it is write-protected.
  init(_ path: [UInt8], alone isAlone: Bool = false) throws(StoreError) {
    // A name that begins with a colon would mean a database in memory.
    var name = path.first == UInt8(ascii: "/") ? path : Array("./".utf8) + path
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    if isAlone { name = Array("file:".utf8) + name.percentEncoded() + Array("?immutable=1".utf8) }
    flags |= isAlone ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE
    _ = Self.isConfigured
    var opened: OpaquePointer?
    let code = unsafe (name + [0]).withUnsafeBytes {
      unsafe sqlite3_open_v2($0.bindMemory(to: CChar.self).baseAddress, &opened, flags, nil)
    }
    guard let database = unsafe opened else { throw StoreError("out of memory") }
    unsafe handle = database
    if code != SQLITE_OK { throw error(code) }
    unsafe sqlite3_busy_timeout(database, Int32(Self.busyTimeout * 1000))
    // The file may come from anybody: its schema must not call our functions, and its pages are checked closely.
    try run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
  }

  deinit { unsafe sqlite3_close_v2(handle) }

  /// Runs statements that return no rows.
  func run(_ statements: String) throws(StoreError) {
    let code = unsafe sqlite3_exec(handle, statements, nil, nil, nil)
    if code != SQLITE_OK { throw error(code) }
  }

  /// A statement, which is prepared when it is first run: most runs of the tool need few of them.
  func prepare(_ statement: String) -> Statement { Statement(statement, of: self) }

  fileprivate func compile(_ statement: String) throws(StoreError) -> OpaquePointer {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      handle, statement, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let made = unsafe prepared else { throw error(code) }
    return unsafe made
  }

  /// Runs `body` as a transaction: all its changes are made, or none.
  func transaction<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
    try run("BEGIN IMMEDIATE")
    do throws(StoreError) {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // A disk error may have ended the transaction already.
      try? run("ROLLBACK")
      throw error
    }
  }

  /// The number of a pragma.
  func number(_ pragma: String) throws(StoreError) -> Int {
    try prepare("PRAGMA \(pragma)").first { $0.integer(0) } ?? 0
  }

  /// The rowid of the last inserted row.
  var lastInsertedRow: Int { Int(unsafe sqlite3_last_insert_rowid(handle)) }

  // MARK: Errors

  /// The error of a result code of SQLite that is no success.
  fileprivate func error(_ code: Int32) -> StoreError {
    let text = unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) } ?? "error \(code)"
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: return StoreError("another process is writing to it", .busy)
    case SQLITE_FULL,
      SQLITE_IOERR where SystemError(code: unsafe sqlite3_system_errno(handle)).isFullDisk:
      return StoreError(withCause("the disk is full"))
    case SQLITE_IOERR where code == Self.shortRead: return .damaged("the file is cut short")
    // All our statements fit the schema. If one does not, or SQLite finds an impossible row, the file is damaged.
    case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_SCHEMA, SQLITE_TOOBIG, SQLITE_FORMAT:
      return .damaged(quoted(text.utf8))
    case SQLITE_NOTADB: return StoreError("not a store: the file is not a SQLite database")
    case SQLITE_READONLY, SQLITE_PERM: return StoreError(withCause("cannot be written"), .readOnly)
    case SQLITE_CANTOPEN: return StoreError(withCause("cannot be opened, or the files beside it cannot"), .readOnly)
    default: return StoreError(withCause(text.lowercasedFirst))
    }
  }

  /// SQLITE_IOERR_SHORT_READ, a macro that Swift cannot import.
  private static let shortRead = SQLITE_IOERR | (2 << 8)

  /// `text` with the last error of the system, if it is known.
  private func withCause(_ text: String) -> String {
    let code = unsafe sqlite3_system_errno(handle)
    return code == 0 ? text : "\(text): \(SystemError(code: code).message)"
  }
}

/// A statement, to be run repeatedly.
@safe
final class Statement {
  /// The values of a parameter.
  enum Value {
    case null
    case integer(Int)
    case text([UInt8])

    init(_ number: Int?) { self = number.map(Value.integer) ?? .null }
    init(_ text: [UInt8]?) { self = text.map(Value.text) ?? .null }
  }

  private let text: String
  private let database: Database
  private var handle: OpaquePointer?

  fileprivate init(_ text: String, of database: Database) {
    self.text = text
    self.database = database
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Runs to the end.
  func run(_ values: Value...) throws(StoreError) {
    try bind(values)
    defer { unsafe sqlite3_reset(handle) }
    while try step() {}
  }

  /// Runs to the first row.
  /// - Parameter read: called with that row.
  /// - Returns: nil if there is no row.
  func first<T>(
    _ values: Value..., read: (Statement) throws(StoreError) -> T
  ) throws(StoreError) -> T? {
    try bind(values)
    defer { unsafe sqlite3_reset(handle) }
    return try step() ? try read(self) : nil
  }

  /// - Parameters:
  ///   - read: called with each row.
  ///   - isWanted: whether to go on after this many rows.
  func all<T>(
    _ values: Value..., read: (Statement) throws(StoreError) -> T, while isWanted: (Int) -> Bool = { _ in true }
  ) throws(StoreError) -> [T] {
    try bind(values)
    defer { unsafe sqlite3_reset(handle) }
    var result: [T] = []
    while try step() {
      result.append(try read(self))
      if !isWanted(result.count) { break }
    }
    return result
  }

  // MARK: Columns of the current row, from 0

  func integer(_ column: Int32) -> Int { Int(unsafe sqlite3_column_int64(handle, column)) }

  func text(_ column: Int32) -> [UInt8] {
    guard let start = unsafe sqlite3_column_text(handle, column) else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }

  func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }
  func isInteger(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_INTEGER }
  func isText(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_TEXT }

  // MARK: -

  /// - Returns: whether there is a row; false at the end.
  private func step() throws(StoreError) -> Bool {
    let code = unsafe sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw database.error(code)
  }

  private func bind(_ values: [Value]) throws(StoreError) {
    if unsafe handle == nil { unsafe handle = try database.compile(text) }
    for (index, value) in values.enumerated() {
      let place = Int32(index + 1)
      let code =
        switch value {
        case .null: unsafe sqlite3_bind_null(handle, place)
        case .integer(let number): unsafe sqlite3_bind_int64(handle, place, Int64(number))
        case .text(let bytes): bind(bytes, place)
        }
      if code != SQLITE_OK { throw database.error(code) }
    }
  }

  private func bind(_ bytes: [UInt8], _ place: Int32) -> Int32 {
    // SQLITE_TRANSIENT: the library makes its own copy. A null address would mean NULL, even for no bytes.
    let copies = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    guard !bytes.isEmpty else { return unsafe sqlite3_bind_text(handle, place, "", 0, copies) }
    return unsafe bytes.withUnsafeBytes {
      unsafe sqlite3_bind_text64(
        handle, place, $0.bindMemory(to: CChar.self).baseAddress, UInt64($0.count), copies, UInt8(SQLITE_UTF8))
    }
  }
}
