/// The changes that turn the old document into the new one.
///
/// Containers are compared from the outside in, without recursion. A container's own changes come first: removed items,
/// moved items, new items. The changes inside its remaining values follow, so their paths are already the new ones. If
/// all changes inside a container take more bytes than its new text, one `replace` takes their place. So each change is
/// written and withdrawn at most once, and all of it is linear.
package struct Differ {
  /// How changes are found and reported.
  package struct Settings {
    package var findsMoves = true
    /// Whether `test` operations will be added before removals and replacements; here only their size matters.
    package var addsTests = false
    /// Whether changes are reported individually, even if replacing their container would be shorter.
    package var isFine = false

    package init() {}
  }

  /// Two different values at the same place.
  struct DifferentChild {
    let token: ReferenceToken
    let oldIndex: Int
    let newIndex: Int
    let old: Int
    let new: Int
  }

  /// A container whose children are being compared.
  private struct DiffFrame {
    let child: DifferentChild
    let parent: Int
    let path: Int
    let firstChange: Int
    let sizeBefore: Int
    let limit: Int
    let children: [DifferentChild]
    var next = 0
  }

  var sides: Sides
  let options: Settings
  package private(set) var changes: [Change] = []
  package private(set) var paths = Paths()
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
    compare(DifferentChild(token: .root, oldIndex: 0, newIndex: 0, old: 0, new: 0), in: Paths.none)
    while let frame = frames.last {
      limit = frame.limit
      if frame.next < frame.children.count, !isHopeless {
        frames[frames.count - 1].next += 1
        compare(frame.children[frame.next], in: frame.path)
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

  private mutating func compare(_ child: DifferentChild, in parent: Int) {
    let kind = old.document.kind(child.old)
    guard kind.isContainer, kind == new.document.kind(child.new) else {
      if !sides.areEqual(child.old, child.new) { replace(child, in: parent) }
      return
    }
    let (firstChange, sizeBefore) = (changes.count, size)
    let node = Paths.PathNode(
      parent: parent, token: child.token, oldIndex: child.oldIndex, length: pathLength(parent, child.token),
      old: child.old, new: child.new)
    let path = paths.add(node)
    let limitOutside = limit
    let isWhole = !old.isPruned(child.old) && !new.isPruned(child.new)
    limit = isWhole && !options.isFine ? size + operationSize(replacement(child, in: parent)) : .max
    let children = kind == .object ? compareObjects(child, path) : compareArrays(child, path)
    guard let children else {
      paths.removeAll(from: path)
      limit = limitOutside
      if !sides.areEqual(child.old, child.new) { replace(child, in: parent) }
      return
    }
    frames.append(
      DiffFrame(
        child: child, parent: parent, path: path, firstChange: firstChange, sizeBefore: sizeBefore, limit: limit,
        children: children))
  }

  private mutating func finish(_ frame: DiffFrame) {
    guard size > frame.sizeBefore else { return paths.removeAll(from: frame.path) }
    guard isHopeless else { return }
    limit = frames.last?.limit ?? .max
    changes.removeLast(changes.count - frame.firstChange)
    size = frame.sizeBefore
    paths.removeAll(from: frame.path)
    replace(frame.child, in: frame.parent)
  }

  private mutating func replace(_ child: DifferentChild, in parent: Int) { emit(replacement(child, in: parent)) }

  private func replacement(_ child: DifferentChild, in parent: Int) -> Change {
    Change(
      kind: .replace, parent: parent, token: child.token, old: child.old, new: child.new, oldIndex: child.oldIndex,
      newIndex: child.newIndex)
  }

  // MARK: Bytes

  /// The size of a change in bytes as operations of a compact patch, with a comma after each. A test compares it with
  /// the output of PatchWriter.
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

  private func pathLength(_ parent: Int, _ token: ReferenceToken) -> Int {
    let before = parent == Paths.none ? 0 : paths[parent].length
    switch token {
    case .root: return 0
    case .oldName(let name): return before + 1 + tokenLength(old.value(name))
    case .newName(let name): return before + 1 + tokenLength(new.value(name))
    case .index(let index): return before + 1 + digits(index)
    }
  }

  private func digits(_ number: Int) -> Int {
    var count = 1
    var rest = number / 10
    while rest > 0 {
      count += 1
      rest /= 10
    }
    return count
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
}
