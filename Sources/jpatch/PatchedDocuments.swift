import FeedCore

/// What jpatch does without `--follow`: its modes share how a file is read and replaced.
struct PatchCommand {
  let options: Options
  let streams: StandardStreams

  /// Patches one document once. The result keeps the document's own layout, unless an option asks for another.
  func patchOne() throws(ToolFailure) -> ExitStatus {
    try checkUndoFile()
    try checkInPlace()
    let patches = try NamedPatch.read(options, streams)
    let (edited, text) = try readText()
    if options.printsAsRead, patches.allSatisfy(\.isEmpty), isValid(text) {
      var output = ByteWriter(streams.output, records: .filter)
      output.append(text)
      try output.flushOutput()
      return .yes
    }
    let document = try parse(text)
    try options.refuseSwapped(patches, to: document.root)
    var tree = JSONTree(document.root)
    var undo = options.undo.map { _ in UndoLog() }
    for item in patches {
      try options.refuseSwapped(item, to: tree)
      do { try item.apply(to: &tree, options.patching, undo: &undo) } catch {
        if options.isQuiet, error.status == .no { return .no }
        throw error
      }
    }
    if options.isQuiet { return .yes }
    let selected = try options.selected(from: &tree)

    if let edited {
      try replace(edited, undo: undo?.patch) { output in write(selected, of: document, to: &output) }
    } else {
      try print(selected, of: document, undo: undo?.patch)
    }
    return .yes
  }

  // MARK: In place

  /// Refused before anything is read: the patch may come from a pipe and take long.
  func checkInPlace() throws(ToolFailure) {
    if options.isInPlace, Descriptor.isSpecialFile(options.filePath) { throw refusal(.notRegular) }
  }

  private func refusal(_ refusal: EditedFile.EditProblem) -> ToolFailure {
    switch refusal {
    case .system(let error): .system(error, options.file.name)
    case .notRegular: .failed(.error, "is not a regular file (--in-place)", source: options.file.name)
    case .locked: .failed(.tryAgain, "locked by another process (--in-place)", source: options.file.name)
    }
  }

  /// The document, and its file if it is to be replaced.
  func readDocument() throws(ToolFailure) -> (file: EditedFile?, document: JSONDocument) {
    let (file, text) = try readText()
    return (file, try parse(text))
  }

  private func readText() throws(ToolFailure) -> (file: EditedFile?, text: [UInt8]) {
    guard options.isInPlace else { return (nil, try options.readAll(options.file, streams)) }
    let file: EditedFile
    do throws(EditedFile.EditProblem) { file = try EditedFile.open(options.filePath) } catch { throw refusal(error) }
    let content = try options.file.readAll(
      from: file.descriptor, limit: options.patching.maxSize, option: "--max-size",
      isWorthReading: options.comments.mayBegin)
    return (file, content)
  }

  private func parse(_ text: [UInt8]) throws(ToolFailure) -> JSONDocument {
    try options.file.parse(text, maxDepth: options.maxDepth, comments: options.comments)
  }

  /// Whether a text is a document. If not, parsing it tells why.
  private func isValid(_ text: [UInt8]) -> Bool {
    JSONCheck.kind(of: text, maxDepth: options.maxDepth, hasComments: options.takesComments) != nil
  }

  /// Replaces the document's file, and writes the undo patch with it. The file is not replaced if another program has
  /// changed it since it was read.
  func replace(
    _ file: EditedFile, undo: JSONPatch?, write: (inout ByteWriter) -> Void
  ) throws(ToolFailure) {
    let companion = options.undo.flatMap { path in
      undo.map { patch in CompanionFile(path) { output in Self.write(patch, to: &output) } }
    }
    var leftovers = TemporaryFiles()
    leftovers.sweep(beside: options.filePath)
    do throws(SystemError) {
      var target = AtomicFile(options.filePath)
      target.backup = options.backup
      target.companion = companion
      try target.replace(confirm: { () throws(SystemError) in if file.hasChanged { throw .changed } }) { output in
        write(&output)
      }
    } catch {
      if error == .changed, file.hasChanged {
        throw .failed(
          .tryAgain, "changed while it was being patched, so it was not replaced", source: options.file.name)
      }
      if let failure = companion?.failure, let undo = options.undo { throw .system(failure, quoted(undo)) }
      throw .system(error, options.file.name)
    }
  }

  // MARK: To standard output

  /// The undo patch is written first, and taken back if the result cannot be printed.
  private func print(_ tree: JSONTree, of document: JSONDocument, undo: JSONPatch?) throws(ToolFailure) {
    var output = ByteWriter(streams.output, records: .filter)
    guard let file = options.undo, let undo else {
      write(tree, of: document, to: &output)
      return try output.flushOutput()
    }
    let former = OriginalFile(file)
    try naming(quoted(file), AtomicFile(file).replace { output in Self.write(undo, to: &output) })
    do throws(ToolFailure) {
      write(tree, of: document, to: &output)
      try output.flushOutput()
    } catch {
      former.restore()
      throw error
    }
  }

  /// The undo patch must not replace a file that this run reads or writes.
  private func checkUndoFile() throws(ToolFailure) {
    guard let undo = options.undo else { return }
    let others = [options.filePath, options.patchPath, options.filePath + (options.backup ?? [])]
    let identity = Descriptor.Identity(undo)
    let isTaken =
      others.contains(undo)
      || identity != nil
        && (others.contains { Descriptor.Identity($0) == identity }
          || [streams.output, streams.error].contains { $0.fileIdentity == identity })
    if isTaken { throw .usage("option '--undo': '\(quoted(undo))' is already read or written here") }
  }

  private func write(_ tree: JSONTree, of document: JSONDocument, to output: inout ByteWriter) {
    if let layout = options.layout {
      JSONWriter.write(tree, in: layout, to: &output)
    } else {
      let writer = JSONVerbatimWriter(of: document)
      // The whole document includes its own final newline, or has none.
      if !options.isSelecting { return writer.write(tree, to: &output) }
      writer.write(part: tree, to: &output)
    }
    output.endLine()
  }

  private static func write(_ patch: JSONPatch, to output: inout ByteWriter) {
    patch.write(compact: false, to: &output)
    output.append(UInt8(ascii: "\n"))
  }

  // MARK: Many documents

  /// Patches many documents, each separately, and prints each on its line.
  ///
  /// This has its own loop instead of `DocumentInput.feed`: since the loop cannot change `self`, small documents take 7 %
  /// less time.
  func patchEach() throws(ToolFailure) -> ExitStatus {
    let patches = try NamedPatch.read(options, streams)
    var input = DocumentInput(
      options.file, try options.file.open(streams), maxDepth: options.maxDepth, maxSize: options.patching.maxSize,
      record: "document", progress: ReadingProgress(streams, of: [options.file]))
    var output = ByteWriter(streams.output, records: .filter)
    do throws(ToolFailure) {
      while let item = try input.next(
        orHangUpOf: streams.output, beforeWaiting: { () throws(ToolFailure) in try output.flushOutput() })
      {
        try patch(item, patches, to: &output)
      }
    } catch {
      // Complete results are printed before the error is reported.
      try output.flushOutput()
      throw error
    }
    try output.flushOutput()
    return .yes
  }

  private func patch(_ item: StreamedDocument, _ patches: [NamedPatch], to output: inout ByteWriter) throws(ToolFailure)
  {
    let record = "document \(item.number)"
    try options.refuseSwapped(patches, to: item.document.root, record: record)
    var tree = JSONTree(item.document.root)
    var noUndo: UndoLog?
    for patch in patches {
      try patch.apply(to: &tree, options.patching, undo: &noUndo, record: record)
    }
    let selected = try options.selected(from: &tree, record: record)
    JSONWriter.writeCompact(selected, to: &output)
    output.endLine()
    try output.checkOutput()
  }
}
