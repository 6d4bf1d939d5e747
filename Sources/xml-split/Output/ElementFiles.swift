import FeedCore

/// Elements as files (--files): several in each, with the text around them that makes it a document. A file gets its
/// name when it is complete. Its name is data of the folder: a sync of the folder for each file would cost as much as
/// the sync of the file. So folders are synced for many files at once, and only then the names are printed.
struct ElementFiles {
  /// The text before and after the elements of a file.
  struct Wrapper {
    var head: [UInt8] = []
    var tail: [UInt8] = []
  }

  private struct Open {
    let name: [UInt8]
    let tail: [UInt8]
    var count = 0
    /// The bytes of the file, if no further element comes.
    var size: Int
    var spool: Spool
  }

  private let form: FileForm
  private var number = 0
  private var open: Open?
  /// Longer than any file system allows.
  private static let longestName = 255
  /// The names used so far, if numbers alone do not make them unique.
  private var names: Set<[UInt8]> = []
  /// The files that have their names, but whose folders are not synced.
  private var written: [[UInt8]] = []
  /// So many names wait at most.
  private static let batch = 1_000
  /// Temporary files of killed runs.
  private var leftovers = TemporaryFiles()
  /// The first system error.
  private(set) var failure: ToolFailure?

  init(_ form: FileForm) { self.form = form }

  /// Whether it is time to sync the folders, even if more input is there.
  var hasMany: Bool { written.count >= Self.batch }

  /// Adds an element.
  /// - Parameters:
  ///   - tree: the element, if the pattern uses values.
  ///   - start: its offset, for errors.
  ///   - wrapper: for a file that begins with it.
  mutating func append(
    _ element: [UInt8], _ tree: ElementTree, at start: Int, wrapper: Wrapper
  ) throws(XMLError) {
    if let open, case .bytes(let limit) = form.limit, open.size + element.count > limit { finish() }
    if open == nil { try begin(tree, at: start, wrapper) }
    add(element)
    open?.count += 1
    guard let open else { return }
    switch form.limit {
    case .elements(let limit): if open.count >= limit { finish() }
    case .bytes(let limit): if open.size >= limit { finish() }
    }
  }

  private mutating func begin(_ tree: ElementTree, at start: Int, _ wrapper: Wrapper) throws(XMLError) {
    let made: FileNamePattern.FileName
    do { made = try form.pattern.name(number + 1, tree) } catch {
      let what = error.isEmpty ? "an element with an empty" : "an element without"
      throw XMLError("\(what) '\(quoted(error.field))', which the name of its file needs", at: start)
    }
    let name = made.bytes
    if form.pattern.usesValues, !names.insert(name).inserted {
      throw XMLError("a second file '\(shortened(name))'", at: start)
    }
    guard name.count - (name.lastIndex(of: UInt8(ascii: "/")) ?? -1) - 1 <= Self.longestName else {
      throw XMLError("a file name of more than \(Self.longestName) bytes", at: start)
    }
    if let link = made.unfollowed.first(where: Descriptor.isSymbolicLink) {
      throw XMLError("'\(shortened(link))' is a symbolic link, which a name from the input must not be", at: start)
    }
    number += 1
    open = Open(name: name, tail: wrapper.tail, size: wrapper.tail.count, spool: Spool(beside: name))
    add(wrapper.head)
  }

  private mutating func add(_ bytes: [UInt8]) {
    open?.size += bytes.count
    do { try open?.spool.append(bytes) } catch {
      if failure == nil, let open { failure = .system(error, quoted(open.name)) }
    }
  }

  /// Completes the open file.
  mutating func finish() {
    guard failure == nil, var file = open else { return }
    open = nil
    defer { file.spool.close() }
    leftovers.sweep(beside: file.name)
    do throws(SystemError) {
      var target = AtomicFile(file.name)
      target.followsLinks = !form.pattern.usesValues
      target.syncsFolder = form.isDurable
      try target.replace { (writer) throws(SystemError) in
        try file.spool.copy(to: &writer)
        writer.append(file.tail)
      }
      written.append(file.name)
    } catch {
      failure = .system(error, quoted(file.name))
    }
  }

  /// Makes sure that the folders of all complete files are on the disk.
  /// - Returns: the names of these files; none if that failed.
  mutating func takeSynced() -> [[UInt8]] {
    defer { written = [] }
    if form.isDurable { return written }
    var folders: Set<[UInt8]> = []
    for name in written {
      let target = form.pattern.usesValues ? name : AtomicFile.resolved(name)
      guard folders.insert(AtomicFile.folder(of: target)).inserted else { continue }
      do { try AtomicFile.syncFolder(of: target) } catch {
        if failure == nil { failure = .system(error, quoted(name)) }
        return []
      }
    }
    return written
  }
}
