// One process at a time, by flock(2) on a file that stands beside what is guarded. The system lets go of the lock when
// the process ends, by kill -9 too, so none is ever left behind; the file itself stays, for removing it would let two
// processes hold "the" lock on two files of one name.

/// A lock that is held until it is let go of, or the process ends.
package final class LockFile {
  private let file: Descriptor

  private init(_ file: Descriptor) { self.file = file }

  deinit { file.closeQuietly() }

  /// Takes the lock, creating the file (mode 0600) where there is none.
  /// - Parameters:
  ///   - waits: whether to wait while another process holds it.
  ///   - isInherited: whether programs that are started hold it too, until the last of them has ended.
  /// - Returns: nil when another holds it.
  package static func take(_ path: [UInt8], waits: Bool, isInherited: Bool = false) throws(SystemError) -> LockFile? {
    let lock = LockFile(try Descriptor.openOrCreate(path, mode: 0o600))
    do throws(SystemError) {
      if isInherited { try lock.file.beInherited() }
      _ = try lock.file.calls.retrying(.lock) { flock(lock.file.number, waits ? LOCK_EX : LOCK_EX | LOCK_NB) }
    } catch {
      if error.code == EWOULDBLOCK { return nil }
      throw error
    }
    return lock
  }

  /// Lets go of the lock, also where a program that was started still has the file.
  package func release() { _ = flock(file.number, LOCK_UN) }

  /// The one name of a file that may have several by symbolic links, so that all who guard it take the same lock.
  /// - Returns: `path` itself where there is no such file.
  package static func realPath(_ path: [UInt8]) -> [UInt8] { Descriptor.realPath(path) ?? path }

  /// Makes sure that a file of this name is there and may be written, for a library that would create it with other
  /// permissions.
  /// - Parameter mode: the permission bits of a file that was not there, less the umask.
  package static func ensureFile(_ path: [UInt8], mode: UInt32) throws(SystemError) {
    try Descriptor.openOrCreate(path, mode: mode).close()
  }
}
