// The temporary files of AtomicFile. Only kill -9 or a power cut leaves one behind; the next process that writes the
// same target removes it.

/// The temporary files that killed processes left, folder by folder.
package struct TemporaryFiles {
  private static let suffix = Array(".tmp".utf8)

  /// By folder, then by the name of the target. A folder is read only once.
  private var left: [[UInt8]: [[UInt8]: [[UInt8]]]] = [:]

  package init() {}

  /// Removes the temporary files for `path` that no process is writing any more.
  package mutating func sweep(beside path: [UInt8]) {
    let target = AtomicFile.resolved(path)
    let folder = AtomicFile.folder(of: target)
    if left[folder] == nil { left[folder] = Self.leftovers(in: folder) }
    let name = Array(target[(target.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...].prefix(Self.longestName))
    for temporary in left[folder]?.removeValue(forKey: name) ?? [] {
      let path = folder + [UInt8(ascii: "/")] + temporary
      // Opening anything else, such as a FIFO, could wait.
      guard Descriptor.fileType(of: path, followsLinks: false) == S_IFREG,
        let file = try? Descriptor.open(reading: path)
      else { continue }
      defer { file.closeQuietly() }
      // The writer holds a lock on it, which also works across containers, where process IDs say nothing.
      if flock(file.number, LOCK_EX | LOCK_NB) == 0 { _ = unsafe withPath(path) { unsafe unlink($0) } }
    }
  }

  // MARK: Names

  /// Names are shortened to this length, because a name may be as long as the file system allows.
  private static let longestName = 200

  /// `.NAME.PID.tmp` in the folder of `path`.
  static func name(beside path: [UInt8], suffix: String = ".tmp") -> [UInt8] {
    let cut = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    return path[..<cut] + [UInt8(ascii: ".")] + path[cut...].prefix(longestName)
      + Array(".\(Process.identifier)\(suffix)".utf8)
  }

  /// Locks a temporary file while it is written, until it is closed.
  static func claim(_ file: Descriptor) { _ = flock(file.number, LOCK_EX | LOCK_NB) }

  /// The target and the process ID in a name made by `name(beside:)`.
  private static func meaning(of name: [UInt8]) -> (target: [UInt8], process: Int32)? {
    guard name.first == UInt8(ascii: "."), name.suffix(suffix.count) == suffix[...] else { return nil }
    let body = name.dropFirst().dropLast(suffix.count)
    guard let dot = body.lastIndex(of: UInt8(ascii: ".")), dot > body.startIndex,
      let process = Int32(decimal: body[(dot + 1)...]), process > 0
    else { return nil }
    return (Array(body[..<dot]), process)
  }

  /// The temporary files in a folder whose process has ended, by the name of their target.
  private static func leftovers(in folder: [UInt8]) -> [[UInt8]: [[UInt8]]] {
    var found: [[UInt8]: [[UInt8]]] = [:]
    Descriptor.forEachName(in: folder) { name in
      guard let (target, process) = meaning(of: name), kill(process, 0) != 0, errno == ESRCH else { return }
      found[target, default: []].append(name)
    }
    return found
  }
}
