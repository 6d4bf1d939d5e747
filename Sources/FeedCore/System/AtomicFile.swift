/// Files change as a whole or not at all: the new content is written to a temporary file, synced, and renamed over the
/// old file. Readers see one or the other, even after kill -9 or a power cut.
package struct AtomicFile {
  private let path: [UInt8]
  /// The permission bits of a new file; the umask applies.
  private let mode: UInt32
  private let calls: SystemCalls
  /// A suffix for the old content, which is kept by a hard link made just before the rename.
  package var backup: [UInt8]?
  /// A file that is replaced together with this one, or not at all.
  package var companion: CompanionFile?
  /// Whether the link stays if the file is a symbolic link, and its target changes. Otherwise the link is replaced.
  package var followsLinks = true
  /// Whether the replacement is durable. Otherwise the caller syncs the folder: until then, a power cut can bring the
  /// old file back.
  package var syncsFolder = true

  package init(_ path: [UInt8], mode: UInt32 = 0o666, calls: SystemCalls = .libc) {
    (self.path, self.mode, self.calls) = (path, mode, calls)
  }

  /// Replaces the file by `content`, and keeps the mode and owner of an existing file.
  ///
  /// A device or pipe is written to. Signals are blocked meanwhile, so only kill -9 can leave the temporary file
  /// (`TemporaryFiles`).
  /// - Parameter confirm: called when everything is written but nothing replaced yet; if it throws, nothing changes.
  package func replace(
    confirm: () throws(SystemError) -> Void = { () throws(SystemError) in },
    with content: (inout ByteWriter) throws(SystemError) -> Void
  ) throws(SystemError) {
    // By its own name: a link of /dev/fd to a pipe has a target that is not a file name.
    if ![nil, S_IFREG, S_IFLNK].contains(Descriptor.fileType(of: path, followsLinks: followsLinks)) {
      return try writeOver(content)
    }
    let target = followsLinks ? Self.resolved(path) : path

    try Signals.blocked { () throws(SystemError) in
      try companion?.prepare()
      var temporary: [UInt8] = []
      var kept: Substitution?
      let file: Descriptor
      do throws(SystemError) {
        (temporary, file) = try Self.write(beside: target, mode: mode, calls, content)
      } catch {
        companion?.rollBack()
        throw error
      }
      do throws(SystemError) {
        try confirm()
        try companion?.putInPlace()
        if let backup { kept = try Self.keep(target, as: target + backup, calls) }
        try Self.move(temporary, to: target, calls)
      } catch {
        kept?.rollBack()
        companion?.rollBack()
        file.closeQuietly()
        _ = unsafe withPath(temporary) { unsafe unlink($0) }
        throw error
      }
      kept?.commit()
      companion?.commit()
      try file.close()
      if syncsFolder { try Self.syncFolder(of: target, calls) }
    }
  }

  /// Writes new content for `target` to a temporary file, synced, with the mode and owner of the existing file.
  /// - Returns: the temporary name, and the file. Closing the file tells other processes that nobody is writing it.
  static func write(
    beside target: [UInt8], mode: UInt32, _ calls: SystemCalls,
    _ content: (inout ByteWriter) throws(SystemError) -> Void
  ) throws(SystemError) -> (name: [UInt8], file: Descriptor) {
    let old = Descriptor.status(of: target)
    let temporary = TemporaryFiles.name(beside: target)
    _ = unsafe withPath(temporary) { unsafe unlink($0) }  // left by a killed process that had our process ID
    let file = try Descriptor.create(temporary, mode: mode, calls: calls)
    do throws(SystemError) {
      TemporaryFiles.claim(file)
      if let old { file.take(ownershipOf: old) }
      var writer = ByteWriter(file)
      try content(&writer)
      try writer.flush()
      try file.sync()
    } catch {
      file.closeQuietly()
      _ = unsafe withPath(temporary) { unsafe unlink($0) }
      throw error
    }
    return (temporary, file)
  }

  /// Keeps the old content under a second name, which is also replaced as a whole.
  private static func keep(
    _ target: [UInt8], as backup: [UInt8], _ calls: SystemCalls
  ) throws(SystemError) -> Substitution {
    let temporary = TemporaryFiles.name(beside: backup)
    _ = unsafe withPath(temporary) { unsafe unlink($0) }
    try addName(temporary, of: target, calls)
    // If both names are the same file already, rename(2) keeps the temporary name.
    defer { _ = unsafe withPath(temporary) { unsafe unlink($0) } }
    return try Substitution(temporary, for: backup, calls)
  }

  /// The rename itself is data of the folder. Some file systems cannot sync a folder, and some folders can be written
  /// but not opened; there, this cannot be made safer.
  package static func syncFolder(of path: [UInt8], _ calls: SystemCalls = .libc) throws(SystemError) {
    do {
      let folder = try Descriptor.open(directory: folder(of: path), calls: calls)
      defer { folder.closeQuietly() }
      try folder.sync()
    } catch {
      if ![EACCES, EPERM, EINVAL, ENOTSUP, EBADF, ENOSYS].contains(error.code) { throw error }
    }
  }

  private func writeOver(_ content: (inout ByteWriter) throws(SystemError) -> Void) throws(SystemError) {
    let file = try Descriptor.open(writing: path, followsLinks: followsLinks, calls: calls)
    do throws(SystemError) {
      var writer = ByteWriter(file)
      try content(&writer)
      try writer.flush()
    } catch {
      file.closeQuietly()
      throw error
    }
    try file.close()
  }

  static func move(_ from: [UInt8], to: [UInt8], _ calls: SystemCalls) throws(SystemError) {
    _ = try calls.retrying(.rename) {
      unsafe withPath(from) { a in unsafe withPath(to) { b in unsafe rename(a, b) } }
    }
  }

  static func addName(_ name: [UInt8], of file: [UInt8], _ calls: SystemCalls) throws(SystemError) {
    _ = try calls.retrying(.link) {
      unsafe withPath(file) { a in unsafe withPath(name) { b in unsafe link(a, b) } }
    }
  }

  /// The name after following symbolic links, even if there is no file yet.
  package static func resolved(_ path: [UInt8]) -> [UInt8] {
    var path = path
    // The kernel follows this many links.
    for _ in 0..<40 {
      guard let target = linkTarget(path) else { break }
      path = target.first == UInt8(ascii: "/") ? target : folder(of: path) + [UInt8(ascii: "/")] + target
    }
    return path
  }

  /// The target of a symbolic link; nil for anything else.
  private static func linkTarget(_ path: [UInt8]) -> [UInt8]? {
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe withPath(path) { name in
      unsafe target.withUnsafeMutableBytes { room in
        guard let start = unsafe room.bindMemory(to: CChar.self).baseAddress else { return -1 }
        return Int32(unsafe readlink(name, start, room.count))
      }
    }
    return count < 0 ? nil : Array(target.prefix(Int(count)))
  }

  /// The folder in which a name stands, with its last slash; `.` for a name without one.
  package static func folder(of path: [UInt8]) -> [UInt8] {
    guard let cut = path.lastIndex(of: UInt8(ascii: "/")) else { return [UInt8(ascii: ".")] }
    return Array(path[...cut])
  }
}

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
