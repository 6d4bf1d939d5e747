// JSON Merge Patch, RFC 7386. A list of levels replaces the recursion of §2, so depth costs only memory.

package enum MergePatch {
  /// An object of the patch that is merged into `target`.
  private struct Level {
    var members: JSONChildren
    /// An opened object.
    var target: JSONTree
    /// The member of the level above whose value this level is, and its slot there if it had one.
    let key: JSONValue?
    let slot: Int?
    /// The names so far. RFC 8259 §4 does not define what two members of one name mean.
    var names: Set<[UInt8]> = []

    mutating func set(_ value: JSONTree, named key: JSONValue, at slot: Int?) {
      guard let node = target.node else { return }
      let changed = slot.map { node.replacing($0, with: value) } ?? node.appending(value, named: key)
      target = JSONTree(origin: target.origin, node: changed)
    }
  }

  /// Merges all of `patch` or nothing.
  /// - Parameters:
  ///   - tree: becomes the result; unchanged if the patch fails.
  ///   - undo: if given, records the changes that undo this patch.
  package static func apply(
    _ patch: JSONValue, to tree: inout JSONTree, _ options: PatchOptions = PatchOptions(), undo: inout UndoLog?
  ) throws(PatchFailure) {
    var log = undo
    var result = JSONTree(patch)
    if patch.kind == .object {
      result = try merged(patch, into: tree, &log)
    } else {
      log?.replaced(tree, at: JSONPointer())
    }
    if result.size > options.maxSize { throw .tooLarge("merge", options) }
    if result.isDeeper(than: options.maxDepth) { throw .tooDeep(options) }
    tree = result
    undo = log
  }

  private static func merged(
    _ patch: JSONValue, into tree: JSONTree, _ log: inout UndoLog?
  ) throws(PatchFailure) -> JSONTree {
    if tree.kind != .object { log?.replaced(tree, at: JSONPointer()) }
    var levels = [Level(members: patch.children, target: object(from: tree), key: nil, slot: nil)]
    while true {
      let top = levels.count - 1
      guard let child = levels[top].members.next() else {
        let done = levels.removeLast()
        guard let key = done.key else { return done.target }
        levels[top - 1].set(done.target, named: key, at: done.slot)
        continue
      }
      guard let key = child.key, let node = levels[top].target.node else { continue }
      let name = JSONString.decoded(key)
      guard levels[top].names.insert(name).inserted else {
        throw PatchFailure("merge: in the patch " + duplicate(name, key, levels).message, isMalformed: true)
      }
      let slot = try slot(named: name, key, in: node, levels)
      let old = slot.map { node.slots[$0].value }
      switch child.value.kind {
      case .null:
        guard let slot, let old else { continue }
        if log != nil { log?.removed(old, from: pointer(levels, key)) }
        levels[top].target = JSONTree(origin: levels[top].target.origin, node: node.removing(slot))
      case .object:
        if log != nil, old?.kind != .object { log?.added(at: pointer(levels, key), before(old)) }
        levels.append(Level(members: child.value.children, target: object(from: old), key: key, slot: slot))
      default:
        if log != nil { log?.added(at: pointer(levels, key), before(old)) }
        levels[top].set(JSONTree(child.value), named: key, at: slot)
      }
    }
  }

  private static func slot(
    named name: [UInt8], _ key: JSONValue, in node: JSONNode, _ levels: [Level]
  ) throws(PatchFailure) -> Int? {
    switch node.slot(named: name) {
    case .nothing: return nil
    case .slot(let slot): return slot
    case .duplicate:
      throw PatchFailure("merge: " + duplicate(name, key, levels).message)
    }
  }

  private static func duplicate(_ name: [UInt8], _ key: JSONValue, _ levels: [Level]) -> PointerError {
    var parent = pointer(levels, key)
    parent.tokens.removeLast()
    return PointerError(reason: .duplicate, token: name, parent: parent)
  }

  /// RFC 7386 §2: a value that is not an object becomes an empty one.
  private static func object(from tree: JSONTree?) -> JSONTree {
    if let tree, tree.kind == .object, let opened = tree.opened { return opened }
    return JSONTree.emptyObject.opened ?? JSONTree.emptyObject
  }

  private static func before(_ old: JSONTree?) -> JSONTree.Before { old.map { .value($0) } ?? .nothing }

  private static func pointer(_ levels: [Level], _ key: JSONValue) -> JSONPointer {
    JSONPointer(tokens: (levels.compactMap(\.key) + [key]).map(JSONString.decoded))
  }
}
