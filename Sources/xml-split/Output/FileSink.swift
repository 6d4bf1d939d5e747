import FeedCore

/// The most that a file holds (--per-file).
enum FileLimit {
  case elements(Int)
  /// The size of the whole file. A single element may be larger.
  case bytes(Int)
}

/// Writes elements to files (--files): several in each, with the text around them that makes it a document. Prints the
/// names of the files.
///
/// A file gets its name when it is complete. Its name is data of the folder: a sync of the folder for each file would
/// cost as much as the sync of the file. So folders are synced for many files at once, and only then the names are
/// printed.
struct FileSink: ElementSink {
  /// What is around the elements of a file.
  enum FileContent {
    /// One element, as a document.
    case document
    /// Elements in a root element like the one that they came from.
    case wrapped
    /// Elements without a root element.
    case bare
  }

  /// The file that gets the next element. It has no name in the folder yet.
  private struct OpenFile {
    let name: [UInt8]
    let tail: [UInt8]
    var count = 0
    /// The bytes of the file, if no further element comes.
    var size: Int
    var spool: Spool
  }

  let pattern: FileNamePattern
  let content: FileContent
  let limit: FileLimit
  /// Whether each file is synced, with its folder, before the next element is read.
  let isDurable: Bool
  /// Whether files that are documents may contain references to undefined entities.
  let keepsEntities: Bool
  let terminator: UInt8

  /// The text before and after the elements in a file that begins in this document.
  private var head: [UInt8] = []
  private var tail: [UInt8] = []
  private var number = 0
  private var open: OpenFile?
  /// Longer than any file system allows.
  private static let longestName = 255
  /// The names used so far, if numbers alone do not make them unique.
  private var names: Set<[UInt8]> = []
  /// The files that have their names, but whose folders are not synced.
  private var written: [[UInt8]] = []
  /// So many names wait at most, even if more input is there.
  private static let batch = 1_000
  /// Temporary files of killed runs.
  private var leftovers = TemporaryFiles()
  /// The first system error.
  private(set) var failure: ToolFailure?

  init(
    _ pattern: FileNamePattern, _ content: FileContent, _ limit: FileLimit, isDurable: Bool, keepsEntities: Bool,
    terminator: UInt8
  ) {
    (self.pattern, self.content, self.limit) = (pattern, content, limit)
    (self.isDurable, self.keepsEntities, self.terminator) = (isDurable, keepsEntities, terminator)
  }

  var needsTree: Bool { pattern.usesValues }
  var isXML: Bool { true }
  /// Elements that are put into a root element again have the declarations of the root there.
  var outermostInherited: Int { content == .wrapped ? 2 : 1 }

  mutating func beginDocument(
    _ root: XMLTokenizer.Token, _ document: DocumentContext, _ bytes: borrowing Span<UInt8>
  ) {
    let declaration = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".utf8)
    switch content {
    case .bare: break
    case .document: head = declaration
    case .wrapped:
      head = declaration + array(bytes, root.range) + [UInt8(ascii: "\n")]
      tail = Array("</".utf8) + array(bytes, root.name) + Array(">\n".utf8)
    }
  }

  mutating func write(
    _ element: borrowing FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) throws(XMLError) {
    let text: [UInt8]
    switch content {
    case .bare: text = element.original(bytes)
    case .document, .wrapped:
      try checkEntities(element, bytes)
      if content == .wrapped, element.depth == 1 {
        throw XMLError("a root element cannot stand inside itself (--no-wrap)", at: element.range.lowerBound)
      }
      text = element.text(bytes)
    }
    try append(text + [UInt8(ascii: "\n")], tree, at: element.range.lowerBound)
    if written.count >= Self.batch { settle(&output) }
  }

  /// A separate document must not refer to entities declared elsewhere.
  private func checkEntities(_ element: borrowing FoundElement, _ bytes: borrowing Span<UInt8>) throws(XMLError) {
    if keepsEntities { return }
    let start = element.range.lowerBound
    if let found = try ElementPiece.entities(in: bytes.extracting(element.range)).first {
      throw XMLError.entity(found.name, at: start + found.offset)
    }
    // The rest of the document comes from around the element.
    let around = head + element.inherited.joined()
    if let found = try? XMLReference.entities(in: around.span, 0..<around.count).first {
      throw XMLError.entity(found.name, at: start)
    }
  }

  /// A file with a part of the document ends when the document ends.
  mutating func endDocument(_ output: inout ByteWriter) {
    if content == .wrapped { finish(&output) }
  }

  // MARK: Files

  /// Adds an element.
  /// - Parameters:
  ///   - tree: the element, if the pattern uses values.
  ///   - start: its offset, for errors.
  private mutating func append(_ element: [UInt8], _ tree: ElementTree, at start: Int) throws(XMLError) {
    if let open, case .bytes(let limit) = limit, open.size + element.count > limit { finish() }
    if open == nil { try begin(tree, at: start) }
    add(element)
    open?.count += 1
    guard let open else { return }
    switch limit {
    case .elements(let limit): if open.count >= limit { finish() }
    case .bytes(let limit): if open.size >= limit { finish() }
    }
  }

  private mutating func begin(_ tree: ElementTree, at start: Int) throws(XMLError) {
    let made = try pattern.name(number + 1, tree, at: start)
    let name = made.bytes
    if pattern.usesValues, !names.insert(name).inserted {
      throw XMLError("a second file '\(shortened(name))'", at: start)
    }
    guard name.count - (name.lastIndex(of: UInt8(ascii: "/")) ?? -1) - 1 <= Self.longestName else {
      throw XMLError("a file name of more than \(Self.longestName) bytes", at: start)
    }
    if let link = made.unfollowed.first(where: Descriptor.isSymbolicLink) {
      throw XMLError("'\(shortened(link))' is a symbolic link, which a name from the input must not be", at: start)
    }
    number += 1
    open = OpenFile(name: name, tail: tail, size: tail.count, spool: Spool(beside: name))
    add(head)
  }

  private mutating func add(_ bytes: [UInt8]) {
    open?.size += bytes.count
    do { try open?.spool.append(bytes) } catch {
      if failure == nil, let open { failure = .system(error, quoted(open.name)) }
    }
  }

  /// Completes the open file.
  private mutating func finish() {
    guard failure == nil, var file = open else { return }
    open = nil
    defer { file.spool.close() }
    leftovers.sweep(beside: file.name)
    do throws(SystemError) {
      var target = AtomicFile(file.name)
      target.followsLinks = !pattern.usesValues
      target.syncsFolder = isDurable
      try target.replace { (writer) throws(SystemError) in
        try file.spool.copy(to: &writer)
        writer.append(file.tail)
      }
      written.append(file.name)
    } catch {
      failure = .system(error, quoted(file.name))
    }
  }

  mutating func finish(_ output: inout ByteWriter) { finish() }

  /// Prints the names of the files that are complete. A power cut after that takes none of them away.
  mutating func settle(_ output: inout ByteWriter) {
    defer { written = [] }
    if !isDurable {
      do { try syncFolders() } catch { return }
    }
    for name in written {
      output.append(name)
      output.endLine(terminator)
    }
  }

  /// Makes sure that the folders of all complete files are on the disk.
  private mutating func syncFolders() throws(SystemError) {
    var folders: Set<[UInt8]> = []
    for name in written {
      let target = pattern.usesValues ? name : AtomicFile.resolved(name)
      guard folders.insert(AtomicFile.folder(of: target)).inserted else { continue }
      do { try AtomicFile.syncFolder(of: target) } catch {
        if failure == nil { failure = .system(error, quoted(name)) }
        throw error
      }
    }
  }
}
