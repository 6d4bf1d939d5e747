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
  }

  let isArray: Bool
  /// Only nil while they change: they are moved into a variable then, so that the compiler proves that nothing else
  /// uses them. To prove it at run time would cost more than the change.
  private var ownSlots: SlotList?
  /// See `JSONTree.size`. Always up to date, so that a patch that copies repeatedly is stopped in time.
  private(set) var size: Int
  /// See `JSONTree.depthBound`. It grows with inserted values, and does not shrink when they are removed.
  private(set) var depthBound: Int
  /// How many slots are no gaps: the container's count.
  private(set) var count: Int
  /// The slots of members by the hash of their names; nil in an array and in a small object.
  private var index: KeyIndex?
  /// The opened containers above one that is being changed, if this is the top. Empty between two changes; it is kept
  /// so that a change makes no array.
  var way: [JSONNode] = []

  /// Objects with at most this many members are searched one by one.
  private static let indexThreshold = 16
  /// Nodes nested no deeper than this are freed by recursion.
  private static let recursiveDepth = 100

  init(opening container: JSONValue) {
    isArray = container.kind == .array
    let slots = SlotList(of: container)
    ownSlots = slots
    size = container.range.count
    depthBound = container.document.depth
    count = slots.count
    if !isArray, count > Self.indexThreshold { index = KeyIndex(of: container) }
  }

  /// A node of slots that were chosen elsewhere, without an index.
  init(_ slots: [Slot], of container: JSONValue, size: Int, depthBound: Int) {
    isArray = container.kind == .array
    ownSlots = SlotList(slots, of: container)
    (self.size, self.depthBound, count) = (size, depthBound, slots.count)
  }

  private init(copying node: JSONNode) {
    isArray = node.isArray
    (ownSlots, size, depthBound, count, index) = (node.ownSlots, node.size, node.depthBound, node.count, node.index)
  }

  func copied() -> JSONNode { JSONNode(copying: self) }

  /// A removed member leaves a gap, so that the slots in the index of names stay right.
  var slots: SlotList {
    guard let ownSlots else { preconditionFailure("the slots are being changed") }
    return ownSlots
  }

  private func withSlots<Result, Failure>(
    _ change: (inout SlotList) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard var slots = ownSlots.take() else { preconditionFailure("the slots are being changed") }
    defer { ownSlots = slots }
    return try change(&slots)
  }

  // A patch can open a path as deep as the document. To free it without deep recursion, this holds the opened children
  // in a list while the slots go. Those that nobody else holds then give up theirs, one after another.
  deinit {
    guard depthBound > Self.recursiveDepth else { return }
    var dying = takeChildren()
    while var node = dying.popLast() {
      if isKnownUniquelyReferenced(&node) { dying += node.takeChildren() }
    }
  }

  /// Removes all slots.
  /// - Returns: the opened children.
  private func takeChildren() -> [JSONNode] {
    defer { ownSlots = nil }
    return ownSlots?.compactMap(\.value.node) ?? []
  }

  // MARK: Finding

  /// The value of the child that a token of a pointer names (RFC 6901 §4).
  func value(_ token: ArraySlice<UInt8>) throws(PointerError.PointerFailure) -> JSONTree {
    let slots = self.slots
    return slots[try slot(token, in: slots)].value
  }

  /// The slot of that child.
  func slot(_ token: ArraySlice<UInt8>) throws(PointerError.PointerFailure) -> Int { try slot(token, in: slots) }

  private func slot(_ token: ArraySlice<UInt8>, in slots: SlotList) throws(PointerError.PointerFailure) -> Int {
    guard isArray else {
      if let slot = try slot(named: token, in: slots) { return slot }
      throw .noMember
    }
    if token == JSONPointer.dash { throw .dash }
    return try index(token, below: count)
  }

  /// The index that a token of a pointer names.
  func index(_ token: ArraySlice<UInt8>, below end: Int) throws(PointerError.PointerFailure) -> Int {
    guard let index = JSONPointer.index(token) else { throw .notAnIndex }
    guard index < end else { throw .noElement(count: count) }
    return index
  }

  /// The slot of the member with this name; nil if there is none.
  /// - Throws: `duplicate` if there is more than one.
  func slot(named name: ArraySlice<UInt8>) throws(PointerError.PointerFailure) -> Int? {
    try slot(named: name, in: slots)
  }

  private func slot(
    named name: ArraySlice<UInt8>, in slots: SlotList
  ) throws(PointerError.PointerFailure) -> Int? {
    let name = MemberName(name)
    var match = SlotNode.NameMatch()
    if let index {
      index.visit(JSONDigests.of(name.bytes)) { place in
        if let key = slots[place].key, name.isString(at: key.position, of: key.document) { match.add(place) }
        return !match.isDuplicate
      }
    } else {
      match = slots.find(name)
    }
    if match.isDuplicate { throw .duplicate }
    return match.slot
  }

  // MARK: Changing

  /// A child's own node (`JSONTree.own`); nil for a scalar.
  func ownChild(in slot: Int) -> JSONNode? { withSlots { $0.change(at: slot) { $0.value.own() } } }

  /// The same for the child that a token of a pointer names.
  func ownChild(_ token: ArraySlice<UInt8>) throws(PointerError.PointerFailure) -> JSONNode? {
    try withSlots { (slots) throws(PointerError.PointerFailure) in
      slots.change(at: try slot(token, in: slots)) { $0.value.own() }
    }
  }

  /// Follows a change of a child's size and depth.
  /// - Parameter growth: by how much it got larger.
  func childChanged(by growth: Int, depthBound: Int) {
    size += growth
    self.depthBound = max(self.depthBound, depthBound + 1)
  }

  /// - Returns: the former value.
  func replace(_ position: Int, with value: JSONTree) -> JSONTree {
    replaced(withSlots { $0.replace(position, with: value) }, with: value)
  }

  /// The same for the child that a token of a pointer names.
  func replace(_ token: ArraySlice<UInt8>, with value: JSONTree) throws(PointerError.PointerFailure) -> JSONTree {
    let old = try withSlots { (slots) throws(PointerError.PointerFailure) in
      slots.replace(try slot(token, in: slots), with: value)
    }
    return replaced(old, with: value)
  }

  private func replaced(_ old: JSONTree, with value: JSONTree) -> JSONTree {
    childChanged(by: value.size - old.size, depthBound: value.depthBound)
    return old
  }

  /// Puts an element before the one at `position`, or at the end.
  func insert(_ value: JSONTree, at position: Int) {
    withSlots { $0.insert(Slot(key: nil, value: value, place: -1), at: position) }
    childChanged(by: value.size + (count > 0 ? 1 : 0), depthBound: value.depthBound)
    count += 1
  }

  /// Puts a member at the end. The caller knows that there is none of this name.
  func append(_ value: JSONTree, named key: JSONValue) {
    withSlots { slots in
      slots.append(Slot(key: key, value: value, place: -1))
      if index != nil {
        index?.add(Self.hash(of: key), at: slots.count - 1)
      } else if slots.count > Self.indexThreshold {
        index = KeyIndex(slots)
      }
    }
    childChanged(by: key.range.count + 1 + value.size + (count > 0 ? 1 : 0), depthBound: value.depthBound)
    count += 1
  }

  /// - Returns: the value that was removed.
  func remove(_ position: Int) -> JSONTree {
    let slot = withSlots { $0.remove(at: position, leavesGap: !isArray) }
    size -= slot.value.size + (count > 1 ? 1 : 0)
    count -= 1
    guard let key = slot.key else { return slot.value }
    size -= key.range.count + 1
    index?.remove(Self.hash(of: key), at: position)
    withSlots { slots in
      guard slots.count > 2 * count + Self.indexThreshold else { return }
      // There are more gaps than members.
      slots.removeGaps()
      index = slots.count > Self.indexThreshold ? KeyIndex(slots) : nil
    }
    return slot.value
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
    return JSONTree(origin: origin, node: JSONNode(slots, of: origin, size: size, depthBound: depthBound))
  }
}
