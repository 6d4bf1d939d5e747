/// Keeps a checkpoint that covers only records that have been printed. It is saved before the tool waits, at the end,
/// and once a second under load. Two processes with one checkpoint would overwrite each other's, so a lock on a second
/// file (`FILE.lock`) admits only one. Creating that file also proves that the folder can be written.
package struct CheckpointKeeper {
  /// Nil if no checkpoint is kept.
  package let path: [UInt8]?
  private let lock: LockFile?
  private var isStale = false
  private var lastTime = Clock.monotonic()

  /// Keeps no checkpoint.
  package init() {
    path = nil
    lock = nil
  }

  /// Locks a checkpoint until the process ends.
  /// - Parameters:
  ///   - path: nil to keep no checkpoint.
  ///   - isInherited: whether child processes keep the lock too.
  ///   - hint: what the message advises a user who only wanted to read the file.
  /// - Throws: status 4 if another process holds the lock, status 2 if the file cannot be written.
  package init(_ path: [UInt8]?, isInherited: Bool = false, hint: String = "") throws(ToolFailure) {
    self.path = path
    guard let path, !Descriptor.isSpecialFile(path) else {
      lock = nil
      return
    }
    // Symbolic links give a file several names; the lock goes by the real one.
    let lockPath = AtomicFile.resolved(path) + Array(".lock".utf8)
    do { lock = try LockFile.take(lockPath, isInherited: isInherited) } catch {
      let isLink = Descriptor.isSymbolicLink(lockPath)
      throw .failed(.error, LockFile.message(error, at: lockPath), source: quoted(isLink ? lockPath : path))
    }
    if lock == nil { throw .failed(.tryAgain, "another process keeps this checkpoint" + hint, source: quoted(path)) }
    var leftovers = TemporaryFiles()
    leftovers.sweep(beside: path)
  }

  /// The checkpoint that was saved last.
  /// - Returns: nil if there is none yet.
  /// - Throws: status 2 if the file cannot be read or is no checkpoint.
  package func saved() throws(ToolFailure) -> Checkpoint? {
    guard let path else { return nil }
    return try Checkpoint.read(path)
  }

  /// Whether there is a file to save to.
  package var isKept: Bool { path != nil }

  /// Whether a second has passed since the last save, or since the start.
  package var isDue: Bool { path != nil && Clock.monotonic() - lastTime >= 1 }

  /// When to save changes, by the monotonic clock; nil if nothing has changed.
  package var dueTime: Double? { path != nil && isStale ? lastTime + 1 : nil }

  /// Releases the lock, even if a child process that inherited it still runs.
  package func release() { lock?.release() }

  /// Says that the file is out of date.
  package mutating func invalidate() { isStale = true }

  /// Saves the checkpoint if it has changed. The caller must first have written out everything that it covers.
  package mutating func save(_ checkpoint: Checkpoint) throws(ToolFailure) {
    try save { path throws(ToolFailure) in try checkpoint.write(path) }
  }

  /// The same for a checkpoint of any kind.
  /// - Parameter write: writes it to a path.
  package mutating func save(_ write: (_ path: [UInt8]) throws(ToolFailure) -> Void) throws(ToolFailure) {
    guard let path else { return }
    lastTime = Clock.monotonic()
    guard isStale else { return }
    try write(path)
    isStale = false
  }
}
