/// A file that is read, edited and replaced. Other processes that use this type wait until it is done, so no edit is
/// lost. Changes by processes that ignore the lock are detected before they would be overwritten.
///
/// The lock is flock(2) on the file itself, so no lock file remains. The rename replaces the locked file. So a process
/// that waited for the lock checks that the name still refers to the same file, and starts again if not.
package final class EditedFile {
  /// Why the file cannot be edited.
  package enum EditProblem: Error, Sendable {
    case system(SystemError)
    /// A pipe or a device: it cannot be replaced.
    case notRegular
    /// Another process held the lock until the wait was over.
    case locked
  }

  private let path: [UInt8]
  /// Open for reading.
  package let descriptor: Descriptor
  /// Its status when it was opened.
  private let before: stat

  private init(_ path: [UInt8], _ descriptor: Descriptor, _ before: stat) {
    (self.path, self.descriptor, self.before) = (path, descriptor, before)
  }

  deinit { descriptor.closeQuietly() }

  /// Opens and locks a file.
  /// - Parameter patience: how many seconds to wait for another process that holds the lock.
  package static func open(
    _ path: [UInt8], patience: Double = 60, calls: SystemCalls = .libc
  ) throws(EditProblem) -> EditedFile {
    let deadline = Clock.monotonic() + patience
    while true {
      if Descriptor.isSpecialFile(path) { throw .notRegular }
      let file: Descriptor
      do { file = try Descriptor.open(reading: path, calls: calls) } catch { throw .system(error) }
      do throws(EditProblem) {
        try lock(file, until: deadline, calls)
      } catch {
        file.closeQuietly()
        throw error
      }
      if let opened = file.status, Self.isSame(opened, path) { return EditedFile(path, file, opened) }
      // Another process replaced the file while we waited.
      file.closeQuietly()
    }
  }

  private static func lock(_ file: Descriptor, until deadline: Double, _ calls: SystemCalls) throws(EditProblem) {
    var pause: UInt32 = 500
    while true {
      do throws(SystemError) {
        _ = try calls.retrying(.lock) { flock(file.number, LOCK_EX | LOCK_NB) }
        return
      } catch {
        // This file system has no such locks. Changes by others are still detected before the rename.
        if error.code != EWOULDBLOCK { return }
      }
      // A blocking flock would never return if this runs under flock(1) on the same file.
      if Clock.monotonic() >= deadline { throw .locked }
      usleep(pause)
      pause = min(2 * pause, 20_000)
    }
  }

  /// Whether the file was written to since it was opened, or the name refers to another file now.
  package var hasChanged: Bool { !Self.isSame(before, path) }

  /// Whether the name refers to this file, and no value has changed that changes when a process writes to it.
  private static func isSame(_ before: stat, _ path: [UInt8]) -> Bool {
    guard let now = Descriptor.status(of: path) else { return false }
    return Descriptor.Identity(before) == Descriptor.Identity(now) && before.st_size == now.st_size
      && before.modified.tv_sec == now.modified.tv_sec && before.modified.tv_nsec == now.modified.tv_nsec
  }
}
