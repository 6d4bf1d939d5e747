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
// snapshot costs nothing. What no other tree shares is changed in place. So the second operation on a container copies
// nothing.

/// A JSON value, as read or as edited.
package struct JSONTree: Sendable {
  /// The value as read; for an opened container, the container before the edits. Its kind is the tree's kind.
  let origin: JSONValue
  private(set) var node: JSONNode?

  init(origin: JSONValue, node: JSONNode?) {
    self.origin = origin
    self.node = node
  }

  /// A tree in which nothing is opened.
  package init(_ value: JSONValue) { self.init(origin: value, node: nil) }

  /// `{}`, to put members into.
  package static let emptyObject = JSONTree(JSONDocument(known: Array("{}".utf8)).root)

  /// Edits inside do not change it.
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

  /// Iterates over raw children on the tape or over opened slots.
  struct Children: Sequence, IteratorProtocol {
    private var raw: JSONChildren
    private var slots: SlotList.Iterator?

    init(of tree: JSONTree) {
      raw = JSONChildren(of: tree.origin)
      slots = tree.node?.slots.makeIterator()
    }

    mutating func next() -> (key: JSONValue?, value: JSONTree)? {
      guard slots != nil else { return raw.next().map { ($0.key, JSONTree($0.value)) } }
      return slots?.next().map { ($0.key, $0.value) }
    }
  }
}

// When two values are equal: numbers by exact value, strings by code points, arrays by order, objects by members in any
// order (RFC 6902 §4.6). An object with two members of one name equals only one with the same members in the same
// order. A list of pairs to compare replaces recursion.
extension JSONTree {
  /// RFC 6902 §4.6. It takes time and memory in proportion to the smaller tree, at any depth.
  package static func equal(_ left: JSONTree, _ right: JSONTree) -> Bool {
    if let a = left.untouched, let b = right.untouched, a.hasSameText(as: b) { return true }
    var pending = [(left, right)]
    while let (a, b) = pending.popLast() {
      let isSame =
        switch (a.kind, b.kind) {
        case (.array, .array): pairElements(a, b, &pending)
        case (.object, .object): pairMembers(a, b, &pending)
        default: scalarsAreEqual(a.origin, b.origin)
        }
      if !isSame { return false }
    }
    return true
  }

  /// Whether two scalars are equal; false if one is a container.
  static func scalarsAreEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left.kind, right.kind) {
    case (.number, .number): JSONNumber.equal(left, right)
    case let (x, y) where x.isString && y.isString: JSONString.equal(left, right)
    case let (x, y): x == y && !x.isContainer
    }
  }

  /// - Returns: false if the lengths differ.
  private static func pairElements(_ a: JSONTree, _ b: JSONTree, _ pending: inout [(JSONTree, JSONTree)]) -> Bool {
    var others = b.children
    for (_, element) in a.children {
      guard let other = others.next() else { return false }
      pending.append((element, other.value))
    }
    return others.next() == nil
  }

  /// - Returns: false if the names differ.
  private static func pairMembers(_ a: JSONTree, _ b: JSONTree, _ pending: inout [(JSONTree, JSONTree)]) -> Bool {
    let start = pending.count
    var others = b.children
    var sameOrder = true
    for (key, value) in a.children {
      guard let other = others.next() else { return false }
      guard let key, let otherKey = other.key, JSONString.equal(key, otherKey) else {
        sameOrder = false
        break
      }
      pending.append((value, other.value))
    }
    if sameOrder { return others.next() == nil }

    pending.removeLast(pending.count - start)
    var members: [[UInt8]: JSONTree] = [:]
    var count = 0
    for (key, value) in b.children {
      guard let key, members.updateValue(value, forKey: JSONString.decoded(key)) == nil else { return false }
      count += 1
    }
    for (key, value) in a.children {
      guard let key, let other = members.removeValue(forKey: JSONString.decoded(key)) else { return false }
      pending.append((value, other))
      count -= 1
    }
    return count == 0
  }
}
