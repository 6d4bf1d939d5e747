// `jpatch doc.json patch.json` instead of `jpatch patch.json doc.json`: an object is a merge patch by its form, and what it
// is merged into is gone, with -i for good. Where that is plain to see it is refused; `--type merge-patch` says that it is
// meant.

import FeedCore

struct SwappedOperands {
  private let options: Options

  init(_ options: Options) { self.options = options }

  /// - Parameters:
  ///   - patches: those that are about to be applied.
  ///   - document: what they are applied to.
  ///   - record: what messages call it, where there are several.
  func refuse(_ patches: [NamedPatch], to document: JSONValue, record: String? = nil) throws(ToolFailure) {
    guard options.type == .byForm, patches.contains(where: \.isMerge) else { return }
    if JSONPatch.looksLikePatch(document) { throw refusal("the document is a JSON Patch", record) }
    if options.isInPlace, JSONPatch.isKnownOperation(document) {
      throw refusal("the document is one operation of a JSON Patch")
    }
  }

  /// With -i, before a patch that would leave nothing of an array.
  func refuse(_ patch: NamedPatch, to tree: JSONTree) throws(ToolFailure) {
    guard options.type == .byForm, options.isInPlace, patch.isMerge, tree.kind == .array else { return }
    throw refusal("a merge patch would replace this array as a whole")
  }

  private func refusal(_ what: String, _ record: String? = nil) -> ToolFailure {
    let advice = ": are PATCH and FILE swapped? (--type merge-patch)"
    return .failed(.trouble, what + advice, source: options.file.name, record: record)
  }
}
