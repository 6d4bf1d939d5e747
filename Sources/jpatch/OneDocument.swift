// One document, patched once. The result is in the document's own layout unless another is asked for.

import FeedCore

struct OneDocument {
  let options: Options
  let streams: StandardStreams

  func run() throws(ToolError) -> ExitStatus {
    try checkUndoFile()
    let patches = try NamedPatch.read(options, streams)
    let document = try options.readDocument(options.file, streams)
    let swapped = Swapped(options)
    try swapped.refuse(patches, to: document.root)
    var tree = JSONTree(document.root)
    var undo = options.undo.map { _ in UndoLog() }
    for item in patches {
      try swapped.refuse(item, to: tree)
      do { try item.patch.apply(to: &tree, options.patching, undo: &undo) } catch {
        if options.isCheck && !error.isLimit { return .no }
        throw ToolError(error.isLimit ? .trouble : .no, error.message, source: item.source)
      }
    }
    if options.isCheck { return .yes }
    let selected = try select(&tree)

    if let file = options.undo, let undo { try write(undo.patch, to: file) }
    if options.isInPlace {
      do {
        try AtomicFile.replace(options.filePath, backup: options.backup.map { $0 }) { output in
          write(selected, of: document, to: &output)
        }
      } catch {
        throw .system(error, options.file.name)
      }
    } else {
      var output = ByteWriter(streams.output, records: .filter)
      write(selected, of: document, to: &output)
      try output.flushOutput()
    }
    return .yes
  }

  /// The undo patch must not take the place of a file that this run reads or writes otherwise.
  private func checkUndoFile() throws(ToolError) {
    guard let undo = options.undo else { return }
    let others = [options.filePath, options.patchPath, options.filePath + (options.backup ?? [])]
    let identity = Descriptor.Identity(undo)
    let isTaken =
      others.contains(undo)
      || identity != nil
        && (others.contains { Descriptor.Identity($0) == identity }
          || [streams.output, streams.error].contains { $0.fileIdentity == identity })
    if isTaken { throw .usage("option '--undo': '\(quoted(undo))' is in use for something else here") }
  }

  private func select(_ tree: inout JSONTree) throws(ToolError) -> JSONTree {
    do { return try tree.value(at: options.select) } catch {
      throw ToolError(.no, "--select: " + error.message, source: options.file.name)
    }
  }

  private func write(_ tree: JSONTree, of document: JSONDocument, to output: inout ByteWriter) {
    switch options.layout {
    case .compact: JSONWriter.writeCompact(tree, to: &output)
    case .indented(let spaces): JSONWriter.writeIndented(tree, by: spaces, to: &output)
    case .verbatim:
      let writer = JSONVerbatimWriter(of: document)
      // The whole document brings its own final newline, or none.
      if options.select.tokens.isEmpty { return writer.write(tree, to: &output) }
      writer.write(part: tree, to: &output)
    }
    output.endLine()
  }

  private func write(_ patch: JSONPatch, to file: [UInt8]) throws(ToolError) {
    do {
      try AtomicFile.replace(file) { output in
        patch.write(compact: false, to: &output)
        output.endLine()
      }
    } catch {
      throw .system(error, quoted(file))
    }
  }
}
