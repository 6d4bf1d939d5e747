// A document that changes. A tree is opened only where it is touched: what no patch went through stays a position on
// the tape of the document that it came with, and is printed by copying bytes.
//
//     {"n":1,"results":[{…},{…},{…}]}   after replacing /results/1/title
//
//     tree ─ object, opened ─┬─ "n"        raw
//                            └─ "results"  array, opened ─┬─ raw
//                                                         ├─ object, opened ─ … "title": raw, in the patch's document
//                                                         └─ raw
//
// Trees are values and never change: an edit makes a new tree that shares all else with the old one. So a patch that
// fails half-way has changed nothing, and a snapshot costs nothing.

/// A JSON value, as it came or as edits have made it.
package struct JSONTree {
  /// The value as it came; for an opened container, the container that it was before. Its kind is the tree's kind.
  let origin: JSONValue
  let node: JSONNode?

  /// A tree of which nothing is opened.
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

  /// The value where nothing of it is opened; nil where its text would have to be put together.
  package var untouched: JSONValue? { node == nil ? origin : nil }

  /// The container with its children in slots; nil for a scalar.
  var opened: JSONTree? {
    guard node == nil else { return self }
    guard kind.isContainer else { return nil }
    return JSONTree(origin: origin, node: JSONNode(opening: origin))
  }

  /// How many bytes the value takes as compact text; more by the white space that its untouched parts have.
  package var size: Int { node?.size ?? origin.range.count }

  /// No container in this value is deeper than this many levels, the value itself the first.
  var depthBound: Int { node?.depthBound ?? (kind.isContainer ? origin.document.depth : 0) }

  /// Whether more than `limit` containers are inside one another. Cheap unless the bound is past the limit.
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
    /// The tape position of the name (object) or value (array) that stood here in the container's origin; -1 for one
    /// that was put in. The white space around it is found from there, even when the value was replaced.
    let place: Int
    /// A member that was taken out. It keeps its slot, so that the slots named by the index of names stay right.
    var isRemoved = false
  }

  private(set) var slots: PersistentList<Slot>
  /// See `JSONTree.size`; kept up to date so that a patch that copies and copies is stopped in time.
  let size: Int
  /// See `JSONTree.depthBound`. It grows with what is put in, and does not shrink when that is taken out.
  let depthBound: Int
  /// How many slots are not removed: the container's count.
  let count: Int
  /// Where the members are by the hash of their names; nil in an array and in a small object.
  let index: KeyIndex?

  /// Objects of up to this many members are searched by looking at each.
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

  // A patch can open a path as long as the document is deep. Freeing it must not recurse that far: the opened
  // children that only this node holds are taken out first, and theirs, into a list.
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

  /// What a name stands for in an object.
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
      // More gaps than members: close them up.
      let live = removed.filter { !$0.isRemoved }
      removed = PersistentList(live)
      index = live.count > Self.indexThreshold ? KeyIndex(live) : nil
    }
    return JSONNode(
      slots: removed, size: size - key.range.count - 1, depthBound: depthBound, count: count - 1, index: index)
  }

  private func depthBound(with value: JSONTree) -> Int { max(depthBound, value.depthBound + 1) }
}

/// The members of a wide object, sorted by the hash of their names: finding one costs a binary search, and like all
/// else here the index of an older tree stays valid.
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
