// One process at a time, by flock(2) on a file beside the guarded one. The system releases the lock when the process
// ends, even by kill -9, so a lock never remains. The lock file does remain: if it were removed, two processes could
// hold "the" lock on two files of one name.

/// A lock that is held until it is released or the process ends.
package final class LockFile {
  private let file: Descriptor

  private init(_ file: Descriptor) { self.file = file }

  deinit { file.closeQuietly() }

  /// Takes the lock. Creates the file (mode 0600) if it does not exist, but never through a symbolic link: in a folder of
  /// several users, somebody else may have made the link.
  /// - Parameter isInherited: whether child processes hold it too, until the last of them has ended.
  /// - Returns: nil if another process holds it.
  package static func take(_ path: [UInt8], isInherited: Bool = false) throws(SystemError) -> LockFile? {
    let lock = LockFile(try Descriptor.openOrCreate(path, mode: 0o600, followsLinks: false))
    do throws(SystemError) {
      if isInherited { try lock.file.beInherited() }
      _ = try lock.file.calls.retrying(.lock) { flock(lock.file.number, LOCK_EX | LOCK_NB) }
    } catch {
      if error.code == EWOULDBLOCK { return nil }
      throw error
    }
    return lock
  }

  /// The message for an error of `take`.
  package static func message(_ error: SystemError, at path: [UInt8]) -> String {
    Descriptor.isSymbolicLink(path) ? "is a symbolic link" : error.message
  }

  /// Releases the lock, even if a child process still has the file open.
  package func release() { _ = flock(file.number, LOCK_UN) }

  /// The real path of a file that may have several names by symbolic links, so that all processes take the same lock.
  /// - Returns: `path` itself if there is no such file.
  package static func realPath(_ path: [UInt8]) -> [UInt8] { Descriptor.realPath(path) ?? path }

  /// Makes sure that a file of this name exists and is writable, because a library would create it with other
  /// permissions.
  /// - Parameter mode: the permission bits of a new file; the umask applies.
  package static func ensureFile(_ path: [UInt8], mode: UInt32) throws(SystemError) {
    try Descriptor.openOrCreate(path, mode: mode).close()
  }
}
