import FeedCore

/// A value inside an element. --fields, --having, --id-from and --files name it by a path from the element.
///
/// One object, because it is used for each element.
final class Field: Sendable {
  /// What a path leads to.
  enum Match {
    /// A node of the tree.
    case element(Int)
    /// An attribute of the tree.
    case attribute(Int)
  }

  /// As typed.
  let text: [UInt8]
  private let path: XMLPath
  /// The names of most paths, such as `user/name` or `user/@id`; nil for any other.
  private let names: PlainPath?

  /// - Parameter text: `.`, `a/b`, `//b`, `@c`, `a/@c` or several with `|` between them.
  convenience init(_ text: [UInt8]) throws(OptionRefusal) { self.init(text, try XMLPath(inside: text)) }

  private init(_ text: [UInt8], _ path: XMLPath) {
    (self.text, self.path) = (text, path)
    names = PlainPath(path)
  }

  /// The same field, with the namespaces that some prefixes stand for.
  func resolved(_ namespaces: [[UInt8]: [UInt8]]) -> Field { Field(text, path.resolved(namespaces)) }

  /// The columns of a list, separated by commas.
  static func list(_ text: [UInt8]) throws(OptionRefusal) -> [Column] {
    var columns: [Column] = []
    var rest = text[...]
    while let comma = end(rest, at: UInt8(ascii: ",")) {
      columns.append(try Column(Array(rest[..<comma])))
      rest = rest[(comma + 1)...]
    }
    return columns + [try Column(Array(rest))]
  }

  /// The index of a byte outside quotes and the braces of a namespace.
  static func end(_ text: ArraySlice<UInt8>, at byte: UInt8) -> Int? {
    // The byte that ends what the index is in.
    var closing: UInt8?
    for index in text.indices {
      if let open = closing {
        if text[index] == open { closing = nil }
        continue
      }
      switch text[index] {
      case byte: return index
      case UInt8(ascii: "'"), UInt8(ascii: "\""): closing = text[index]
      case UInt8(ascii: "{"): closing = UInt8(ascii: "}")
      default: break
      }
    }
    return nil
  }

  // MARK: Matches

  /// - Returns: nil if there is none.
  func firstMatch(in tree: borrowing ElementTree) -> Match? {
    var first: Match?
    forEachMatch(in: tree) {
      first = $0
      return false
    }
    return first
  }

  /// The text of the first match; nil if there is none.
  func value(in tree: borrowing ElementTree) -> [UInt8]? {
    guard let match = firstMatch(in: tree) else { return nil }
    return Self.value(of: match, tree)
  }

  func hasMatch(in tree: borrowing ElementTree) -> Bool { firstMatch(in: tree) != nil }

  /// The text of an element, or the value of an attribute.
  static func value(of match: Match, _ tree: borrowing ElementTree) -> [UInt8] {
    var value: [UInt8] = []
    append(match, tree, to: &value)
    return value
  }

  static func append(_ match: Match, _ tree: borrowing ElementTree, to value: inout [UInt8]) {
    switch match {
    case .element(let node): tree.appendText(of: node, to: &value)
    case .attribute(let index): tree.appendValue(of: index, to: &value)
    }
  }

  /// Finds all matches in document order, each once. The attributes of an element follow it.
  /// - Parameter body: takes a match, and returns whether to continue.
  func forEachMatch(in tree: borrowing ElementTree, _ body: (Match) -> Bool) {
    if let names { return _ = names.forEachMatch(in: tree, body) }
    var test = TreeTest(tree, path)
    if path.itself != 0, !give(path.itself, 0, tree, test, body) { return }
    guard path.first != 0 else { return }
    var matcher = PathMatcher(path)
    // The ends of the elements that the matcher has entered.
    var ends: [Int] = []
    var node = 1
    while node < tree.nodes.count {
      while let end = ends.last, end <= node {
        matcher.leave()
        test.leave()
        ends.removeLast()
      }
      guard tree.nodes[node].isElement else {
        node += 1
        continue
      }
      test.enter(node, tree)
      var matching: UInt64 = 0
      for step in SetBits(matcher.open)
      where test.matches(path.steps[step], node, before: ends.last ?? tree.nodes[0].end, tree, &matcher) {
        matching |= 1 << UInt64(step)
      }
      let matched = matching & path.last
      if matched != 0, !give(matched, node, tree, test, body) { return }
      if matcher.steps(inside: matching) == 0 {
        // The path matches nothing inside it.
        test.leave()
        node = tree.nodes[node].end
      } else {
        matcher.enter(matching)
        ends.append(tree.nodes[node].end)
        node += 1
      }
    }
  }

  /// Passes on what paths name in an element that they match.
  /// - Parameter steps: the last steps of these paths.
  private func give(
    _ steps: UInt64, _ node: Int, _ tree: borrowing ElementTree, _ test: borrowing TreeTest, _ body: (Match) -> Bool
  ) -> Bool {
    if steps & ~path.withAttribute != 0, !body(.element(node)) { return false }
    if steps & path.withAttribute == 0 { return true }
    for index in tree.nodes[node].attributes
    where isWanted(tree.attributes[index].name, steps, tree, test) && !body(.attribute(index)) { return false }
    return true
  }

  /// Whether one of these steps names this attribute.
  private func isWanted(
    _ name: Range<Int>, _ steps: UInt64, _ tree: borrowing ElementTree, _ test: borrowing TreeTest
  ) -> Bool {
    for step in SetBits(steps) {
      if let wanted = path.steps[step].attribute, test.matches(wanted, name, tree, isAttribute: true) { return true }
    }
    return false
  }
}

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
