// A file that is read, and replaced by what comes of it. Whoever else does the same by this type waits until it is done, so
// no edit is lost; and what others have done to it meanwhile, who do not know of the lock, is seen before it is lost.
//
// The lock is flock(2) on the file itself, so it leaves nothing behind. The file that has it goes with the rename: who has
// waited for it looks whether the name still leads to it, and begins again if not.

package final class EditedFile {
  package enum Refusal: Error, Sendable {
    case system(SystemError)
    /// A pipe, a device: it cannot be replaced.
    case notRegular
    /// Another process has had it for as long as one waits.
    case locked
  }

  private let path: [UInt8]
  /// Open to read.
  package let descriptor: Descriptor
  private let before: State

  /// What changes when somebody writes to a file or replaces it.
  private struct State: Equatable {
    let identity: Descriptor.Identity?
    let size: Int
    let seconds: Int
    let nanoseconds: Int

    init(_ status: stat) {
      identity = Descriptor.Identity(status)
      size = Int(status.st_size)
      seconds = status.modified.tv_sec
      nanoseconds = status.modified.tv_nsec
    }
  }

  private init(_ path: [UInt8], _ descriptor: Descriptor, _ before: State) {
    self.path = path
    self.descriptor = descriptor
    self.before = before
  }

  deinit { descriptor.closeQuietly() }

  /// Whether something is there that cannot be replaced; it is not opened.
  package static func isNotRegular(_ path: [UInt8]) -> Bool { Descriptor.isSpecialFile(path) }

  /// Opens and locks a file.
  /// - Parameter patience: for how many seconds to wait for another process that has it.
  package static func open(
    _ path: [UInt8], patience: Double = 60, calls: SystemCalls = .libc
  ) throws(Refusal) -> EditedFile {
    let deadline = Clock.monotonic() + patience
    while true {
      if isNotRegular(path) { throw .notRegular }
      let file: Descriptor
      do { file = try Descriptor.open(reading: path, calls: calls) } catch { throw .system(error) }
      do throws(Refusal) {
        try lock(file, until: deadline, calls)
      } catch {
        file.closeQuietly()
        throw error
      }
      if let opened = file.status, let named = Descriptor.status(of: path), State(opened) == State(named) {
        return EditedFile(path, file, State(opened))
      }
      // Somebody has replaced it while we waited.
      file.closeQuietly()
    }
  }

  private static func lock(_ file: Descriptor, until deadline: Double, _ calls: SystemCalls) throws(Refusal) {
    var pause: UInt32 = 500
    while true {
      do throws(SystemError) {
        _ = try calls.retrying(.lock) { flock(file.number, LOCK_EX | LOCK_NB) }
        return
      } catch {
        // No such locks on this file system: what others do is still seen before the rename.
        if error.code != EWOULDBLOCK { return }
      }
      // Not by waiting in flock: who runs this under flock(1) on the same file would wait for ever.
      if Clock.monotonic() >= deadline { throw .locked }
      usleep(pause)
      pause = min(2 * pause, 20_000)
    }
  }

  /// Whether somebody has written to the file since it was opened, or the name leads to another one.
  package var hasChanged: Bool {
    guard let now = Descriptor.status(of: path) else { return true }
    return State(now) != before
  }
}
