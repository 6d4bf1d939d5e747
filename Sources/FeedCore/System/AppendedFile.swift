// A file that grows by lines. A line is there as a whole, and on the disk, or not at all, however many processes append.

package struct AppendedFile {
  private let file: Descriptor

  /// - Parameter mode: the permission bits of a file that was not there, less the umask.
  package init(_ path: [UInt8], mode: UInt32) throws(SystemError) {
    file = try Descriptor.open(appending: path, mode: mode)
    if file.fileSize != nil { try AtomicFile.syncFolder(of: AtomicFile.resolved(path), .libc) }
  }

  /// - Parameter line: with its end.
  package func append(_ line: [UInt8]) throws(SystemError) {
    // What is taken back below must be our own.
    _ = flock(file.number, LOCK_EX)
    defer { _ = flock(file.number, LOCK_UN) }
    // A line that somebody else did not finish is not to become one with this.
    let (accepted, error) = file.write((endsInLine ? line : [UInt8(ascii: "\n")] + line).span)
    if let error {
      if let size = file.fileSize, accepted > 0 { _ = ftruncate(file.number, off_t(size - accepted)) }
      throw error
    }
    // A pipe or a device cannot be synced.
    if file.fileSize != nil { try file.sync() }
  }

  private var endsInLine: Bool {
    guard let size = file.fileSize, size > 0 else { return true }
    var byte: UInt8 = 0
    return unsafe pread(file.number, &byte, 1, off_t(size - 1)) != 1 || byte == UInt8(ascii: "\n")
  }
}
