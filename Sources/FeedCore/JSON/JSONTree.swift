// A document that can change. A tree is opened only where it changes: all other parts stay positions on the tape of
// their document, and are printed by copying bytes.
//
//     {"n":1,"results":[{…},{…},{…}]}   after replacing /results/1/title
//
//     tree ─ object, opened ─┬─ "n"        raw
//                            └─ "results"  array, opened ─┬─ raw
//                                                         ├─ object, opened ─ … "title": raw, in the patch's document
//                                                         └─ raw
//
// Trees are values and never change: an edit makes a new tree that shares everything else with the old one. So a patch
// that fails half-way has changed nothing, and a snapshot costs nothing.

/// A JSON value, as read or as edited.
package struct JSONTree {
  /// The value as read; for an opened container, the container before the edits. Its kind is the tree's kind.
  let origin: JSONValue
  let node: JSONNode?

  /// A tree in which nothing is opened.
  package init(_ value: JSONValue) {
    origin = value
    node = nil
  }

  init(origin: JSONValue, node: JSONNode) {
    self.origin = origin
    self.node = node
  }

  /// `{}`, to put members into.
  package static let emptyObject = JSONTree(JSONDocument(known: Array("{}".utf8)).root)

  package var kind: JSONKind { origin.kind }

  /// The value as read, if nothing in it is opened; otherwise nil.
  package var untouched: JSONValue? { node == nil ? origin : nil }

  /// The container with its children in slots; nil for a scalar.
  var opened: JSONTree? {
    guard node == nil else { return self }
    guard kind.isContainer else { return nil }
    return JSONTree(origin: origin, node: JSONNode(opening: origin))
  }

  /// The value's size in bytes as compact text; larger by any white space in its unopened parts.
  package var size: Int { node?.size ?? origin.range.count }

  /// An upper bound of the depth of nested containers, this value included.
  var depthBound: Int { node?.depthBound ?? (kind.isContainer ? origin.document.depth : 0) }

  /// Whether containers are nested deeper than `limit`. Cheap unless the bound exceeds the limit.
  func isDeeper(than limit: Int) -> Bool {
    guard depthBound > limit else { return false }
    var open = [(children: children, depth: 1)]
    while let top = open.indices.last {
      if open[top].depth > limit { return true }
      guard let (_, child) = open[top].children.next() else {
        open.removeLast()
        continue
      }
      if child.kind.isContainer, child.depthBound + open[top].depth > limit {
        open.append((child.children, open[top].depth + 1))
      }
    }
    return false
  }

  /// The members or elements, in order.
  var children: Children { Children(of: self) }

  struct Children: Sequence, IteratorProtocol {
    private var raw: JSONChildren
    private var slots: PersistentList<JSONNode.Slot>.Iterator?

    init(of tree: JSONTree) {
      raw = JSONChildren(of: tree.origin)
      slots = tree.node?.slots.makeIterator()
    }

    mutating func next() -> (key: JSONValue?, value: JSONTree)? {
      guard slots != nil else { return raw.next().map { ($0.key, JSONTree($0.value)) } }
      while let slot = slots?.next() {
        if !slot.isRemoved { return (slot.key, slot.value) }
      }
      return nil
    }
  }
}

extension JSONTree: Sendable {}

/// The children of an opened container.
final class JSONNode: @unchecked Sendable {
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

  private(set) var slots: PersistentList<Slot>
  /// See `JSONTree.size`. Always up to date, so that a patch that copies repeatedly is stopped in time.
  let size: Int
  /// See `JSONTree.depthBound`. It grows with inserted values, and does not shrink when they are removed.
  let depthBound: Int
  /// How many slots are not removed: the container's count.
  let count: Int
  /// The slots of members by the hash of their names; nil in an array and in a small object.
  let index: KeyIndex?

  /// Objects with at most this many members are searched one by one.
  private static let indexThreshold = 16

  init(slots: PersistentList<Slot>, size: Int, depthBound: Int, count: Int, index: KeyIndex?) {
    self.slots = slots
    self.size = size
    self.depthBound = depthBound
    self.count = count
    self.index = index
  }

  convenience init(opening container: JSONValue) {
    let isObject = container.kind == .object
    var slots: [Slot] = []
    for child in container.children {
      let place = child.key?.position ?? child.value.position
      slots.append(Slot(key: child.key, value: JSONTree(child.value), place: place))
    }
    let index = isObject && slots.count > Self.indexThreshold ? KeyIndex(slots) : nil
    self.init(
      slots: PersistentList(slots), size: container.range.count, depthBound: container.document.depth,
      count: slots.count, index: index)
  }

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
    guard let node = slot.value.node else { return }
    dying.append(node)
    slot.value = JSONTree(slot.value.origin)
  }

  // MARK: Finding

  /// The result of looking up a name in an object.
  enum Found {
    case slot(Int)
    case nothing
    /// The object has more than one member of this name.
    case duplicate
  }

  func slot(named name: [UInt8]) -> Found {
    var found = Found.nothing
    func consider(_ position: Int, _ slot: Slot) -> Bool {
      guard !slot.isRemoved, let key = slot.key, JSONString.equals(key, name) else { return false }
      if case .slot = found {
        found = .duplicate
        return true
      }
      found = .slot(position)
      return false
    }
    if let index {
      for position in index.candidates(name) where consider(position, slots[position]) { break }
    } else {
      for (position, slot) in slots.enumerated() where consider(position, slot) { break }
    }
    return found
  }

  // MARK: Editing

  func replacing(_ position: Int, with value: JSONTree) -> JSONNode {
    let old = slots[position]
    let new = Slot(key: old.key, value: value, place: old.place)
    return JSONNode(
      slots: slots.replacing(position, with: new), size: size - old.value.size + value.size,
      depthBound: depthBound(with: value), count: count, index: index)
  }

  func inserting(_ value: JSONTree, at position: Int) -> JSONNode {
    JSONNode(
      slots: slots.inserting(Slot(key: nil, value: value, place: -1), at: position),
      size: size + value.size + (count > 0 ? 1 : 0), depthBound: depthBound(with: value), count: count + 1, index: nil)
  }

  func appending(_ value: JSONTree, named key: JSONValue) -> JSONNode {
    let slots = slots.appending(Slot(key: key, value: value, place: -1))
    let index: KeyIndex? =
      if let index { index.adding(key, at: slots.count - 1) } else if slots.count > Self.indexThreshold {
        KeyIndex(Array(slots))
      } else { nil }
    return JSONNode(
      slots: slots, size: size + key.range.count + 1 + value.size + (count > 0 ? 1 : 0),
      depthBound: depthBound(with: value), count: count + 1, index: index)
  }

  func removing(_ position: Int) -> JSONNode {
    let slot = slots[position]
    let size = size - slot.value.size - (count > 1 ? 1 : 0)
    guard let key = slot.key else {
      return JSONNode(
        slots: slots.removing(position), size: size, depthBound: depthBound, count: count - 1, index: nil)
    }
    let gap = Slot(key: key, value: JSONTree.emptyObject, place: slot.place, isRemoved: true)
    var removed = slots.replacing(position, with: gap)
    var index = index?.removing(key, at: position)
    if removed.count > 2 * count + Self.indexThreshold {
      // More gaps than members: remove the gaps.
      let live = removed.filter { !$0.isRemoved }
      removed = PersistentList(live)
      index = live.count > Self.indexThreshold ? KeyIndex(live) : nil
    }
    return JSONNode(
      slots: removed, size: size - key.range.count - 1, depthBound: depthBound, count: count - 1, index: index)
  }

  private func depthBound(with value: JSONTree) -> Int { max(depthBound, value.depthBound + 1) }
}

/// The members of a wide object, sorted by the hash of their names: a lookup is a binary search. The index of an older
/// tree stays valid, like everything here.
struct KeyIndex {
  private struct Entry {
    let hash: UInt64
    let slot: Int
  }

  private var entries: PersistentList<Entry>

  init(_ slots: [JSONNode.Slot]) {
    var entries: [Entry] = []
    for (position, slot) in slots.enumerated() where !slot.isRemoved {
      if let key = slot.key { entries.append(Entry(hash: JSONDigest.of(JSONString.decoded(key)), slot: position)) }
    }
    entries.sort { ($0.hash, $0.slot) < ($1.hash, $1.slot) }
    self.entries = PersistentList(entries)
  }

  /// The slots whose names have the hash of `name`.
  func candidates(_ name: [UInt8]) -> [Int] {
    let hash = JSONDigest.of(name)
    var position = entries.partition { $0.hash < hash }
    var slots: [Int] = []
    while position < entries.count, entries[position].hash == hash {
      slots.append(entries[position].slot)
      position += 1
    }
    return slots
  }

  func adding(_ key: JSONValue, at slot: Int) -> KeyIndex {
    let entry = Entry(hash: JSONDigest.of(JSONString.decoded(key)), slot: slot)
    var index = self
    index.entries = entries.inserting(entry, at: place(of: entry))
    return index
  }

  func removing(_ key: JSONValue, at slot: Int) -> KeyIndex {
    let entry = Entry(hash: JSONDigest.of(JSONString.decoded(key)), slot: slot)
    var index = self
    index.entries = entries.removing(place(of: entry))
    return index
  }

  private func place(of entry: Entry) -> Int {
    entries.partition { ($0.hash, $0.slot) < (entry.hash, entry.slot) }
  }
}
