// The patches of a command line: from `-e`, or from a file that may contain several.

import FeedCore

/// A patch of either type, as read.
enum PatchInput {
  case operations(JSONPatch)
  case merge(JSONValue)

  func apply(to tree: inout JSONTree, _ options: PatchOptions, undo: inout UndoLog?) throws(PatchFailure) {
    switch self {
    case .operations(let patch): try patch.apply(to: &tree, options, undo: &undo)
    case .merge(let value): try MergePatch.apply(value, to: &tree, options, undo: &undo)
    }
  }
}

/// A patch with its name for messages.
struct NamedPatch {
  let patch: PatchInput
  let source: String

  var isMerge: Bool { if case .merge = patch { true } else { false } }
  /// Whether it has no operations, as what jdiff prints for equal documents.
  var isEmpty: Bool { if case .operations(let list) = patch { list.operations.isEmpty } else { false } }

  /// - Parameter record: what messages call the document, if there are several.
  func apply(
    to tree: inout JSONTree, _ options: PatchOptions, undo: inout UndoLog?, record: String? = nil
  ) throws(ToolFailure) {
    do { try patch.apply(to: &tree, options, undo: &undo) } catch {
      throw .failed(error.isMalformed ? .error : .no, error.message(), source: source, record: record)
    }
  }

  /// Reads all patches.
  static func read(_ options: Options, _ streams: StandardStreams) throws(ToolFailure) -> [NamedPatch] {
    var patches: [NamedPatch] = []
    for file in options.patchFiles {
      let before = patches.count
      let bytes: [UInt8]
      do { bytes = try options.readAll(file, streams) } catch {
        throw isExpression(options.patchPath) ? error.adding(" (a patch, not a file: give --expression)") : error
      }
      patches += try parse(bytes, file.name, options)
      if patches.count == before {
        throw .failed(
          .error, JSONError(.empty, at: 0).message, source: file.name, place: TextPlace().place(of: 0, in: []))
      }
    }
    for expression in options.expressions {
      let before = patches.count
      patches += try parse(expression, "--expression", options)
      if patches.count == before { throw .usage("option '--expression': expected a JSON patch, found nothing") }
    }
    return patches
  }

  /// Whether the name of a patch file is itself a patch.
  private static func isExpression(_ path: [UInt8]) -> Bool {
    guard let first = path.first(where: { !$0.isWhiteSpace }) else { return false }
    return "{[".utf8.contains(first) && Descriptor.Identity(path) == nil
  }

  private static func parse(_ bytes: [UInt8], _ source: String, _ options: Options) throws(ToolFailure) -> [NamedPatch]
  {
    var stream = JSONStream(maxDepth: options.maxDepth, comments: options.comments)
    stream.append(bytes)
    var patches: [NamedPatch] = []
    while let item = try stream.next(isLast: true, of: source) {
      do {
        patches.append(NamedPatch(patch: try patch(item.document.root, options), source: source))
      } catch {
        throw .malformed(error, in: item.document.bytes, from: item.position, of: source)
      }
    }
    return patches
  }

  /// An array is a JSON Patch and an object a merge patch, unless `--type` says otherwise. A single operation outside
  /// an array is an object too; merging it would add `op` and `path` to the document.
  private static func patch(_ value: JSONValue, _ options: Options) throws(FormatError) -> PatchInput {
    switch (options.type, value.kind) {
    case (nil, .object) where JSONPatch.isOperation(value):
      throw FormatError(
        "this is one operation; a JSON Patch is an array of them (or --type merge-patch)", at: value)
    case (.mergePatch, _), (nil, .object):
      return .merge(value)
    case (.jsonPatch, _), (nil, .array):
      return .operations(try JSONPatch(value, options.patching))
    default:
      throw FormatError(
        "\(value.kind.name) is not a JSON Patch, and is a merge patch only with --type merge-patch", at: value)
    }
  }
}

// Detects `jpatch doc.json patch.json` instead of `jpatch patch.json doc.json`. Any object has the form of a merge
// patch, so the document would be merged into the patch; with -i, the file would be lost. Clear cases are refused;
// `--type merge-patch` confirms that it is intended.
extension Options {
  /// - Parameters:
  ///   - patches: the patches to be applied.
  ///   - document: the document to patch.
  ///   - record: what messages call it, if there are several.
  func refuseSwapped(_ patches: [NamedPatch], to document: JSONValue, record: String? = nil) throws(ToolFailure) {
    guard type == nil, patches.contains(where: \.isMerge) else { return }
    if JSONPatch.looksLikePatch(document) { throw swapped("the document is a JSON Patch", record) }
    if isInPlace, JSONPatch.isKnownOperation(document) {
      throw swapped("the document is one operation of a JSON Patch")
    }
  }

  /// With -i, refuses a patch that would replace a whole array.
  func refuseSwapped(_ patch: NamedPatch, to tree: JSONTree) throws(ToolFailure) {
    guard type == nil, isInPlace, patch.isMerge, tree.kind == .array else { return }
    throw swapped("a merge patch would replace this array as a whole")
  }

  private func swapped(_ what: String, _ record: String? = nil) -> ToolFailure {
    let advice = ": are PATCH and FILE swapped? (--type merge-patch)"
    return .failed(.error, what + advice, source: file.name, record: record)
  }
}
