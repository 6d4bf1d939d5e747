/// The children of an opened container.
///
/// Whoever changes a node has made sure that no other tree holds it (`JSONTree.own`).
final class JSONNode: @unchecked Sendable {
  /// A member or an element.
  struct Slot {
    /// The member's name, a string value; nil in an array.
    let key: JSONValue?
    var value: JSONTree
    /// The tape position of the name (object) or value (array) that had this slot in the container's origin; -1 for an
    /// inserted one. The white space around it is found from there, even if the value was replaced.
    let place: Int
    /// A removed member. It keeps its slot, so that the slots in the index of names stay right.
    var isRemoved = false
  }

  let isArray: Bool
  private(set) var slots: SlotList
  /// See `JSONTree.size`. Always up to date, so that a patch that copies repeatedly is stopped in time.
  private(set) var size: Int
  /// See `JSONTree.depthBound`. It grows with inserted values, and does not shrink when they are removed.
  private(set) var depthBound: Int
  /// How many slots are not removed: the container's count.
  private(set) var count: Int
  /// The slots of members by the hash of their names; nil in an array and in a small object.
  private var index: KeyIndex?

  /// Objects with at most this many members are searched one by one.
  private static let indexThreshold = 16

  init(opening container: JSONValue) {
    isArray = container.kind == .array
    slots = SlotList(of: container)
    size = container.range.count
    depthBound = container.document.depth
    count = slots.count
    if !isArray, count > Self.indexThreshold { index = KeyIndex(of: container) }
  }

  /// A node of slots that were chosen elsewhere, without an index.
  init(isArray: Bool, slots: [Slot], size: Int, depthBound: Int) {
    self.isArray = isArray
    self.slots = SlotList(slots)
    (self.size, self.depthBound, count) = (size, depthBound, slots.count)
  }

  private init(copying node: JSONNode) {
    isArray = node.isArray
    (slots, size, depthBound, count, index) = (node.slots, node.size, node.depthBound, node.count, node.index)
  }

  func copied() -> JSONNode { JSONNode(copying: self) }

  // A patch can open a path as deep as the document. To free it without deep recursion, this moves the opened children
  // that only this node holds into a list, and then their children.
  deinit {
    var dying: [JSONNode] = []
    slots.visitUnshared { Self.takeNode(of: &$0, into: &dying) }
    while var node = dying.popLast() {
      guard isKnownUniquelyReferenced(&node) else { continue }
      node.slots.visitUnshared { Self.takeNode(of: &$0, into: &dying) }
    }
  }

  private static func takeNode(of slot: inout Slot, into dying: inout [JSONNode]) {
    if let node = slot.value.takeNode() { dying.append(node) }
  }

  // MARK: Finding

  /// The slot of the member with this name; nil if there is none.
  /// - Throws: `duplicate` if there is more than one.
  func slot(named name: ArraySlice<UInt8>) throws(PointerError.PointerFailure) -> Int? {
    var found: Int?
    var isDuplicate = false
    func consider(_ slot: Int, _ document: JSONDocument, _ key: Int) -> Bool {
      guard JSONString.equals(document, key, name) else { return true }
      isDuplicate = found != nil
      found = slot
      return !isDuplicate
    }
    if let index {
      index.visit(JSONDigests.of(name)) { place in
        let slot = slots[place]
        guard !slot.isRemoved, let key = slot.key else { return true }
        return consider(place, key.document, key.position)
      }
    } else {
      slots.visitNames(consider)
    }
    if isDuplicate { throw .duplicate }
    return found
  }

  // MARK: Changing

  /// A child's own node (`JSONTree.own`); nil for a scalar.
  func ownChild(in slot: Int) -> JSONNode? {
    let (leaf, place) = slots.ownLeaf(holding: slot)
    return leaf.ownNode(at: place)
  }

  /// Follows a change of a child's size and depth.
  /// - Parameter growth: by how much it got larger.
  func childChanged(by growth: Int, depthBound: Int) {
    size += growth
    self.depthBound = max(self.depthBound, depthBound + 1)
  }

  /// - Returns: the former value.
  func replace(_ position: Int, with value: JSONTree) -> JSONTree {
    let (leaf, place) = slots.ownLeaf(holding: position)
    let old = leaf.replace(at: place, with: value)
    childChanged(by: value.size - old.size, depthBound: value.depthBound)
    return old
  }

  /// Puts an element before the one at `position`, or at the end.
  func insert(_ value: JSONTree, at position: Int) {
    slots.insert(Slot(key: nil, value: value, place: -1), at: position)
    childChanged(by: value.size + (count > 0 ? 1 : 0), depthBound: value.depthBound)
    count += 1
  }

  /// Puts a member at the end. The caller knows that there is none of this name.
  func append(_ value: JSONTree, named key: JSONValue) {
    slots.append(Slot(key: key, value: value, place: -1))
    if index != nil {
      index?.add(Self.hash(of: key), at: slots.count - 1)
    } else if slots.count > Self.indexThreshold {
      index = KeyIndex(slots)
    }
    childChanged(by: key.range.count + 1 + value.size + (count > 0 ? 1 : 0), depthBound: value.depthBound)
    count += 1
  }

  /// - Returns: the value that was removed.
  func remove(_ position: Int) -> JSONTree {
    size -= count > 1 ? 1 : 0
    count -= 1
    let slot = slots[position]
    size -= slot.value.size
    guard let key = slot.key else {
      slots.remove(at: position)
      return slot.value
    }
    size -= key.range.count + 1
    let (leaf, place) = slots.ownLeaf(holding: position)
    leaf.replace(at: place, with: Slot(key: key, value: JSONTree.emptyObject, place: slot.place, isRemoved: true))
    index?.remove(Self.hash(of: key), at: position)
    if slots.count > 2 * count + Self.indexThreshold { removeGaps() }
    return slot.value
  }

  /// Once there are more gaps than members, the gaps go.
  private func removeGaps() {
    slots = SlotList(slots.filter { !$0.isRemoved })
    index = slots.count > Self.indexThreshold ? KeyIndex(slots) : nil
  }

  private static func hash(of key: JSONValue) -> UInt64 { JSONDigests.ofScalar(key) }
}

/// Builds a container from children of the original one and values from elsewhere: the result of a merge. Edits by
/// pointer would copy a path for each change; here every container is made once, from the inside out.
package struct JSONRebuilding {
  private let origin: JSONValue
  private var slots: [JSONNode.Slot] = []
  private var size = 2
  private var depthBound: Int
  /// The place of the last child, while all children so far are those of the original container, unchanged.
  private var lastPlace = -1
  private var isUnchanged = true

  package init(of container: JSONValue) {
    origin = container
    depthBound = container.document.depth
  }

  /// Adds a child.
  /// - Parameters:
  ///   - key: the name of a member; nil in an array.
  ///   - place: the tape position of the child of the original container whose place the value takes; -1 for none. It
  ///     is the position of the name in an object, and of the value in an array.
  package mutating func append(_ key: JSONValue?, _ value: JSONTree, at place: Int) {
    let isOriginal = value.untouched.map { $0.document === origin.document } ?? false
    if !isOriginal || place <= lastPlace { isUnchanged = false }
    lastPlace = place
    size += value.size + (key.map { $0.range.count + 1 } ?? 0) + (slots.isEmpty ? 0 : 1)
    depthBound = max(depthBound, value.depthBound + 1)
    slots.append(JSONNode.Slot(key: key, value: value, place: place))
  }

  /// Says that the container must not be copied as a whole, even if it is unchanged.
  package mutating func open() { isUnchanged = false }

  /// Puts the children that satisfy `isFirst` before the others.
  package mutating func reorder(_ isFirst: (JSONTree) -> Bool) {
    slots = slots.filter { isFirst($0.value) } + slots.filter { !isFirst($0.value) }
  }

  /// The container; the original one if it has all its children, unchanged and in order.
  package var tree: JSONTree {
    if isUnchanged, slots.count == origin.children.reduce(0, { count, _ in count + 1 }) { return JSONTree(origin) }
    // Nobody looks up names in the result, so wide objects get no index.
    return JSONTree(
      origin: origin,
      node: JSONNode(isArray: origin.kind == .array, slots: slots, size: size, depthBound: depthBound))
  }
}
