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

  /// - Parameter depth: the number of the token that failed.
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
    return try edit(at: pointer) { (parent, token) throws(PointerError.PointerFailure) in
      try parent.value(token)
    }
  }

  /// Replaces the value at `pointer`, which must exist.
  package mutating func replace(at pointer: JSONPointer, with value: JSONTree) throws(PointerError) -> JSONTree {
    guard !pointer.tokens.isEmpty else {
      defer { self = value }
      return self
    }
    return try edit(at: pointer) { (parent, token) throws(PointerError.PointerFailure) in
      try parent.replace(token, with: value)
    }
  }

  /// Removes the value at `pointer`, which must exist and must not be the whole document.
  package mutating func remove(at pointer: JSONPointer) throws(PointerError) -> JSONTree {
    try edit(at: pointer) { (parent, token) throws(PointerError.PointerFailure) in
      parent.remove(try parent.slot(token))
    }
  }

  /// The same for an array element only.
  /// - Returns: nil for a member, which stays.
  mutating func removeElement(at pointer: JSONPointer) throws(PointerError) -> JSONTree? {
    try edit(at: pointer) { (parent, token) throws(PointerError.PointerFailure) in
      parent.isArray ? parent.remove(try parent.slot(token)) : nil
    }
  }

  /// Puts a value at `pointer` as RFC 6902 §4.1 says: a member is set, an array element inserted, `-` appends.
  /// - Parameter makingParents: whether to create objects for missing parents.
  package mutating func add(
    _ value: JSONTree, at pointer: JSONPointer, makingParents: Bool = false
  ) throws(PointerError) -> Addition {
    guard !pointer.tokens.isEmpty else {
      defer { self = value }
      return Addition(before: self)
    }
    do {
      return try edit(at: pointer) { (parent, token) throws(PointerError.PointerFailure) in
        try Self.add(value, to: parent, token)
      }
    } catch {
      guard makingParents, error.reason == .noMember else { throw error }
      // The first missing parent gets a value that contains all the others.
      let depth = error.parent.tokens.count + 1
      let nested = pointer.tokens.dropFirst(depth).reversed().reduce(value) { JSONTree.object(named: $1, $0) }
      var addition = try add(nested, at: pointer.prefix(depth))
      addition.depth = depth
      return addition
    }
  }

  private static func add(
    _ value: JSONTree, to parent: JSONNode, _ token: ArraySlice<UInt8>
  ) throws(PointerError.PointerFailure) -> Addition {
    if parent.isArray {
      let isDash = token == JSONPointer.dash
      let index = isDash ? parent.count : try parent.index(token, below: parent.count + 1)
      parent.insert(value, at: index)
      return Addition(index: isDash ? index : nil)
    }
    if let slot = try parent.slot(named: token) { return Addition(before: parent.replace(slot, with: value)) }
    parent.append(value, named: name(token))
    return Addition()
  }

  // MARK: The way down and up

  /// Opens the containers down to the parent of what `pointer` names, and copies those that another tree shares. Then
  /// it tells those above what `body` has changed.
  /// - Parameter body: gets the parent and the pointer's last token.
  private mutating func edit<Result>(
    at pointer: JSONPointer,
    _ body: (_ parent: JSONNode, _ token: ArraySlice<UInt8>) throws(PointerError.PointerFailure) -> Result
  ) throws(PointerError) -> Result {
    guard let top = own() else { throw PointerError(.scalar(kind), pointer, 0) }
    var way: [JSONNode] = []
    swap(&way, &top.way)
    defer {
      while way.popLast() != nil {}
      top.way = way
    }
    var node = top
    var tokens = pointer.tokens.makeIterator()
    var token = tokens.next() ?? []
    do throws(PointerError.PointerFailure) {
      while let next = tokens.next() {
        guard let child = try node.ownChild(token) else {
          throw .scalar(try node.value(token).kind)
        }
        way.append(node)
        node = child
        token = next
      }
      let size = node.size
      let result = try body(node, token)
      let growth = node.size - size
      while let container = way.popLast() {
        container.childChanged(by: growth, depthBound: node.depthBound)
        node = container
      }
      return result
    } catch {
      // In a scalar, it is the next token that names nothing.
      let isScalar = if case .scalar = error { true } else { false }
      throw PointerError(error, pointer, way.count + (isScalar ? 1 : 0))
    }
  }

  /// The value that `pointer` names; nil if a container on the way is not open.
  private func openedValue(at pointer: JSONPointer) throws(PointerError) -> JSONTree? {
    var tree = self
    for (depth, token) in pointer.tokens.enumerated() {
      guard let node = tree.node else { return nil }
      do { tree = try node.value(token) } catch { throw PointerError(error, pointer, depth) }
    }
    return tree
  }

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
