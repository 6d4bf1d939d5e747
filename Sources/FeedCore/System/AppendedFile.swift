/// A file that grows by lines. A line is written and synced as a whole or not at all, even if many processes append.
package struct AppendedFile {
  private let file: Descriptor

  /// - Parameter mode: the permission bits of a new file; the umask applies.
  package init(_ path: [UInt8], mode: UInt32) throws(SystemError) {
    file = try Descriptor.open(appending: path, mode: mode)
    if file.fileSize != nil { try AtomicFile.syncFolder(of: AtomicFile.resolved(path), .libc) }
  }

  /// - Parameter line: the line with its line end.
  package func append(_ line: [UInt8]) throws(SystemError) {
    // Under the lock, bytes removed below can only be our own.
    _ = flock(file.number, LOCK_EX)
    defer { _ = flock(file.number, LOCK_UN) }
    // If another writer left a line unfinished, this one must not continue it.
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
