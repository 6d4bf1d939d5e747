// What the view knows of the containers with changes inside.

import FeedCore

struct Places {
  /// The tape positions, in the old document, of the containers with a hunk of their own, and of those around them.
  let haveHunk: Set<Int>
  /// For each path: the tape position of the name that identifies the innermost array item around it; -1 if nothing does.
  private let identities: [Int]

  init(_ differ: Differ) {
    haveHunk = Set((0..<differ.paths.count).map { differ.paths[$0].old })
    var identities: [Int] = []
    for path in 0..<differ.paths.count {
      let node = differ.paths[path]
      let outside = node.parent == Paths.none ? -1 : identities[node.parent]
      identities.append(Self.identity(node, differ) ?? outside)
    }
    self.identities = identities
  }

  func identity(around path: Int) -> Int? { identities[path] < 0 ? nil : identities[path] }

  /// The name of the member that identifies a container, if it is an array item.
  private static func identity(_ node: Paths.Node, _ differ: Differ) -> Int? {
    guard case .index = node.token else { return nil }
    guard let name = differ.old.identity(differ.paths[node.parent].old) else {
      return differ.old.identifyingMember(node.old)
    }
    return differ.old.value(node.old).member(name).map { $0.position - 1 }
  }
}
