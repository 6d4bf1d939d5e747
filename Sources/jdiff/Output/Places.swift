// What the view knows of the containers with changes inside.

import FeedCore

struct Places {
  /// The tape positions, in the old document, of the containers with a hunk of their own, and of those around them.
  let haveHunk: Set<Int>
  /// For each path: the name of the member that identifies the innermost array item around it.
  private let identities: [JSONValue?]

  init(_ differ: Differ) {
    haveHunk = Set((0..<differ.paths.count).map { differ.paths[$0].old })
    var identities: [JSONValue?] = []
    for path in 0..<differ.paths.count {
      let node = differ.paths[path]
      let outside = node.parent == Paths.none ? nil : identities[node.parent]
      identities.append(Self.identity(node, differ) ?? outside)
    }
    self.identities = identities
  }

  func identity(around path: Int) -> JSONValue? { identities[path] }

  private static func identity(_ node: Paths.Node, _ differ: Differ) -> JSONValue? {
    guard case .index = node.token else { return nil }
    return differ.old.identifyingMember(node.old, in: differ.paths[node.parent].old)
  }
}
