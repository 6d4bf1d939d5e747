import FeedCore

/// A patch as it will be printed.
enum PatchOutput {
  case operations(JSONPatch)
  /// A merge patch as compact JSON.
  case merge([UInt8])

  /// The patch between two documents; nil if they are equal.
  /// - Throws: if a merge patch cannot express the change.
  static func between(_ old: Side, _ new: Side, _ options: Options) throws(PatchFailure) -> PatchOutput? {
    if options.isMergePatch {
      var diff = MergeDiff(old, new)
      return try diff.patch().map { .merge($0) }
    }
    var differ = Differ(old, new, options.differ)
    differ.run()
    return differ.changes.isEmpty ? nil : .operations(differ.patch())
  }

  /// The patch that changes nothing; nil if only the whole text of the document can replace it.
  static func none(_ kind: JSONKind, _ options: Options) -> PatchOutput? {
    if !options.isMergePatch { return .operations(JSONPatch()) }
    return kind == .object ? .merge(Array("{}".utf8)) : nil
  }

  /// Writes it on one line, or with a line for each operation or member.
  func write(compact: Bool, to output: inout ByteWriter) {
    switch self {
    case .operations(let patch): patch.write(compact: compact, to: &output)
    case .merge(let text) where compact: output.append(text)
    case .merge(let text):
      JSONWriter.write(text.span, in: .indented(2), to: &output)
    }
  }

  /// As compact JSON.
  var document: JSONDocument {
    var writer = ByteWriter()
    write(compact: true, to: &writer)
    return JSONDocument(known: writer.take())
  }

  /// The result of the patch on a document.
  func applied(to document: JSONDocument) throws(ToolFailure) -> JSONDocument {
    var options = PatchOptions()
    options.maxSize = .max
    options.maxDepth = .max
    var tree = JSONTree(document.root)
    var undo: UndoLog?
    do {
      switch self {
      case .operations(let patch): try patch.apply(to: &tree, options, undo: &undo)
      case .merge(let text): try MergePatch.apply(JSONDocument(known: text).root, to: &tree, options, undo: &undo)
      }
    } catch {
      throw .failed(.error, "the patch is wrong, which is a bug in jdiff: " + error.message)
    }
    return JSONDocument(known: tree.compactText)
  }
}

extension Side {
  /// - Parameter source: the origin of the document, for messages; nil if it was made here.
  init(_ document: JSONDocument, _ scope: Scope, of source: String?, record: String? = nil) throws(ToolFailure) {
    do { try self.init(document, scope) } catch {
      throw .failed(.error, error.message, source: source, record: record)
    }
  }
}
