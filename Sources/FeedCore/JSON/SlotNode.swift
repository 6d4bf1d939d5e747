/// A node of a `SlotList`: an inner node has children, a leaf has slots, a raw leaf is a run of the tape.
///
/// Whoever changes a node has made sure that no other list holds it.
final class SlotNode {
  typealias Slot = JSONNode.Slot

  /// A child of an inner node. Its count is here, so that a search by position does not have to look at the children.
  struct SlotChild {
    var node: SlotNode
    var count: Int

    init(_ node: SlotNode, count: Int) {
      self.node = node
      self.count = count
    }

    init(_ children: [SlotChild]) {
      self.init(SlotNode(children: children), count: children.reduce(0) { $0 + $1.count })
    }

    /// The node, held by nobody else.
    mutating func own() -> SlotNode {
      if !isKnownUniquelyReferenced(&node) { node = node.copied() }
      return node
    }
  }

  private(set) var children: [SlotChild]
  private(set) var slots: [Slot]
  /// Empty unless this is a raw leaf.
  private(set) var raw: RawSlots

  init(children: [SlotChild] = [], slots: [Slot] = [], raw: RawSlots = .none) {
    self.children = children
    self.slots = slots
    self.raw = raw
  }

  func copied() -> SlotNode { SlotNode(children: children, slots: slots, raw: raw) }

  var isLeaf: Bool { children.isEmpty }
  /// How many slots or children the node itself has.
  private var size: Int { isLeaf ? leafCount : children.count }
  var leafCount: Int { raw.count + slots.count }

  subscript(place: Int) -> Slot { raw.isEmpty ? slots[place] : raw[place] }

  /// The place of the child with the slot at `index`, which becomes the index in that child. The last child also takes
  /// the index after its end, where a slot may be inserted.
  func place(of index: inout Int) -> Int {
    var place = 0
    while place < children.count - 1, index >= children[place].count {
      index -= children[place].count
      place += 1
    }
    return place
  }

  /// As `SlotList.visitNames`.
  /// - Parameter first: the index of the first slot.
  /// - Returns: whether `body` never returned false.
  func visitNames(from first: Int, _ body: (Int, JSONDocument, Int) -> Bool) -> Bool {
    let slots = self.slots
    // A span, so that only the name is copied and not the slot.
    let span = slots.span
    for place in span.indices where !span[place].isRemoved {
      if let key = span[place].key, !body(first + place, key.document, key.position) { return false }
    }
    var next = first
    for child in children {
      guard child.node.visitNames(from: next, body) else { return false }
      next += child.count
    }
    return raw.visitNames { body(first + $0, $1, $2) }
  }

  // MARK: Changing
  //
  // An array is moved into a variable while it changes, so that the compiler proves that nothing else uses it. To prove
  // it at run time would cost more than the change.

  /// A child that only this node holds.
  func ownChild(at place: Int) -> SlotNode {
    var children = take(&self.children)
    let node = children[place].own()
    self.children = children
    return node
  }

  /// Gives a leaf slots of its own.
  func open() {
    guard !raw.isEmpty else { return }
    var slots: [Slot] = []
    slots.reserveCapacity(SlotList.width + 1)
    for slot in raw { slots.append(slot) }
    self.slots = slots
    raw = .none
  }

  func ownNode(at place: Int) -> JSONNode? {
    var slots = take(&self.slots)
    let node = slots[place].value.own()
    self.slots = slots
    return node
  }

  /// - Returns: the former value.
  func replace(at place: Int, with value: JSONTree) -> JSONTree {
    var slots = take(&self.slots)
    let old = slots[place].value
    slots[place].value = value
    self.slots = slots
    return old
  }

  func replace(at place: Int, with slot: Slot) {
    var slots = take(&self.slots)
    slots[place] = slot
    self.slots = slots
  }

  /// - Returns: the right part if the node had to be split.
  func insert(_ slot: Slot, at index: Int) -> SlotChild? {
    guard isLeaf else { return insertBelow(slot, at: index) }
    open()
    var slots = take(&self.slots)
    slots.insert(slot, at: index)
    var right: SlotChild?
    if slots.count > SlotList.width {
      let half = Self.split(&slots, index)
      right = SlotChild(SlotNode(slots: half), count: half.count)
    }
    self.slots = slots
    return right
  }

  /// Inserts into a child. If that was split, its right part becomes a child too, for which this node may be split.
  private func insertBelow(_ slot: Slot, at index: Int) -> SlotChild? {
    var index = index
    let place = place(of: &index)
    var children = take(&self.children)
    let split = children[place].own().insert(slot, at: index)
    children[place].count += 1
    var right: SlotChild?
    if let split {
      children[place].count -= split.count
      children.insert(split, at: place + 1)
      if children.count > SlotList.width { right = SlotChild(Self.split(&children, place + 1)) }
    }
    self.children = children
    return right
  }

  /// Cuts off the right half; only the last item if that was just appended, so that appending fills every node.
  private static func split<Item>(_ items: inout [Item], _ inserted: Int) -> [Item] {
    let half = inserted == items.count - 1 ? inserted : items.count / 2
    var right: [Item] = []
    right.reserveCapacity(SlotList.width + 1)
    right += items[half...]
    items.removeSubrange(half...)
    return right
  }

  func remove(at index: Int) -> Slot {
    if isLeaf {
      open()
      var slots = take(&self.slots)
      let slot = slots.remove(at: index)
      self.slots = slots
      return slot
    }
    var index = index
    let place = place(of: &index)
    var children = take(&self.children)
    let slot = children[place].own().remove(at: index)
    children[place].count -= 1
    Self.join(&children, place)
    self.children = children
    return slot
  }

  /// Removes an empty child; joins a small one with a neighbour if both fit in one node.
  private static func join(_ children: inout [SlotChild], _ place: Int) {
    if children[place].count == 0, children.count > 1 {
      children.remove(at: place)
    } else if children[place].node.size < SlotList.width / 4, !merge(&children, place - 1) {
      _ = merge(&children, place)
    }
  }

  /// Makes one child of `left` and the next one, if both are there and fit into one.
  private static func merge(_ children: inout [SlotChild], _ left: Int) -> Bool {
    guard left >= 0, left + 1 < children.count else { return false }
    let right = children[left + 1].node
    guard children[left].node.size + right.size <= SlotList.width else { return false }
    let node = children[left].own()
    node.open()
    node.slots = take(&node.slots) + right.slots + Array(right.raw)
    node.children = take(&node.children) + right.children
    children[left].count += children[left + 1].count
    children.remove(at: left + 1)
    return true
  }

  // MARK: Freeing

  /// Gives the children away, and lets `body` move parts out of the slots.
  func dismantle(_ body: (inout Slot) -> Void) -> [SlotChild] {
    var slots = take(&self.slots)
    for place in slots.indices { body(&slots[place]) }
    return take(&children)
  }
}

/// Moves an array out of a variable, so that it can be changed without a copy.
private func take<Item>(_ items: inout [Item]) -> [Item] {
  defer { items = [] }
  return items
}
