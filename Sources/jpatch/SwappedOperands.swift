import FeedCore

/// Detects `jpatch doc.json patch.json` instead of `jpatch patch.json doc.json`. Any object has the form of a merge
/// patch, so the document would be merged into the patch; with -i, the file would be lost. Clear cases are refused;
/// `--type merge-patch` confirms that it is intended.
struct SwappedOperands {
  private let options: Options

  init(_ options: Options) { self.options = options }

  /// - Parameters:
  ///   - patches: the patches to be applied.
  ///   - document: the document to patch.
  ///   - record: what messages call it, if there are several.
  func refuse(_ patches: [NamedPatch], to document: JSONValue, record: String? = nil) throws(ToolFailure) {
    guard options.type == nil, patches.contains(where: \.isMerge) else { return }
    if JSONPatch.looksLikePatch(document) { throw refusal("the document is a JSON Patch", record) }
    if options.isInPlace, JSONPatch.isKnownOperation(document) {
      throw refusal("the document is one operation of a JSON Patch")
    }
  }

  /// With -i, refuses a patch that would replace a whole array.
  func refuse(_ patch: NamedPatch, to tree: JSONTree) throws(ToolFailure) {
    guard options.type == nil, options.isInPlace, patch.isMerge, tree.kind == .array else { return }
    throw refusal("a merge patch would replace this array as a whole")
  }

  private func refusal(_ what: String, _ record: String? = nil) -> ToolFailure {
    let advice = ": are PATCH and FILE swapped? (--type merge-patch)"
    return .failed(.error, what + advice, source: options.file.name, record: record)
  }
}
