// Files change whole or not at all: the new content is written beside, synced, and renamed over the old. Whoever
// opens the name sees one or the other, also after kill -9 or a power cut.

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

public enum AtomicFile {
  /// Puts `content` under the name `path`, keeping the mode and owner of a file that is there already.
  ///
  /// A symbolic link is followed, so the link stays and its target changes. A device or pipe is written to. Signals
  /// wait meanwhile, so only kill -9 can leave the temporary file (`.NAME.PID.tmp`) behind.
  /// - Parameters:
  ///   - mode: the permissions of a file that was not there, less the umask.
  ///   - backup: a suffix under which the old content is kept, by a hard link made just before the rename.
  public static func replace(
    _ path: [UInt8], mode: UInt32 = 0o666, backup: [UInt8]? = nil,
    with content: (inout ByteWriter) throws(SystemError) -> Void
  ) throws(SystemError) {
    // By its own name: a link of /dev/fd to a pipe has a target that is no name.
    if Descriptor.status(of: path).map({ $0.st_mode & S_IFMT != S_IFREG }) == true {
      return try write(over: path, content)
    }
    let target = resolved(path)
    let old = Descriptor.status(of: target)

    try Signals.heldBack { () throws(SystemError) in
      let temporary = temporaryName(beside: target)
      _ = unsafe withPath(temporary) { unsafe unlink($0) }  // left by a killed process whose number we have now
      let file = try Descriptor.create(temporary, mode: mode)
      do throws(SystemError) {
        if let old { file.take(ownershipOf: old) }
        var writer = ByteWriter(file)
        try content(&writer)
        try writer.flush()
        try file.sync()
        try file.close()
        if let backup { try link(target, as: target + backup) }
        try rename(temporary, to: target)
      } catch {
        file.closeQuietly()
        _ = unsafe withPath(temporary) { unsafe unlink($0) }
        throw error
      }
      // The rename itself is data of the folder. Some file systems cannot sync one; then it is as safe as it gets.
      if let folder = try? Descriptor.open(directory: folder(of: target)) {
        try? folder.sync()
        folder.closeQuietly()
      }
    }
  }

  private static func write(
    over path: [UInt8], _ content: (inout ByteWriter) throws(SystemError) -> Void
  ) throws(SystemError) {
    let file = try Descriptor.open(writing: path)
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

  private static func rename(_ from: [UInt8], to: [UInt8]) throws(SystemError) {
    _ = try Descriptor.retrying {
      unsafe withPath(from) { a in unsafe withPath(to) { b in unsafe systemRename(a, b) } }
    }
  }

  /// Keeps the old content under a second name; a file of that name gives way.
  private static func link(_ from: [UInt8], as to: [UInt8]) throws(SystemError) {
    _ = unsafe withPath(to) { unsafe unlink($0) }
    _ = try Descriptor.retrying { unsafe withPath(from) { a in unsafe withPath(to) { b in unsafe systemLink(a, b) } } }
  }

  /// The name behind symbolic links, also where there is no file yet.
  private static func resolved(_ path: [UInt8]) -> [UInt8] {
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

  static func temporaryName(beside path: [UInt8]) -> [UInt8] {
    let cut = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    // Shortened, for a name may be as long as the file system takes.
    return path[..<cut] + Array(".".utf8) + path[cut...].prefix(200) + Array(".\(Process.identifier).tmp".utf8)
  }

  private static func folder(of path: [UInt8]) -> [UInt8] {
    guard let cut = path.lastIndex(of: UInt8(ascii: "/")) else { return [UInt8(ascii: ".")] }
    return Array(path[...cut])
  }
}

private func systemRename(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 {
  unsafe rename(from, to)
}

private func systemLink(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 { unsafe link(from, to) }
