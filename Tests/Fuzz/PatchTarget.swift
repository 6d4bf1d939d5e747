// Patches: the input is a document and a patch, separated by 0xFF, which is never in UTF-8.

func fuzzPatch(_ bytes: [UInt8]) {
  guard let separator = bytes.firstIndex(of: 0xFF),
    let document = try? JSONDocument(parsing: Array(bytes[..<separator]), maxDepth: 100),
    let patch = try? JSONDocument(parsing: Array(bytes[(separator + 1)...]), maxDepth: 100)
  else { return }
  var options = PatchOptions()
  options.maxSize = 1 << 15
  if patch.root.kind == .array, let operations = try? JSONPatch(patch.root) {
    fuzz(
      document, options,
      { (tree, options, undo) throws(PatchFailure) in
        try operations.apply(to: &tree, options, undo: &undo)
      }, model: { try $0.apply(operations) })
    inSteps(operations, document, options)
    options.makesParents = true
    options.ignoresMissing = true
    fuzz(
      document, options,
      { (tree, options, undo) throws(PatchFailure) in
        try operations.apply(to: &tree, options, undo: &undo)
      }, model: nil)
  } else {
    fuzz(
      document, options,
      { (tree, options, undo) throws(PatchFailure) in
        try MergePatch.apply(patch.root, to: &tree, options, undo: &undo)
      }, model: { $0 = $0.merged(with: Model(JSONTree(patch.root))) })
  }
}

/// Applies the operations one at a time, each to a tree that is kept. The result is that of the whole patch, which
/// changes its tree in place, and no step changes an earlier tree.
private func inSteps(_ patch: JSONPatch, _ document: JSONDocument, _ options: PatchOptions) {
  var whole = JSONTree(document.root)
  guard (try? patch.apply(to: &whole, options)) != nil else { return }
  var kept: [(tree: JSONTree, text: [UInt8])] = []
  var tree = JSONTree(document.root)
  for operation in patch.operations {
    kept.append((tree, text { JSONWriter.writeCompact(tree, to: &$0) }))
    do { try JSONPatch([operation]).apply(to: &tree, options) } catch {
      return promise(error.isMalformed, "a step does not apply: \(error.message)")
    }
  }
  kept.append((tree, text { JSONWriter.writeCompact(whole, to: &$0) }))
  for (tree, expected) in kept {
    promise(text { JSONWriter.writeCompact(tree, to: &$0) } == expected, "a step changed an earlier tree")
  }
}

private func fuzz(
  _ document: JSONDocument, _ options: PatchOptions,
  _ apply: (inout JSONTree, PatchOptions, inout UndoLog?) throws(PatchFailure) -> Void,
  model: ((inout Model) throws -> Void)?
) {
  let writer = JSONVerbatimWriter(of: document)
  let original = JSONTree(document.root)
  let before = Model(original)
  var tree = original
  var undo: UndoLog? = UndoLog()
  do { try apply(&tree, options, &undo) } catch {
    promise(text { writer.write(tree, to: &$0) } == document.bytes, "a failed patch left a mark")
    promise(undo?.patch.operations.isEmpty == true, "a failed patch left an undo")
    if let model, !error.isMalformed, !error.message.contains("more than once") {
      var expected = before
      if (try? model(&expected)) != nil { promise(false, "did not apply: \(error.message)") }
    }
    return
  }
  promise(text { writer.write(original, to: &$0) } == document.bytes, "the old tree changed")

  if let model, !before.hasDuplicates {
    var expected = before
    do { try model(&expected) } catch { promise(false, "applied, but should not have") }
    promise(Model(tree) == expected, "the result is not what the model has")
  }
  let compact = text { JSONWriter.writeCompact(tree, to: &$0) }
  let indented = text { JSONWriter.write(tree, in: .indented(1), to: &$0) }
  let verbatim = text { writer.write(tree, to: &$0) }
  promise(parsed(compact).isCompact, "compact output is not compact")
  for (name, output) in [("compact", compact), ("indented", indented), ("verbatim", verbatim)] {
    let again = JSONTree(parsed(output).root)
    promise(text { JSONWriter.writeCompact(again, to: &$0) } == compact, "\(name) differs: \(shown(output))")
    promise(JSONTree.equal(again, tree), "\(name) is not equal: \(shown(output))")
  }
  takeBack(undo?.patch ?? JSONPatch(), tree, original, before)
}

/// Checks that the undo patch, written and read again, restores the original.
private func takeBack(_ undo: JSONPatch, _ result: JSONTree, _ original: JSONTree, _ before: Model) {
  var tree = result
  let written = parsed(text { undo.write(compact: false, to: &$0) })
  do { try JSONPatch(written.root).apply(to: &tree) } catch {
    // A duplicate member can be removed as part of a value, but not added again under its name.
    return promise(before.hasDuplicates, "undo does not apply: \(error)")
  }
  if !before.hasDuplicates {
    promise(
      JSONTree.equal(tree, original),
      "undo leads elsewhere: \(shown(text { JSONWriter.writeCompact(tree, to: &$0) }))")
    promise(Model(tree) == before, "undo leads elsewhere, and equality does not see it")
  }
}
