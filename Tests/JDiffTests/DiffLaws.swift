// Laws for the diff of any two documents. The fuzzer uses the same laws (Tests/Fuzz/DiffTarget.swift).

@testable import FeedCore
@testable import jdiff

struct DiffLaws {
  var options = Differ.Settings()
  var scope = Scope()
  /// The bits to keep of each digest: with few bits, different values have equal digests everywhere.
  var digestMask = UInt64.max

  struct Broken: Error, CustomStringConvertible { let description: String }

  /// - Throws: Broken.
  func check(_ oldText: [UInt8], _ newText: [UInt8]) throws {
    let old = try Side(JSONDocument(parsing: oldText), scope, digestMask: digestMask)
    let new = try Side(JSONDocument(parsing: newText), scope, digestMask: digestMask)
    var differ = Differ(old, new, options)
    differ.run()
    let patch = differ.patch()
    let text = compact(patch)
    func hold(_ holds: Bool, _ what: String) throws {
      if !holds { throw Broken(description: "\(what): \(shown(oldText)) -> \(shown(newText)): \(shown(text))") }
    }

    try hold(text.count == (patch.operations.isEmpty ? 2 : differ.size + 1), "the size is said to be \(differ.size)")
    if digestMask == .max { try hold(!differ.changes.contains { isIdle($0, differ) }, "a change that changes nothing") }
    // The proof compares whole digests.
    let proof = try (old: Side(old.whole, scope), new: Side(new.whole, scope))
    if digestMask == .max {
      try hold(Sides.areEqual(old, new) == patch.operations.isEmpty, "the status alone says otherwise")
    }
    let reread = PatchOutput.operations(try JSONPatch(JSONDocument(parsing: text).root, PatchOptions()))
    try hold(try leads(reread, proof.old, to: proof.new), "the patch leads elsewhere")
    try checkMerge(old, new, proof, hold)
    let view = try self.view(of: differ, isColored: false)
    try hold(view.isEmpty == patch.operations.isEmpty, "the view says otherwise")
    try hold(try self.view(of: differ, isColored: true) == view, "colour changes the view")
    guard scope.isEmpty else { return }

    let isSame = JSONTree.equal(JSONTree(old.whole.root), JSONTree(new.whole.root))
    // If digests collide, equal items may be paired with others, and changed back into their old values.
    let mayBeIdle = isSame && digestMask != .max
    try hold(
      mayBeIdle || isSame == patch.operations.isEmpty, isSame ? "the same, but changes" : "not the same, but no changes"
    )
    let (result, undo) = try applied(JSONPatch(JSONDocument(known: text).root), to: JSONTree(old.whole.root))
    try hold(JSONTree.equal(result, JSONTree(new.whole.root)), "the patch leads to \(shown(compact(result)))")
    let (back, _) = try applied(undo, to: result)
    try hold(JSONTree.equal(back, JSONTree(old.whole.root)), "the undo log leads to \(shown(compact(back)))")
    // Without the document, a member called - may be the end of an array.
    let hasDash = patch.operations.contains { $0.path.tokens.last == [UInt8(ascii: "-")] }
    if options.addsTests, !hasDash {
      let inverse = try inverse(patch)
      let (back, _) = try applied(inverse, to: result)
      try hold(JSONTree.equal(back, JSONTree(old.whole.root)), "turned round it leads to \(shown(compact(back)))")
      let again = try self.inverse(inverse)
      try hold(compact(again) == text, "turned round twice it is \(shown(compact(again)))")
    }
    if !isSame, !options.isFine {
      let replacement = JSONPatch.Operation.replace(JSONPointer(), with: JSONTree(new.whole.root))
      let test = JSONPatch.Operation.test(JSONPointer(), equals: JSONTree(old.whole.root))
      let whole = JSONPatch(options.addsTests ? [test, replacement] : [replacement])
      try hold(text.count <= compact(whole).count, "longer than one replace")
    }
  }

  /// What people see, without the colours.
  private func view(of differ: Differ, isColored: Bool) throws -> [UInt8] {
    var view = ByteWriter()
    try TextView(title: ["old", "new"], isColored: isColored).write(differ, to: &view)
    let runs = view.take().split(separator: 0x1B, omittingEmptySubsequences: false)
    return runs[0] + runs.dropFirst().flatMap { $0.drop { $0 != UInt8(ascii: "m") }.dropFirst() }
  }

  /// An ignored member does not change, if the value around it is an object in both documents.
  static func checkIgnored(_ pointer: String, _ oldText: [UInt8], _ newText: [UInt8]) throws {
    let pointer = try JSONPointer(Array(pointer.utf8))
    var scope = Scope()
    scope.add(Scope.Rule(purpose: .ignore, pointer: pointer, text: "--ignore"))
    let old = try Side(JSONDocument(parsing: oldText), scope)
    let new = try Side(JSONDocument(parsing: newText), scope)
    var differ = Differ(old, new, Differ.Settings())
    differ.run()
    let result = try PatchOutput.operations(differ.patch()).applied(to: old.whole)
    var places = [old.whole.root, new.whole.root, result.root]
    for (depth, token) in pointer.tokens.enumerated() {
      for place in places {
        let names = place.children.compactMap { $0.key.map(JSONString.decoded) }
        if place.kind != .object || Set(names).count < names.count { return }
      }
      let next = places.map { $0.member(Array(token)) }
      if depth == pointer.tokens.count - 1, next[0]?.text != next[2]?.text {
        let texts = [oldText, newText, result.bytes].map { String(decoding: $0, as: UTF8.self) }
        throw Broken(description: "\(pointer.shown) is ignored, and not the same: \(texts)")
      }
      places = next.compactMap { $0 }
      if places.count < 3 { return }
    }
  }

  private func isIdle(_ change: Change, _ differ: Differ) -> Bool {
    switch change.kind {
    case .replace:
      var sides = differ.sides
      return sides.areEqual(change.old, change.new)
    case .move:
      guard case .index(let index) = change.token else { return true }
      return index == change.from
    case .add, .remove: return false
    }
  }

  /// The merge patch makes the new document. It must exist, unless a null or a duplicate name prevents it.
  private func checkMerge(
    _ old: Side, _ new: Side, _ proof: (old: Side, new: Side), _ hold: (Bool, String) throws -> Void
  ) throws {
    let merge: [UInt8]
    var diff = MergeDiff(old, new)
    // The whole text of a document that is not an object is its merge patch to itself.
    let same = old.whole.root.kind == .object ? Array("{}".utf8) : old.whole.root.text
    do { merge = try diff.patch() ?? same } catch {
      return try hold(hasObstacle(old) || hasObstacle(new), "no merge patch: \(error.message)")
    }
    try hold(try leads(.merge(merge), proof.old, to: proof.new), "merge patch \(shown(merge)) leads elsewhere")
  }

  private func leads(_ patch: PatchOutput, _ old: Side, to new: Side) throws -> Bool {
    Sides.areEqual(try Side(patch.applied(to: old.whole), scope), new)
  }

  private func hasObstacle(_ side: Side) -> Bool {
    var pending = [side.whole.root]
    while let value = pending.popLast() {
      let children = Array(value.children)
      let names = children.compactMap { $0.key.map(JSONString.decoded) }
      if Set(names).count < names.count || children.contains(where: { $0.key != nil && $0.value.kind == .null }) {
        return true
      }
      pending += children.map(\.value)
    }
    return false
  }

  private func applied(_ patch: JSONPatch, to tree: JSONTree) throws -> (JSONTree, undo: JSONPatch) {
    var options = PatchOptions()
    options.maxDepth = .max
    var result = tree
    var undo: UndoLog? = UndoLog()
    try patch.apply(to: &result, options, undo: &undo)
    return (result, undo?.patch ?? JSONPatch())
  }

  private func inverse(_ patch: JSONPatch) throws -> JSONPatch {
    var inversion = PatchInversion()
    try inversion.append(patch)
    return inversion.patch
  }

  private func compact(_ patch: JSONPatch) -> [UInt8] {
    var writer = ByteWriter()
    patch.write(compact: true, to: &writer)
    return writer.take()
  }

  private func compact(_ tree: JSONTree) -> [UInt8] {
    var writer = ByteWriter()
    JSONWriter.writeCompact(tree, to: &writer)
    return writer.take()
  }

  private func shown(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
