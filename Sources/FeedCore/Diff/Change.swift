// The parts of a diff: changes to make one after another, and their paths.

/// The last step of a path.
package enum ReferenceToken {
  /// The whole document, which has no last step.
  case root
  /// The tape position of a member's name in the old or the new document.
  case oldName(Int)
  case newName(Int)
  /// The index of an element at the time of the change.
  case index(Int)
}

/// One step from the old document to the new one, in terms of RFC 6902.
package struct Change {
  /// The operation.
  package enum Kind {
    case add, remove, replace, move
  }

  package let kind: Kind
  /// The changed container, as an index of `Paths`.
  package let parent: Int
  package let token: ReferenceToken
  /// For a `move`: the element's index before it.
  package var from = 0
  /// The tape positions of the value in the old and the new document; -1 if it is only in one of them.
  package let old: Int
  package let new: Int
  /// The element's index in the old and the new array, regardless of other changes.
  package var oldIndex = 0
  package var newIndex = 0
}

/// The containers on the way to the changes, each with its parent.
package struct Paths {
  /// A container on the way, and the step to it.
  package struct PathNode {
    package let parent: Int
    package let token: ReferenceToken
    /// For an element: its index in the old array.
    package let oldIndex: Int
    /// The length of the pointer in a JSON string, in bytes.
    let length: Int
    package let old: Int
    package let new: Int
  }

  /// The parent of the whole document; not a container.
  package static let none = -1

  private(set) var nodes: [PathNode] = []

  package subscript(id: Int) -> PathNode { nodes[id] }

  package var count: Int { nodes.count }

  mutating func add(_ node: PathNode) -> Int {
    nodes.append(node)
    return nodes.count - 1
  }

  mutating func removeAll(from id: Int) { nodes.removeLast(nodes.count - id) }

  /// The nodes from the outermost to `id`.
  func way(to id: Int) -> [PathNode] {
    var way: [PathNode] = []
    var next = id
    while next != Self.none {
      way.append(nodes[next])
      next = nodes[next].parent
    }
    return way.reversed()
  }
}
