import FeedCore

/// What the view knows of the containers with changes inside.
struct Places {
  /// The tape positions, in the old document, of the containers with a hunk of their own, and of those around them.
  let haveHunk: Set<Int>
  /// For each path: the names of the members that identify the innermost array item around it.
  private let identities: [[JSONValue]]

  init(_ differ: Differ) {
    haveHunk = Set((0..<differ.paths.count).map { differ.paths[$0].old })
    var identities: [[JSONValue]] = []
    for path in 0..<differ.paths.count {
      let node = differ.paths[path]
      let own = Self.identity(node, differ)
      identities.append(own.isEmpty && node.parent != Paths.none ? identities[node.parent] : own)
    }
    self.identities = identities
  }

  func identity(around path: Int) -> [JSONValue] { identities[path] }

  private static func identity(_ node: Paths.PathNode, _ differ: Differ) -> [JSONValue] {
    guard case .index = node.token else { return [] }
    return differ.old.identifyingMembers(node.old, in: differ.paths[node.parent].old)
  }
}
