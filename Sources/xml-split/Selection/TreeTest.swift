import FeedCore

/// The names and conditions of a path, tested on a complete element.
struct TreeTest {
  /// What is in scope in the innermost element that was entered.
  private var namespaces: Namespaces
  private let usesNamespaces: Bool
  private var depth: Int
  /// The nodes that are text; nil until they are needed. Without them, empty elements inside one another would be
  /// searched again and again for text.
  private var texts: [Int]?
  /// The last node that is a long text.
  private var lastLong: (text: Int, decoded: [UInt8])?

  init(_ tree: borrowing ElementTree, _ path: XMLPath) {
    usesNamespaces = path.usesNamespaces
    namespaces = usesNamespaces ? tree.namespaces : Namespaces()
    // Only the order of depths matters.
    depth = namespaces.declarations.last?.depth ?? 0
  }

  mutating func enter(_ node: Int, _ tree: borrowing ElementTree) {
    guard usesNamespaces else { return }
    depth += 1
    namespaces.enter(tree, node, depth: depth)
  }

  mutating func leave() {
    guard usesNamespaces else { return }
    depth -= 1
    namespaces.leave(to: depth)
  }

  // MARK: Steps

  /// Whether a step matches an element, which was entered.
  /// - Parameters:
  ///   - end: that of the element around it.
  ///   - matcher: counts the element.
  mutating func matches(
    _ step: borrowing XMLPath.LocationStep, _ node: Int, before end: Int, _ tree: borrowing ElementTree,
    _ matcher: inout PathMatcher
  ) -> Bool {
    guard let name = tree.nodes[node].name, matches(step.name, name, tree) else { return false }
    for (index, predicate) in step.predicates.enumerated() {
      switch predicate {
      case .number(let number, let counter): if matcher.count(counter) != number { return false }
      case .last: if isFollowed(step, index, node, before: end, tree) { return false }
      case .condition(let condition): if !holds(condition, node, tree) { return false }
      }
    }
    return true
  }

  /// Whether a later sibling matches the name of a step and its first `count` predicates.
  private mutating func isFollowed(
    _ step: borrowing XMLPath.LocationStep, _ count: Int, _ node: Int, before end: Int, _ tree: borrowing ElementTree
  ) -> Bool {
    leave()
    defer { enter(node, tree) }
    var sibling = tree.nodes[node].end
    while sibling < end {
      if let name = tree.nodes[sibling].name {
        enter(sibling, tree)
        defer { leave() }
        if matches(step.name, name, tree), holdsAll(step.predicates[..<count], sibling, tree) { return true }
      }
      sibling = tree.nodes[sibling].end
    }
    return false
  }

  /// Whether predicates hold for an element that follows one for which they hold. A number and `last()` hold for only one
  /// of them.
  private mutating func holdsAll(
    _ predicates: ArraySlice<XMLPath.Predicate>, _ node: Int, _ tree: borrowing ElementTree
  ) -> Bool {
    for predicate in predicates {
      guard case .condition(let condition) = predicate, holds(condition, node, tree) else { return false }
    }
    return true
  }

  /// Whether the late conditions of a step hold in an element, which was entered.
  mutating func holdsLate(_ step: borrowing XMLPath.LocationStep, _ node: Int, _ tree: borrowing ElementTree) -> Bool {
    for case .condition(let condition) in step.predicates
    where !condition.isEarly && !holds(condition, node, tree) { return false }
    return true
  }

  private mutating func holds(_ condition: XMLPath.StepCondition, _ node: Int, _ tree: borrowing ElementTree) -> Bool {
    hasValue(condition, condition.children[...], node, tree) != condition.isNegated
  }

  /// Whether a value of an element passes the test. Every node is visited at most once for each name of `children`.
  private mutating func hasValue(
    _ condition: XMLPath.StepCondition, _ children: ArraySlice<XMLPath.Name>, _ node: Int, _ tree: borrowing ElementTree
  ) -> Bool {
    guard let wanted = children.first else { return passes(condition.test, condition.value, node, tree) }
    var child = node + 1
    while child < tree.nodes[node].end {
      if let name = tree.nodes[child].name {
        enter(child, tree)
        defer { leave() }
        if matches(wanted, name, tree), hasValue(condition, children.dropFirst(), child, tree) { return true }
      }
      child = tree.nodes[child].end
    }
    return false
  }

  // MARK: Values

  private mutating func passes(
    _ test: XMLPath.StepCondition.Test, _ value: XMLPath.StepCondition.TestedValue, _ node: Int,
    _ tree: borrowing ElementTree
  ) -> Bool {
    switch value {
    case .text:
      switch test {
      case .exists: return true
      case .equals(let wanted): return isText(wanted, of: node, tree)
      case .differs(let other): return !isText(other, of: node, tree)
      }
    case .ownText:
      var child = node + 1
      while child < tree.nodes[node].end {
        if !tree.nodes[child].isElement, test.passes({ tree.text(of: child) }) { return true }
        child = tree.nodes[child].end
      }
    case .attribute(let wanted):
      for index in tree.nodes[node].attributes
      where matches(wanted, tree.attributes[index].name, tree, isAttribute: true) {
        if test.passes({ tree.value(of: index) }) { return true }
      }
    }
    return false
  }

  /// Whether this is all text in an element.
  private mutating func isText(_ wanted: [UInt8], of node: Int, _ tree: borrowing ElementTree) -> Bool {
    var rest = wanted[...]
    var next = node + 1
    while let text = firstText(from: next, to: tree.nodes[node].end, tree) {
      let piece = decoded(text, tree, isLong: tree.nodes[text].place.count > rest.count)
      guard rest.starts(with: piece) else { return false }
      rest = rest.dropFirst(piece.count)
      next = text + 1
    }
    return rest.isEmpty
  }

  /// The text of a node that is text. A long one usually decides a comparison, for each of the elements around it.
  private mutating func decoded(_ text: Int, _ tree: borrowing ElementTree, isLong: Bool) -> [UInt8] {
    if let lastLong, lastLong.text == text { return lastLong.decoded }
    let decoded = tree.text(of: text)
    if isLong { lastLong = (text, decoded) }
    return decoded
  }

  private mutating func firstText(from start: Int, to end: Int, _ tree: borrowing ElementTree) -> Int? {
    guard start < end else { return nil }
    if !tree.nodes[start].isElement { return start }
    let texts = texts ?? tree.nodes.indices.filter { !tree.nodes[$0].isElement }
    self.texts = texts
    var places = texts.indices
    while !places.isEmpty {
      let middle = places.lowerBound + places.count / 2
      places = texts[middle] < start ? (middle + 1)..<places.upperBound : places.lowerBound..<middle
    }
    return places.lowerBound < texts.count && texts[places.lowerBound] < end ? texts[places.lowerBound] : nil
  }

  // MARK: Names

  /// Whether a name is the wanted one. A prefix that is not declared is in no namespace.
  func matches(
    _ wanted: XMLPath.Name, _ name: Range<Int>, _ tree: borrowing ElementTree, isAttribute: Bool = false
  ) -> Bool {
    wanted.matches(tree.bytes.span, name, namespaces, isAttribute: isAttribute) == true
  }
}
