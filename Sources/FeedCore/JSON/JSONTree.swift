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
// Trees are values: a copy shares everything with the old tree, and an edit copies first what another tree shares. So a
// patch that fails half-way has changed nothing, and a snapshot costs nothing. What no other tree shares is changed in
// place. So the second operation on a container copies nothing.

/// A JSON value, as read or as edited.
package struct JSONTree {
  /// The value as read; for an opened container, the container before the edits. Its kind is the tree's kind.
  let origin: JSONValue
  private(set) var node: JSONNode?

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

  /// The children in slots that only this tree holds, so that they can be changed in place; nil for a scalar.
  mutating func own() -> JSONNode? {
    if node == nil {
      guard kind.isContainer else { return nil }
      node = JSONNode(opening: origin)
    } else if !isKnownUniquelyReferenced(&node) {
      node = node?.copied()
    }
    return node
  }

  /// Gives the node away, so that its children can be freed without recursion.
  mutating func takeNode() -> JSONNode? {
    defer { node = nil }
    return node
  }

  /// The value's size in bytes as compact text; larger by any white space in its unopened parts.
  package var size: Int { node?.size ?? origin.range.count }

  /// The value as text on one line, without white space.
  package var compactText: [UInt8] {
    var text = ByteWriter()
    JSONWriter.writeCompact(self, to: &text)
    return text.take()
  }

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
    private var slots: SlotList.Iterator?

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
