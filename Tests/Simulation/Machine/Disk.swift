// The disk: one folder of files. It knows what has been synced, so that a power cut can take away the rest.

final class File {
  let number: Int
  var bytes: [UInt8] = []
  /// The bytes at the last sync.
  private(set) var synced: [UInt8] = []
  /// Who holds the lock on it.
  weak var locker: OpenFile?

  init(_ number: Int) { self.number = number }

  func sync() { synced = bytes }

  func write(_ new: UnsafeRawBufferPointer, at offset: Int) {
    if offset > bytes.count { bytes += [UInt8](repeating: 0, count: offset - bytes.count) }
    let end = min(bytes.count, offset + new.count)
    bytes.replaceSubrange(offset..<end, with: new)
  }

  func truncate(to size: Int) {
    if size < bytes.count {
      bytes.removeLast(bytes.count - size)
    } else {
      bytes += [UInt8](repeating: 0, count: size - bytes.count)
    }
  }

  /// What a power cut leaves: the synced bytes, all bytes, or something in between.
  fileprivate func cutPower(_ choices: inout Choices) {
    if bytes != synced {
      switch choices.below(4) {
      case 0: bytes = synced
      case 1: break
      case 2:
        // What was synced is still there, but for what was written over it.
        let count = choices.below(bytes.count + 1)
        bytes = Array(bytes.prefix(count) + synced.dropFirst(count))
      // The size has arrived, but not the data.
      default: bytes = synced.prefix(bytes.count) + [UInt8](repeating: 0, count: max(0, bytes.count - synced.count))
      }
    }
    synced = bytes
  }
}

struct Disk {
  private(set) var names: [[UInt8]: File] = [:]
  private var syncedNames: [[UInt8]: File] = [:]
  /// The changes since the folder was synced; those of one entry come together.
  private var changes: [[(name: [UInt8], file: File?)]] = []
  private var count = 0

  subscript(path: [UInt8]) -> File? { names[Self.name(path)] }

  /// Only the last part of a path counts.
  static func name(_ path: [UInt8]) -> [UInt8] {
    Array(path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...])
  }

  mutating func nameless() -> File {
    count += 1
    return File(count)
  }

  mutating func create(_ path: [UInt8]) -> File {
    let file = nameless()
    change([(Self.name(path), file)])
    return file
  }

  mutating func change(_ entries: [(name: [UInt8], file: File?)]) {
    for (name, file) in entries { names[name] = file }
    changes.append(entries)
  }

  mutating func syncFolder() {
    syncedNames = names
    changes = []
  }

  /// The power fails: names are as they were after some of the changes, and so are the bytes of each file.
  mutating func cutPower(_ choices: inout Choices) {
    names = syncedNames
    for entries in changes.prefix(changes.count - choices.below(changes.count + 1)) {
      for (name, file) in entries { names[name] = file }
    }
    for (_, file) in names.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) { file.cutPower(&choices) }
    syncFolder()
  }
}
