/// The last step of a path in a diff from the old document to the new one, or in a merge: OURS is the old one there.
package enum ReferenceToken {
  /// The whole document, which has no last step.
  case root
  /// The tape position of a member's name in the old or the new document.
  case oldName(Int)
  case newName(Int)
  /// The index of an element at the time of the change.
  case index(Int)
}

/// One step from the old document to the new one, in terms of RFC 6902.
package struct Change {
  /// The operation.
  package enum Kind {
    case add, remove, replace, move
  }

  package let kind: Kind
  /// The changed container, as an index of `Differ.paths`; `PathNode.none` for the whole document.
  package let parent: Int
  package let token: ReferenceToken
  /// For a `move`: the element's index before it.
  package var from = 0
  /// The tape positions of the value in the old and the new document; -1 if it is only in one of them.
  package let old: Int
  package let new: Int
  /// The element's index in the old and the new array, regardless of other changes.
  package var oldIndex = 0
  package var newIndex = 0
}

/// A container on the way to changes, and the step to it.
package struct PathNode {
  /// The parent of the whole document; not a container.
  package static let none = -1

  package let parent: Int
  package let token: ReferenceToken
  /// For an element: its index in the old array.
  package let oldIndex: Int
  /// The length of the pointer in a JSON string, in bytes.
  let length: Int
  package let old: Int
  package let new: Int
}

/// The changes that turn the old document into the new one.
///
/// Containers are compared from the outside in, without recursion. A container's own changes come first: removed items,
/// moved items, new items. The changes inside its remaining values follow, so their paths are already the new ones. If
/// all changes inside a container take more bytes than its new text, one `replace` takes their place. So each change is
/// written and withdrawn at most once, and all of it is linear.
package struct Differ {
  /// How changes are found and reported.
  package struct Settings {
    /// Whether `test` operations will be added before removals and replacements; here only their size matters.
    package var addsTests = false
    /// Whether changes are reported individually, even if replacing their container would be shorter.
    package var isFine = false

    package init() {}
  }

  /// A container whose children are being compared.
  private struct DiffFrame {
    /// What replaces it, if its own changes are too long.
    let replacement: Change
    let path: Int
    let firstChange: Int
    let sizeBefore: Int
    let limit: Int
    /// Its children that may differ, as replacements.
    let children: [Change]
    var next = 0
  }

  var sides: Sides
  let options: Settings
  /// Each applies to the document that those before it have made.
  package private(set) var changes: [Change] = []
  /// The containers on the way to the changes, each after its parent.
  package private(set) var paths: [PathNode] = []
  /// The size of the changes in bytes as operations, each with a separator.
  private(set) var size = 0
  /// The size limit for the changes of the innermost container; above it, the container is replaced.
  private var limit = Int.max
  private var frames: [DiffFrame] = []

  package init(_ old: Side, _ new: Side, _ options: Settings) {
    sides = Sides(old: old, new: new)
    self.options = options
  }

  package var old: Side { sides.old }
  package var new: Side { sides.new }

  /// Finds all changes; none if the documents are equal.
  package mutating func run() {
    if sides.haveSameText(0, 0) || (old.isVoid(0) && new.isVoid(0)) { return }
    compare(Change(kind: .replace, parent: PathNode.none, token: .root, old: 0, new: 0))
    while let frame = frames.last {
      limit = frame.limit
      if frame.next < frame.children.count, !isHopeless {
        frames[frames.count - 1].next += 1
        compare(frame.children[frame.next])
      } else {
        frames.removeLast()
        finish(frame)
      }
    }
  }

  /// Adds a change.
  mutating func emit(_ change: Change) {
    size += operationSize(change)
    if !isHopeless { changes.append(change) }
  }

  /// Whether the innermost container will be replaced, whatever else is found in it.
  var isHopeless: Bool { size > limit }

  /// Compares two values at the same place, or begins to compare two containers.
  /// - Parameter child: the change that replaces the one by the other.
  private mutating func compare(_ child: Change) {
    let kind = old.document.kind(child.old)
    guard kind.isContainer, kind == new.document.kind(child.new) else {
      if !sides.areEqual(child.old, child.new) { emit(child) }
      return
    }
    let (firstChange, sizeBefore, path, limitOutside) = (changes.count, size, paths.count, limit)
    paths.append(
      PathNode(
        parent: child.parent, token: child.token, oldIndex: child.oldIndex,
        length: pathLength(child.parent, child.token), old: child.old, new: child.new))
    let isWhole = !old.isPruned(child.old) && !new.isPruned(child.new)
    limit = isWhole && !options.isFine ? size + operationSize(child) : .max
    guard let children = kind == .object ? compareObjects(child, path) : compareArrays(child, path) else {
      paths.removeLast(paths.count - path)
      limit = limitOutside
      if !sides.areEqual(child.old, child.new) { emit(child) }
      return
    }
    frames.append(
      DiffFrame(
        replacement: child, path: path, firstChange: firstChange, sizeBefore: sizeBefore, limit: limit,
        children: children))
  }

  /// Withdraws a container in which nothing differs, and replaces one whose changes are longer than its new text.
  private mutating func finish(_ frame: DiffFrame) {
    guard size > frame.sizeBefore else { return paths.removeLast(paths.count - frame.path) }
    guard isHopeless else { return }
    limit = frames.last?.limit ?? .max
    changes.removeLast(changes.count - frame.firstChange)
    size = frame.sizeBefore
    paths.removeLast(paths.count - frame.path)
    emit(frame.replacement)
  }

  // MARK: Bytes

  /// The size of a change in bytes as operations of a compact patch, with a comma after each. A test compares it with
  /// the output of `JSONPatch.write`.
  private func operationSize(_ change: Change) -> Int {
    let path = pathLength(change.parent, change.token)
    let test = options.addsTests ? Self.frame + 4 + Self.valueMember + path + 1 + old.size(max(change.old, 0)) : 0
    switch change.kind {
    case .add: return Self.frame + 3 + Self.valueMember + path + new.size(change.new) + 1
    case .remove: return Self.frame + 6 + path + 1 + test
    case .replace: return Self.frame + 7 + Self.valueMember + path + new.size(change.new) + 1 + test
    case .move: return Self.frame + 4 + Self.fromMember + path + pathLength(change.parent, .index(change.from)) + 1
    }
  }

  private static let frame = "{\"op\":\"\",\"path\":\"\"}".utf8.count
  private static let valueMember = ",\"value\":".utf8.count
  private static let fromMember = ",\"from\":\"\"".utf8.count

  /// The length of a pointer in a JSON string, without making the pointer.
  private func pathLength(_ parent: Int, _ token: ReferenceToken) -> Int {
    let before = parent == PathNode.none ? 0 : paths[parent].length
    switch token {
    case .root: return 0
    case .oldName(let name): return before + 1 + tokenLength(old.value(name))
    case .newName(let name): return before + 1 + tokenLength(new.value(name))
    case .index(let index): return before + 1 + String(index).utf8.count
    }
  }

  /// The length in bytes of a name as a reference token in a JSON string.
  private func tokenLength(_ name: JSONValue) -> Int {
    if name.kind == .escapedString {
      var writer = ByteWriter()
      JSONString.write(JSONPointer(tokens: [JSONString.decoded(name)]).text.span, to: &writer)
      return writer.count - 3  // without two quotes and the slash
    }
    let range = name.range
    var count = range.count - 2
    for byte in name.document.bytes[range] where byte == UInt8(ascii: "~") || byte == UInt8(ascii: "/") { count += 1 }
    return count
  }

  // MARK: The patch

  /// The changes as operations, each after a `test` if that was asked for.
  package func patch() -> JSONPatch {
    var patch = JSONPatch()
    for change in changes {
      let path = pointer(change.parent, change.token)
      if options.addsTests, change.kind == .remove || change.kind == .replace {
        patch.operations.append(.test(path, equals: JSONTree(old.value(change.old))))
      }
      switch change.kind {
      case .add: patch.operations.append(.add(JSONTree(new.value(change.new)), at: path))
      case .remove: patch.operations.append(.remove(path))
      case .replace: patch.operations.append(.replace(path, with: JSONTree(new.value(change.new))))
      case .move: patch.operations.append(.move(pointer(change.parent, .index(change.from)), to: path))
      }
    }
    return patch
  }

  private func pointer(_ parent: Int, _ token: ReferenceToken) -> JSONPointer {
    var way = [token]
    var next = parent
    while next != PathNode.none {
      way.append(paths[next].token)
      next = paths[next].parent
    }
    return JSONPointer(tokens: way.reversed().compactMap(referenceToken))
  }

  private func referenceToken(_ token: ReferenceToken) -> [UInt8]? {
    switch token {
    case .root: nil
    case .oldName(let name): JSONString.decoded(old.value(name))
    case .newName(let name): JSONString.decoded(new.value(name))
    case .index(let index): Array(String(index).utf8)
    }
  }

  /// The last token of the pointer to a container in the old document; nil for the whole document.
  package func oldToken(_ path: Int) -> [UInt8]? {
    if case .index = paths[path].token { return Array(String(paths[path].oldIndex).utf8) }
    return referenceToken(paths[path].token)
  }
}
