// Files change whole or not at all: the new content is written beside, synced, and renamed over the old. Whoever
// opens the name sees one or the other, also after kill -9 or a power cut.

package enum AtomicFile {
  /// Puts `content` under the name `path`, keeping the mode and owner of a file that is there already.
  ///
  /// A symbolic link is followed, so the link stays and its target changes. A device or pipe is written to. Signals
  /// wait meanwhile, so only kill -9 can leave the temporary file behind (`TemporaryFiles`).
  /// - Parameters:
  ///   - mode: the permissions of a file that was not there, less the umask.
  ///   - backup: a suffix under which the old content is kept, by a hard link made just before the rename.
  ///   - companion: a file that is replaced with it, or not at all.
  ///   - confirm: called when all is written and nothing is replaced; what it throws leaves all as it was.
  package static func replace(
    _ path: [UInt8], mode: UInt32 = 0o666, backup: [UInt8]? = nil, alongside companion: CompanionFile? = nil,
    calls: SystemCalls = .libc, confirm: () throws(SystemError) -> Void = { () throws(SystemError) in },
    with content: (inout ByteWriter) throws(SystemError) -> Void
  ) throws(SystemError) {
    // By its own name: a link of /dev/fd to a pipe has a target that is no name.
    if Descriptor.status(of: path).map({ $0.st_mode & S_IFMT != S_IFREG }) == true {
      return try write(over: path, calls, content)
    }
    let target = resolved(path)

    try Signals.blocked { () throws(SystemError) in
      try companion?.prepare()
      var temporary: [UInt8] = []
      var kept: Substitution?
      let file: Descriptor
      do throws(SystemError) {
        (temporary, file) = try write(beside: target, mode: mode, calls, content)
      } catch {
        companion?.rollBack()
        throw error
      }
      do throws(SystemError) {
        try confirm()
        try companion?.putInPlace()
        if let backup { kept = try keep(target, as: target + backup, calls) }
        try rename(temporary, to: target, calls)
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
      try syncFolder(of: target, calls)
    }
  }

  /// Writes new content for `target` beside it, synced and with the mode and owner of what is there.
  /// - Returns: its name, and the file, which is closed when it need not be known any more that somebody is writing it.
  static func write(
    beside target: [UInt8], mode: UInt32, _ calls: SystemCalls,
    _ content: (inout ByteWriter) throws(SystemError) -> Void
  ) throws(SystemError) -> (name: [UInt8], file: Descriptor) {
    let old = Descriptor.status(of: target)
    let temporary = TemporaryFiles.name(beside: target)
    _ = unsafe withPath(temporary) { unsafe unlink($0) }  // left by a killed process whose number we have now
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

  /// Keeps the old content under a second name, in whose place it comes as a whole.
  private static func keep(
    _ target: [UInt8], as backup: [UInt8], _ calls: SystemCalls
  ) throws(SystemError) -> Substitution {
    let temporary = TemporaryFiles.name(beside: backup)
    _ = unsafe withPath(temporary) { unsafe unlink($0) }
    try link(target, as: temporary, calls)
    // Where both are one file already, rename(2) leaves the temporary name.
    defer { _ = unsafe withPath(temporary) { unsafe unlink($0) } }
    return try Substitution(temporary, for: backup, calls)
  }

  /// The rename itself is data of the folder. Some file systems cannot sync one, and some folders can be written but not
  /// opened; then it is as safe as it gets.
  static func syncFolder(of path: [UInt8], _ calls: SystemCalls) throws(SystemError) {
    do {
      let folder = try Descriptor.open(directory: folder(of: path), calls: calls)
      defer { folder.closeQuietly() }
      try folder.sync()
    } catch {
      if ![EACCES, EPERM, EINVAL, ENOTSUP, EBADF, ENOSYS].contains(error.code) { throw error }
    }
  }

  private static func write(
    over path: [UInt8], _ calls: SystemCalls, _ content: (inout ByteWriter) throws(SystemError) -> Void
  ) throws(SystemError) {
    let file = try Descriptor.open(writing: path, calls: calls)
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

  static func rename(_ from: [UInt8], to: [UInt8], _ calls: SystemCalls) throws(SystemError) {
    _ = try calls.retrying(.rename) {
      unsafe withPath(from) { a in unsafe withPath(to) { b in unsafe systemRename(a, b) } }
    }
  }

  static func link(_ from: [UInt8], as to: [UInt8], _ calls: SystemCalls) throws(SystemError) {
    _ = try calls.retrying(.link) {
      unsafe withPath(from) { a in unsafe withPath(to) { b in unsafe systemLink(a, b) } }
    }
  }

  /// The name behind symbolic links, also where there is no file yet.
  static func resolved(_ path: [UInt8]) -> [UInt8] {
    var path = path
    // As many links as the kernel follows.
    for _ in 0..<40 {
      guard let target = linkTarget(path) else { break }
      path = target.first == UInt8(ascii: "/") ? target : folder(of: path) + [UInt8(ascii: "/")] + target
    }
    return path
  }

  /// What a symbolic link says; nil for anything else.
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

  static func folder(of path: [UInt8]) -> [UInt8] {
    guard let cut = path.lastIndex(of: UInt8(ascii: "/")) else { return [UInt8(ascii: ".")] }
    return Array(path[...cut])
  }
}

private func systemRename(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 {
  unsafe rename(from, to)
}

private func systemLink(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 { unsafe link(from, to) }
