// What a diff is made of: changes to be made one after another, and the paths that they speak of.

import FeedCore

/// The last step of a path.
enum Token {
  /// The whole document: there is no step.
  case root
  /// The tape position of a member's name in the old or the new document.
  case oldName(Int)
  case newName(Int)
  /// Of an element at the time of the change.
  case index(Int)
}

struct Change {
  enum Kind {
    case add, remove, replace, move
  }

  let kind: Kind
  /// The container that is changed, in `Paths`.
  let parent: Int
  let token: Token
  /// With `move`: the index of the element before.
  var from = 0
  /// The tape positions of the value in the old and in the new document; -1 where it is in one only.
  let old: Int
  let new: Int
  /// Where the element is in the old and in the new array, whatever else changes.
  var oldIndex = 0
  var newIndex = 0
}

/// The containers on the way to the changes, each with the one that it is in.
struct Paths {
  struct Node {
    let parent: Int
    let token: Token
    /// For an element: its index in the old array.
    let oldIndex: Int
    /// How many bytes the pointer has in a JSON string.
    let length: Int
    let old: Int
    let new: Int
  }

  /// The parent of the whole document, which stands for no container.
  static let none = -1

  private(set) var nodes: [Node] = []

  subscript(id: Int) -> Node { nodes[id] }

  var count: Int { nodes.count }

  mutating func add(_ node: Node) -> Int {
    nodes.append(node)
    return nodes.count - 1
  }

  mutating func removeAll(from id: Int) { nodes.removeLast(nodes.count - id) }

  /// The nodes from the outermost to `id`.
  func way(to id: Int) -> [Node] {
    var way: [Node] = []
    var next = id
    while next != Self.none {
      way.append(nodes[next])
      next = nodes[next].parent
    }
    return way.reversed()
  }
}
