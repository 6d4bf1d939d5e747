// What is inside an element: --fields, --having and --id name it by a path that begins there.

import FeedCore

struct Field {
  /// As it was typed.
  let text: [UInt8]
  /// nil for the element itself.
  private let path: XMLPath?
  private let attribute: [UInt8]?

  /// - Parameter text: `.`, `a/b`, `@c` or `a/@c`.
  init(_ text: [UInt8]) throws(XMLPath.Problem) {
    self.text = text
    var steps = text
    if let mark = text.lastIndex(of: UInt8(ascii: "@")), mark == 0 || text[mark - 1] == UInt8(ascii: "/") {
      let name = Array(text[(mark + 1)...])
      guard XMLName.isName(name, .utf8) else {
        throw XMLPath.Problem(message: "expected the name of an attribute, found '\(quoted(text))'")
      }
      attribute = name
      steps = Array(text[..<max(0, mark - 1)])
    } else {
      attribute = nil
    }
    if steps == [UInt8(ascii: ".")] || (steps.isEmpty && attribute != nil) {
      path = nil
    } else {
      let path = try XMLPath(steps, namespaces: [:], isRelative: true)
      guard !path.usesNamespaces else {
        throw XMLPath.Problem(message: "names are as in the tag here, found '\(quoted(text))'")
      }
      self.path = path
    }
  }

  /// The text of the first place that fits; nil where there is none.
  func value(in tree: ElementTree) -> [UInt8]? {
    guard let path else { return value(at: 0, tree) }
    var matcher = PathMatcher(path)
    // Where the elements end that the matcher is in.
    var ends: [Int] = []
    var node = 1
    while node < tree.nodes.count {
      while let end = ends.last, end <= node {
        matcher.leave()
        ends.removeLast()
      }
      guard tree.nodes[node].isElement else {
        node += 1
        continue
      }
      if matcher.enter({ fits($0, node, tree) }), let value = value(at: node, tree) { return value }
      if matcher.open == 0 {
        // The path leads nowhere in there.
        matcher.leave()
        node = tree.nodes[node].end
      } else {
        ends.append(tree.nodes[node].end)
        node += 1
      }
    }
    return nil
  }

  private func value(at node: Int, _ tree: ElementTree) -> [UInt8]? {
    guard let attribute else { return tree.text(of: node) }
    for index in tree.nodes[node].attributes where tree.isNamed(tree.attributes[index].name, attribute) {
      return Array(tree.text[tree.attributes[index].value])
    }
    return nil
  }

  private func fits(_ step: XMLPath.Step, _ node: Int, _ tree: ElementTree) -> Bool {
    guard let name = tree.nodes[node].name else { return false }
    switch step.name {
    case .any: break
    case .written(let written): if !tree.isNamed(name, written) { return false }
    case .anyWithPrefix(let prefix): if !tree.bytes[name].starts(with: prefix + [UInt8(ascii: ":")]) { return false }
    case .inNamespace: return false
    }
    return step.predicates.allSatisfy { predicate in
      tree.attributes[tree.nodes[node].attributes].contains {
        tree.isNamed($0.name, predicate.attribute)
          && (predicate.value == nil || predicate.value == Array(tree.text[$0.value]))
      }
    }
  }
}
