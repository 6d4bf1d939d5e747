// Edits of a tree by pointer: the six operations of RFC 6902 are built on these. Each returns a new tree, or an error
// with the token that failed; the original tree never changes.

/// Why a pointer names nothing in a tree.
package struct PointerError: Error, Equatable, Sendable {
  enum Reason: Equatable, Sendable {
    case noMember
    case noElement(count: Int)
    case notAnIndex
    case dash
    case scalar(JSONKind)
    case duplicate
  }

  let reason: Reason
  /// The token that failed, and the path before it.
  let token: [UInt8]
  let parent: JSONPointer

  /// Whether the pointer only names a value that is absent, but could exist.
  package var isAbsence: Bool {
    switch reason {
    case .noMember, .noElement: true
    default: false
    }
  }

  /// `no member 'titel' at /results/12`
  package var message: String {
    let at = parent.tokens.isEmpty ? "at the top" : "at \(parent.shown)"
    let name = "'\(shortened(token))'"
    return switch reason {
    case .noMember: "no member \(name) \(at)"
    case .noElement(let count): "no element \(shortened(token)) \(at), which has \(count)"
    case .notAnIndex: "\(name) is not an array index \(at)"
    case .dash: "'-' names no element \(at)"
    case .scalar(let kind): "no member \(name) \(at), which is \(kind.name)"
    case .duplicate: "member \(name) occurs more than once \(at)"
    }
  }
}

extension JSONTree {
  /// The opened containers from the top down to the target's parent, with the slot taken in each.
  private typealias Way = [(container: JSONTree, node: JSONNode, slot: Int)]

  /// What `set` or `insert` replaced.
  package enum Before {
    case nothing
    case value(JSONTree)
  }

  /// The value that `pointer` names.
  ///
  /// The containers on the way are opened and stay open in this tree. So looking up a thousand elements of a long array
  /// does not read its tape a thousand times.
  package mutating func value(at pointer: JSONPointer) throws(PointerError) -> JSONTree {
    guard !pointer.tokens.isEmpty else { return self }
    let (way, opened) = try way(to: pointer)
    let last = way[way.count - 1]
    let value = last.node.slots[last.slot].value
    if opened { self = Self.rebuilt(way, last.node) }
    return value
  }

  /// Replaces the value at `pointer`, which must exist.
  package mutating func replace(at pointer: JSONPointer, with value: JSONTree) throws(PointerError) -> JSONTree {
    guard !pointer.tokens.isEmpty else {
      defer { self = value }
      return self
    }
    let (way, _) = try way(to: pointer)
    let last = way[way.count - 1]
    self = Self.rebuilt(way, last.node.replacing(last.slot, with: value))
    return last.node.slots[last.slot].value
  }

  /// Removes the value at `pointer`, which must exist and must not be the whole document.
  package mutating func remove(at pointer: JSONPointer) throws(PointerError) -> JSONTree {
    let (way, _) = try way(to: pointer)
    let last = way[way.count - 1]
    self = Self.rebuilt(way, last.node.removing(last.slot))
    return last.node.slots[last.slot].value
  }

  /// Puts a value at `pointer` as RFC 6902 §4.1 says: a member is set, an array element inserted, `-` appends.
  /// - Parameter makingParents: whether to create objects for missing parents.
  /// - Returns: the former value of the member or document, and the pointer with `-` replaced by the index.
  package mutating func add(
    _ value: JSONTree, at pointer: JSONPointer, makingParents: Bool = false
  ) throws(PointerError) -> (before: Before, at: JSONPointer) {
    guard let token = pointer.tokens.last else {
      defer { self = value }
      return (.value(self), pointer)
    }
    let parent = JSONPointer(tokens: Array(pointer.tokens.dropLast()))
    var container: JSONTree
    do { container = try self.value(at: parent) } catch {
      guard makingParents, error.reason == .noMember else { throw error }
      // The first missing parent gets a value that contains all the others.
      let depth = error.parent.tokens.count + 1
      let missing = JSONPointer(tokens: Array(pointer.tokens.prefix(depth)))
      let nested = pointer.tokens[depth...].reversed().reduce(value) { JSONTree.object(named: $1, $0) }
      return (try add(nested, at: missing).before, missing)
    }
    guard let opened = container.opened, let node = opened.node else {
      throw PointerError(reason: .scalar(container.kind), token: token, parent: parent)
    }

    var before = Before.nothing
    var place = pointer
    let changed: JSONNode
    if container.kind == .array {
      let index = try Self.insertionIndex(token, in: node, parent)
      place.tokens[place.tokens.count - 1] = Array(String(index).utf8)
      changed = node.inserting(value, at: index)
    } else {
      switch node.slot(named: token) {
      case .slot(let slot):
        before = .value(node.slots[slot].value)
        changed = node.replacing(slot, with: value)
      case .nothing: changed = node.appending(value, named: JSONTree.name(token))
      case .duplicate: throw PointerError(reason: .duplicate, token: token, parent: parent)
      }
    }
    container = JSONTree(origin: opened.origin, node: changed)
    _ = try replace(at: parent, with: container)
    return (before, place)
  }

  // MARK: The way down and up

  /// Opens every container down to the target's parent.
  /// - Returns: the way, and whether any of the containers had to be opened.
  private func way(to pointer: JSONPointer) throws(PointerError) -> (Way, opened: Bool) {
    var way: Way = []
    way.reserveCapacity(pointer.tokens.count)
    var tree = self
    var opened = false
    for (depth, token) in pointer.tokens.enumerated() {
      if tree.node == nil { opened = true }
      let parent = { JSONPointer(tokens: Array(pointer.tokens.prefix(depth))) }
      guard let container = tree.opened, let node = container.node else {
        throw PointerError(reason: .scalar(tree.kind), token: token, parent: parent())
      }
      let slot: Int
      if container.kind == .array {
        guard let index = JSONPointer.index(token) else {
          throw PointerError(reason: token == Self.dash ? .dash : .notAnIndex, token: token, parent: parent())
        }
        guard index < node.count else {
          throw PointerError(reason: .noElement(count: node.count), token: token, parent: parent())
        }
        slot = index
      } else {
        switch node.slot(named: token) {
        case .slot(let found): slot = found
        case .nothing: throw PointerError(reason: .noMember, token: token, parent: parent())
        case .duplicate: throw PointerError(reason: .duplicate, token: token, parent: parent())
        }
      }
      way.append((container, node, slot))
      tree = node.slots[slot].value
    }
    return (way, opened)
  }

  /// The tree with `node` in place of the last container of `way`.
  private static func rebuilt(_ way: Way, _ node: JSONNode) -> JSONTree {
    var tree = JSONTree(origin: way[way.count - 1].container.origin, node: node)
    for step in way.dropLast().reversed() {
      tree = JSONTree(origin: step.container.origin, node: step.node.replacing(step.slot, with: tree))
    }
    return tree
  }

  private static func insertionIndex(
    _ token: [UInt8], in node: JSONNode, _ parent: JSONPointer
  ) throws(PointerError) -> Int {
    if token == dash { return node.count }
    guard let index = JSONPointer.index(token) else {
      throw PointerError(reason: .notAnIndex, token: token, parent: parent)
    }
    guard index <= node.count else {
      throw PointerError(reason: .noElement(count: node.count), token: token, parent: parent)
    }
    return index
  }

  private static let dash = [UInt8(ascii: "-")]

  // MARK: Making values

  /// A string value for a member's name.
  static func name(_ bytes: [UInt8]) -> JSONValue {
    var writer = ByteWriter()
    JSONString.write(bytes.span, to: &writer)
    let isEscaped = writer.count != bytes.count + 2
    return JSONDocument(string: writer.take(), isEscaped: isEscaped).root
  }

  private static func object(named name: [UInt8], _ value: JSONTree) -> JSONTree {
    let empty = JSONTree.emptyObject
    guard let node = empty.opened?.node else { return empty }
    return JSONTree(origin: empty.origin, node: node.appending(value, named: Self.name(name)))
  }
}
