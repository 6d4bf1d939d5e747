import FeedCore

/// A patch as it will be printed, and the check that it is right.
enum PatchOutput {
  case operations(JSONPatch)
  /// A merge patch as compact JSON.
  case merge([UInt8])

  /// Writes it on one line, or with a line for each operation or member.
  func write(compact: Bool, to output: inout ByteWriter) {
    switch self {
    case .operations(let patch): patch.write(compact: compact, to: &output)
    case .merge(let text) where compact: output.append(text)
    case .merge(let text):
      JSONWriter.writeIndented(text.span, by: 2, to: &output)
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
      throw Self.defect(error.message)
    }
    var writer = ByteWriter()
    JSONWriter.writeCompact(tree, to: &writer)
    return JSONDocument(known: writer.take())
  }

  /// Parses the patch from its text, applies it, and compares.
  /// - Throws: if the result is not the new document.
  func verify(from old: Side, to new: Side, _ scope: Scope) throws(ToolFailure) {
    let result = try Side(try reread().applied(to: old.whole), scope, of: nil)
    if !Sides.areEqual(result, new) { throw Self.defect("the result is another document") }
  }

  private static func defect(_ problem: String) -> ToolFailure {
    .failed(.error, "the patch is wrong, which is a bug in jdiff: " + problem)
  }

  private func reread() throws(ToolFailure) -> PatchOutput {
    let text = document
    guard case .operations = self else { return .merge(text.bytes) }
    var limits = PatchOptions()
    limits.maxOperations = .max
    do { return .operations(try JSONPatch(text.root, limits)) } catch { throw Self.defect(error.message) }
  }
}
