/// JSON Merge Patch, RFC 7386. A list of levels replaces the recursion of §2, so depth costs only memory.
package enum MergePatch {
  /// An object of the patch that is merged into `target`.
  private struct MergedObject {
    var members: JSONChildren
    /// An object that only the result holds.
    let target: JSONNode
    /// The member of the level above whose value this level is.
    let key: JSONValue?
    /// The tape position of a name in the patch that an earlier member has too. RFC 8259 §4 does not define what two
    /// members of one name mean.
    let repeatedName: Int?
    /// The target's size before.
    let size: Int

    init(_ patch: JSONValue, into target: JSONNode, key: JSONValue?) {
      members = patch.children
      self.target = target
      self.key = key
      repeatedName = patch.repeatedName
      size = target.size
    }

    /// - Returns: what was there before; nil for nothing.
    func set(_ value: JSONTree, named key: JSONValue, at slot: Int?) -> JSONTree? {
      if let slot { return target.replace(slot, with: value) }
      target.append(value, named: key)
      return nil
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
      log?.put(at: JSONPointer(), tree)
    }
    if result.size > options.maxSize { throw .tooLarge("merge", options) }
    if result.isDeeper(than: options.maxDepth) { throw .tooDeep(options) }
    tree = result
    undo = log
  }

  /// RFC 7386 §2 for a patch that is an object.
  private static func merged(
    _ patch: JSONValue, into tree: JSONTree, _ log: inout UndoLog?
  ) throws(PatchFailure) -> JSONTree {
    var result = tree
    if tree.kind != .object {
      log?.put(at: JSONPointer(), tree)
      // RFC 7386 §2: a value that is not an object becomes an empty one.
      result = .emptyObject
    }
    guard let root = result.own() else { return result }
    var levels = [MergedObject(patch, into: root, key: nil)]
    while let level = levels.last {
      guard let child = levels[levels.count - 1].members.next() else {
        levels.removeLast()
        levels.last?.target.childChanged(by: level.target.size - level.size, depthBound: level.target.depthBound)
        continue
      }
      guard let key = child.key else { continue }
      let name = JSONString.decoded(key)
      if key.position == level.repeatedName {
        throw PatchFailure("merge: in the patch " + duplicate(key, levels).message, isMalformed: true)
      }
      let slot = try slot(named: name, key, in: level.target, levels)
      switch child.value.kind {
      case .null:
        guard let slot else { continue }
        let old = level.target.remove(slot)
        if log != nil { log?.removed(old, from: pointer(levels, key)) }
      case .object:
        var place = slot
        if slot.map({ level.target.slots[$0].value.kind }) != .object {
          let isWhole = isWhole(child.value)
          let before = level.set(isWhole ? JSONTree(child.value) : .emptyObject, named: key, at: slot)
          if log != nil { log?.put(at: pointer(levels, key), before) }
          if isWhole { continue }
          place = slot ?? level.target.slots.count - 1
        }
        guard let place, let target = level.target.ownChild(in: place) else { continue }
        levels.append(MergedObject(child.value, into: target, key: key))
      case .true, .false, .number, .string, .escapedString, .array:
        let before = level.set(JSONTree(child.value), named: key, at: slot)
        if log != nil { log?.put(at: pointer(levels, key), before) }
      }
    }
    return result
  }

  /// Whether an object of the patch is what it makes of an empty object: it removes nothing, and repeats no name.
  private static func isWhole(_ object: JSONValue) -> Bool {
    object.everyObject { $0.repeatedName == nil && $0.children.allSatisfy { $0.value.kind != .null } }
  }

  private static func slot(
    named name: [UInt8], _ key: JSONValue, in node: JSONNode, _ levels: [MergedObject]
  ) throws(PatchFailure) -> Int? {
    do { return try node.slot(named: name[...]) } catch {
      throw PatchFailure("merge: " + duplicate(key, levels).message)
    }
  }

  private static func duplicate(_ key: JSONValue, _ levels: [MergedObject]) -> PointerError {
    let pointer = pointer(levels, key)
    return PointerError(.duplicate, pointer, pointer.tokens.count - 1)
  }

  private static func pointer(_ levels: [MergedObject], _ key: JSONValue) -> JSONPointer {
    JSONPointer(tokens: (levels.compactMap(\.key) + [key]).map(JSONString.decoded))
  }
}
