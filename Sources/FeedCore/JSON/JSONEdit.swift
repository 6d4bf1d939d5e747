// Edits of a tree by pointer: the six operations of RFC 6902 are built on these. An error names the token that failed,
// and leaves the tree as it was.

/// Why a pointer names nothing in a tree.
package struct PointerError: Error, Equatable, Sendable {
  /// What was wrong with the token, or with the container that it was looked up in.
  enum PointerFailure: Error, Equatable, Sendable {
    case noMember
    case noElement(count: Int)
    case notAnIndex
    case dash
    case scalar(JSONKind)
    case duplicate
  }

  let reason: PointerFailure
  /// The token that failed, and the path before it.
  let token: ArraySlice<UInt8>
  let parent: JSONPointer

  /// - Parameter depth: of the token that failed.
  init(_ reason: PointerFailure, _ pointer: JSONPointer, _ depth: Int) {
    self.reason = reason
    token = pointer.tokens[depth]
    parent = pointer.prefix(depth)
  }

  /// Whether the pointer only names a value that is absent, but could exist.
  package var isAbsence: Bool {
    switch reason {
    case .noMember, .noElement: true
    case .notAnIndex, .dash, .scalar, .duplicate: false
    }
  }

  /// `no member 'titel' at /results/12`
  package var message: String {
    let at = parent.tokens.isEmpty ? "at the top" : "at \(parent.shown)"
    let name = "'\(shortened(Array(token)))'"
    return switch reason {
    case .noMember: "no member \(name) \(at)"
    case .noElement(let count): "no element \(shortened(Array(token))) \(at), which has \(count)"
    case .notAnIndex: "\(name) is not an array index \(at)"
    case .dash: "'-' names no element \(at)"
    case .scalar(let kind): "no member \(name) \(at), which is \(kind.name)"
    case .duplicate: "member \(name) occurs more than once \(at)"
    }
  }
}

extension JSONTree {
  /// What `add` did besides what its pointer says.
  package struct Addition {
    /// The value that it replaced; nil for none.
    package var before: JSONTree?
    /// The index that `-` stood for.
    fileprivate var index: Int?
    /// How many tokens lead to the first parent that was created.
    fileprivate var depth: Int?

    /// The pointer to what was added, given the pointer to the value.
    package func place(_ pointer: JSONPointer) -> JSONPointer {
      if let depth { return pointer.prefix(depth) }
      guard let index else { return pointer }
      return pointer.prefix(pointer.tokens.count - 1).appending(String(index).utf8)
    }
  }

  /// The value that `pointer` names.
  ///
  /// The containers on the way are opened and stay open in this tree. So looking up a thousand elements of a long array
  /// does not read its tape a thousand times.
  package mutating func value(at pointer: JSONPointer) throws(PointerError) -> JSONTree {
    if let value = try openedValue(at: pointer) { return value }
    let parent = try ownParent(of: pointer).node
    return parent.slots[try Self.slot(pointer, pointer.tokens.count - 1, in: parent)].value
  }

  /// Replaces the value at `pointer`, which must exist.
  package mutating func replace(at pointer: JSONPointer, with value: JSONTree) throws(PointerError) -> JSONTree {
    guard !pointer.tokens.isEmpty else {
      defer { self = value }
      return self
    }
    let parent = try ownParent(of: pointer)
    let slot = try Self.slot(pointer, pointer.tokens.count - 1, in: parent.node)
    defer { parent.passUp() }
    return parent.node.replace(slot, with: value)
  }

  /// Removes the value at `pointer`, which must exist and must not be the whole document.
  package mutating func remove(at pointer: JSONPointer) throws(PointerError) -> JSONTree {
    let parent = try ownParent(of: pointer)
    let slot = try Self.slot(pointer, pointer.tokens.count - 1, in: parent.node)
    defer { parent.passUp() }
    return parent.node.remove(slot)
  }

  /// Puts a value at `pointer` as RFC 6902 §4.1 says: a member is set, an array element inserted, `-` appends.
  /// - Parameter makingParents: whether to create objects for missing parents.
  package mutating func add(
    _ value: JSONTree, at pointer: JSONPointer, makingParents: Bool = false
  ) throws(PointerError) -> Addition {
    guard let token = pointer.tokens.last else {
      defer { self = value }
      return Addition(before: self)
    }
    let parent: OwnContainer
    do { parent = try ownParent(of: pointer) } catch {
      guard makingParents, error.reason == .noMember else { throw error }
      // The first missing parent gets a value that contains all the others.
      let depth = error.parent.tokens.count + 1
      let nested = pointer.tokens[depth...].reversed().reduce(value) { JSONTree.object(named: $1, $0) }
      var addition = try add(nested, at: pointer.prefix(depth))
      addition.depth = depth
      return addition
    }

    var addition = Addition()
    defer { parent.passUp() }
    if parent.node.isArray {
      let index = try Self.insertionIndex(pointer, in: parent.node)
      if token == Self.dash { addition.index = index }
      parent.node.insert(value, at: index)
    } else {
      if let slot = try Self.slot(named: pointer, pointer.tokens.count - 1, in: parent.node) {
        addition.before = parent.node.replace(slot, with: value)
      } else {
        parent.node.append(value, named: JSONTree.name(token))
      }
    }
    return addition
  }

  // MARK: The way down and up

  /// A container in a tree, and those above it from the top down. The tree alone holds them, so they can be changed.
  private struct OwnContainer {
    let node: JSONNode
    let above: [JSONNode]
    /// The size before the change.
    let size: Int

    /// Tells the containers above what has changed.
    func passUp() {
      var child = node
      for container in above.reversed() {
        container.childChanged(by: node.size - size, depthBound: child.depthBound)
        child = container
      }
    }
  }

  /// Opens the containers down to the parent of what `pointer` names, and copies those that another tree shares.
  private mutating func ownParent(of pointer: JSONPointer) throws(PointerError) -> OwnContainer {
    guard var node = own() else { throw PointerError(.scalar(kind), pointer, 0) }
    var above: [JSONNode] = []
    for depth in 0..<(pointer.tokens.count - 1) {
      let slot = try Self.slot(pointer, depth, in: node)
      guard let child = node.ownChild(in: slot) else {
        throw PointerError(.scalar(node.slots[slot].value.kind), pointer, depth + 1)
      }
      above.append(node)
      node = child
    }
    return OwnContainer(node: node, above: above, size: node.size)
  }

  /// The value that `pointer` names; nil if a container on the way is not open.
  private func openedValue(at pointer: JSONPointer) throws(PointerError) -> JSONTree? {
    var tree = self
    for depth in pointer.tokens.indices {
      guard let node = tree.node else { return nil }
      tree = node.slots[try Self.slot(pointer, depth, in: node)].value
    }
    return tree
  }

  /// The slot of the child that a token of a pointer names.
  private static func slot(_ pointer: JSONPointer, _ depth: Int, in node: JSONNode) throws(PointerError) -> Int {
    let token = pointer.tokens[depth]
    guard node.isArray else {
      if let slot = try slot(named: pointer, depth, in: node) { return slot }
      throw PointerError(.noMember, pointer, depth)
    }
    if token == dash { throw PointerError(.dash, pointer, depth) }
    return try index(pointer, depth, in: node, below: node.count)
  }

  private static func slot(
    named pointer: JSONPointer, _ depth: Int, in node: JSONNode
  ) throws(PointerError) -> Int? {
    do { return try node.slot(named: pointer.tokens[depth]) } catch { throw PointerError(error, pointer, depth) }
  }

  /// Where `add` inserts (RFC 6902 §4.1): at most one after the last element, which `-` names too.
  private static func insertionIndex(_ pointer: JSONPointer, in node: JSONNode) throws(PointerError) -> Int {
    let depth = pointer.tokens.count - 1
    return pointer.tokens[depth] == dash ? node.count : try index(pointer, depth, in: node, below: node.count + 1)
  }

  private static func index(
    _ pointer: JSONPointer, _ depth: Int, in node: JSONNode, below end: Int
  ) throws(PointerError) -> Int {
    guard let index = JSONPointer.index(pointer.tokens[depth]) else { throw PointerError(.notAnIndex, pointer, depth) }
    guard index < end else { throw PointerError(.noElement(count: node.count), pointer, depth) }
    return index
  }

  private static let dash: ArraySlice = [UInt8(ascii: "-")]

  // MARK: Making values

  /// A string value for a member's name.
  static func name(_ bytes: ArraySlice<UInt8>) -> JSONValue {
    var writer = ByteWriter(expecting: bytes.count + 2)
    JSONString.write(bytes.span, to: &writer)
    let isEscaped = writer.count != bytes.count + 2
    return JSONDocument(string: writer.take(), isEscaped: isEscaped).root
  }

  /// An object with one member, for a parent that `add` has to make.
  private static func object(named name: ArraySlice<UInt8>, _ value: JSONTree) -> JSONTree {
    var object = JSONTree.emptyObject
    object.own()?.append(value, named: Self.name(name))
    return object
  }
}
