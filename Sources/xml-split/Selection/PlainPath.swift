import FeedCore

/// A path of names only, such as `user/name` or `user/@id`. It needs no memory to be followed.
struct PlainPath {
  /// Those of the elements, one inside another.
  private let elements: [[UInt8]]
  private let attribute: [UInt8]?

  /// - Returns: nil for a path with conditions, namespaces, several ways or any number of elements.
  init?(_ path: XMLPath) {
    guard path.last.nonzeroBitCount == 1, path.deep == 0, path.itself == 0 || path.steps.count == 1 else { return nil }
    var elements: [[UInt8]] = []
    var attribute: [UInt8]?
    for step in path.steps {
      guard step.predicates.isEmpty else { return nil }
      switch step.attribute {
      case nil: break
      case .written(let name): attribute = name
      case .any, .anyWithPrefix, .inNamespace: return nil
      }
      // The only step stands for the element itself.
      if path.itself != 0 { continue }
      guard case .written(let name) = step.name else { return nil }
      elements.append(name)
    }
    self.elements = elements
    self.attribute = attribute
  }

  /// As `Field.forEachMatch`.
  /// - Returns: whether `body` wants to continue.
  func forEachMatch(in tree: borrowing ElementTree, _ body: (Field.Match) -> Bool) -> Bool {
    follow(0, from: 0, tree, body)
  }

  /// - Parameter step: the number of the next name.
  private func follow(
    _ step: Int, from node: Int, _ tree: borrowing ElementTree, _ body: (Field.Match) -> Bool
  ) -> Bool {
    if step == elements.count { return give(node, tree, body) }
    let end = tree.nodes[node].end
    var child = node + 1
    while child < end {
      if tree.nodes[child].isElement, tree.isNamed(tree.nodes[child].place, elements[step]),
        !follow(step + 1, from: child, tree, body)
      {
        return false
      }
      child = tree.nodes[child].end
    }
    return true
  }

  private func give(_ node: Int, _ tree: borrowing ElementTree, _ body: (Field.Match) -> Bool) -> Bool {
    guard let attribute else { return body(.element(node)) }
    for index in tree.nodes[node].attributes where tree.isNamed(tree.attributes[index].name, attribute) {
      return body(.attribute(index))
    }
    return true
  }
}
