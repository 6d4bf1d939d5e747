// Keeps a checkpoint that covers only what has been printed: saved when the tool is about to wait, at the end, and
// once a second under load. Two processes with one checkpoint would each undo what the other has saved, so a lock on a
// file beside it (`FILE.lock`) lets only one in; to make that file is also the proof that the folder can be written.

package struct CheckpointKeeper {
  private let path: [UInt8]?
  private let lock: LockFile?
  private var isStale = false
  private var lastTime = Clock.monotonic()

  /// Keeps none.
  package init() {
    path = nil
    lock = nil
  }

  /// Takes a checkpoint over, until the process ends.
  /// - Parameters:
  ///   - path: nil where none is kept.
  ///   - isInherited: whether programs that are started keep others away too.
  ///   - hint: what the message says to somebody who only wanted to read it.
  /// - Throws: status 4 when another process keeps it, status 2 when it cannot be written.
  package init(_ path: [UInt8]?, isInherited: Bool = false, hint: String = "") throws(ToolFailure) {
    self.path = path
    guard let path, !Descriptor.isSpecialFile(path) else {
      lock = nil
      return
    }
    // By the name of the file itself, which may have others by symbolic links.
    let lockPath = AtomicFile.resolved(path) + Array(".lock".utf8)
    lock = try naming(quoted(path), LockFile.take(lockPath, waits: false, isInherited: isInherited))
    if lock == nil { throw .failed(.later, "another process keeps this checkpoint" + hint, source: quoted(path)) }
    var leftovers = TemporaryFiles()
    leftovers.sweep(beside: path)
  }

  /// What was saved last.
  /// - Returns: nil where there is nothing yet.
  /// - Throws: status 2 when it cannot be read or is no checkpoint.
  package func saved() throws(ToolFailure) -> Checkpoint? {
    guard let path else { return nil }
    return try Checkpoint.read(path)
  }

  /// Whether there is a file.
  package var isKept: Bool { path != nil }

  /// Whether a second has passed since the last save, or since the beginning.
  package var isDue: Bool { path != nil && Clock.monotonic() - lastTime >= 1 }

  /// When to save what is new, by the monotonic clock; nil where nothing is.
  package var dueTime: Double? { path != nil && isStale ? lastTime + 1 : nil }

  /// Lets others in, also where a program that was started goes on.
  package func release() { lock?.release() }

  /// Something was taken in that the file does not know of.
  package mutating func invalidate() { isStale = true }

  /// Saves, if there is anything new. All that the checkpoint covers must have been written out.
  package mutating func save(_ checkpoint: Checkpoint) throws(ToolFailure) {
    guard let path else { return }
    lastTime = Clock.monotonic()
    guard isStale else { return }
    try checkpoint.write(path)
    isStale = false
  }
}
