// A value inside an element. --fields, --having and --id name it by a path from the element.

import FeedCore

struct Field {
  /// As typed.
  let text: [UInt8]
  /// Nil for the element itself.
  private let path: XMLPath?
  private let attribute: [UInt8]?

  /// - Parameter text: `.`, `a/b`, `//b`, `@c` or `a/@c`.
  init(_ text: [UInt8]) throws(OptionRefusal) {
    func problem(_ message: String) -> OptionRefusal {
      OptionRefusal("\(message), found '\(quoted(text))'")
    }
    self.text = text
    var steps = text
    var last = 0
    while let slash = Self.end(text[last...], at: UInt8(ascii: "/")) { last = slash + 1 }
    if last < text.count, text[last] == UInt8(ascii: "@") {
      let name = Array(text[(last + 1)...])
      guard XMLName.isName(name, .utf8) else { throw problem("expected the name of an attribute") }
      attribute = name
      steps = Array(text[..<max(0, last - 1)])
      if last > 0, steps.isEmpty || steps.last == UInt8(ascii: "/") {
        throw problem("expected the name of an element before '/@'")
      }
    } else {
      attribute = nil
    }
    if steps == [UInt8(ascii: ".")] || (steps.isEmpty && attribute != nil) {
      path = nil
    } else {
      let path = try XMLPath(steps, namespaces: [:], isRelative: true)
      guard !path.usesNamespaces else { throw problem("expected names as in the tag, without a namespace") }
      self.path = path
    }
  }

  /// A list of fields, separated by commas.
  static func list(_ text: [UInt8]) throws(OptionRefusal) -> [Field] {
    var fields: [Field] = []
    var rest = text[...]
    while let comma = end(rest, at: UInt8(ascii: ",")) {
      fields.append(try Field(Array(rest[..<comma])))
      rest = rest[(comma + 1)...]
    }
    return fields + [try Field(Array(rest))]
  }

  /// The index of a byte outside quotes.
  static func end(_ text: ArraySlice<UInt8>, at byte: UInt8) -> Int? {
    var quote: UInt8?
    for index in text.indices {
      if let open = quote {
        if text[index] == open { quote = nil }
      } else if text[index] == byte {
        return index
      } else if text[index] == UInt8(ascii: "'") || text[index] == UInt8(ascii: "\"") {
        quote = text[index]
      }
    }
    return nil
  }

  /// The text of the first match; nil if there is none.
  func value(in tree: ElementTree) -> [UInt8]? {
    guard let path else { return value(at: 0, tree) }
    var matcher = PathMatcher(path)
    // The ends of the elements that the matcher has entered.
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
      if matcher.enter({ matches($0, node, tree) }), let value = value(at: node, tree) { return value }
      if matcher.open == 0 {
        // The path matches nothing inside it.
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
      return tree.value(of: index)
    }
    return nil
  }

  private func matches(_ step: XMLPath.Step, _ node: Int, _ tree: ElementTree) -> Bool {
    guard let name = tree.nodes[node].name, matches(step.name, name, tree) else { return false }
    return step.predicates.allSatisfy { predicate in
      tree.nodes[node].attributes.contains {
        matches(predicate.attribute, tree.attributes[$0].name, tree)
          && (predicate.value == nil || predicate.value == tree.value(of: $0))
      }
    }
  }

  private func matches(_ wanted: XMLPath.Name, _ name: Range<Int>, _ tree: ElementTree) -> Bool {
    switch wanted {
    case .any: true
    case .written(let written): tree.isNamed(name, written)
    case .anyWithPrefix(let prefix): tree.bytes[name].starts(with: prefix + [UInt8(ascii: ":")])
    case .inNamespace: false
    }
  }
}
