// Elements as JSON whose members can share a name: attributes, children and text are sorted into members first. The
// values of one name are an array, in the order of the element: attributes, children, text.

import FeedCore

struct NamedJSON {
  private enum Value {
    case attribute(Int)
    /// The namespace declarations of an element.
    case declarations(of: Int)
    case element(Int)
    case text(of: Int)
  }

  /// A value with its name.
  private struct Member {
    let value: Value
    /// The namespace in the name.
    let namespace: [UInt8]?
    /// The rest of the name, in the bytes of the tree.
    let name: Range<Int>
    /// The next with the same name.
    var next: Int?
    var isFirst = true
  }

  /// A name, for the index of a large object.
  private struct Key: Hashable {
    let namespace: [UInt8]?
    let name: [UInt8]
  }

  /// The part being written: an object, the values of one member, or an element in order.
  private enum Frame {
    case object(next: Int, first: Int)
    case values(next: Int?)
    case ordered(of: Int, child: Int)
  }

  private let tree: ElementTree
  private let json: ElementJSON
  private let expanded: ExpandedNames?
  private let canMix: Bool
  private let attributeStart: [UInt8]
  /// The members of the objects that are open.
  private var members: [Member] = []
  private var frames: [Frame] = []
  /// More names are found by an index.
  private static let indexThreshold = 32

  init(_ tree: ElementTree, _ json: ElementJSON, _ expanded: ExpandedNames?) {
    self.tree = tree
    self.json = json
    self.expanded = expanded
    canMix = !json.isOrdered && json.names.canMix
    attributeStart = json.isOrdered ? [UInt8(ascii: "\"")] : json.names.attributeStart
  }

  mutating func write(to output: inout ByteWriter) {
    if json.isOrdered {
      begin(ordered: 0, to: &output)
    } else {
      output.append("{")
      writeName(of: member(of: .element(0)), to: &output)
      output.append(":")
      begin(0, to: &output)
    }
    while let frame = frames.popLast() {
      switch frame {
      case .object(let next, let first): writeMember(from: next, first: first, to: &output)
      case .values(let next):
        guard let next else {
          output.append("]")
          continue
        }
        output.append(",")
        frames.append(.values(next: members[next].next))
        write(members[next].value, to: &output)
      case .ordered(let element, let child):
        guard child < tree.nodes[element].end else {
          output.append("]")
          continue
        }
        output.append(",")
        frames.append(.ordered(of: element, child: tree.nodes[child].end))
        if tree.nodes[child].isElement {
          begin(ordered: child, to: &output)
        } else {
          tree.writeText(of: child, to: &output)
        }
      }
    }
    if !json.isOrdered { output.append("}") }
  }

  /// Writes `null`, a string, or the beginning of an object.
  private mutating func begin(_ element: Int, to output: inout ByteWriter) {
    let node = tree.nodes[element]
    if node.attributes.isEmpty, !node.hasElements {
      // All text of an element without child elements is one piece.
      if node.end == element + 1 { output.append("null") } else { tree.writeText(of: element + 1, to: &output) }
      return
    }
    let first = members.count
    collectMembers(of: element)
    output.append("{")
    frames.append(.object(next: first, first: first))
  }

  /// Writes the beginning of `["name",{attributes},children…]`.
  private mutating func begin(ordered element: Int, to output: inout ByteWriter) {
    output.append("[")
    writeName(of: member(of: .element(element)), to: &output)
    output.append(",{")
    frames.append(.ordered(of: element, child: element + 1))
    let first = members.count
    collectMembers(of: element)
    frames.append(.object(next: first, first: first))
  }

  /// Writes the next member of an object, or its end.
  private mutating func writeMember(from start: Int, first: Int, to output: inout ByteWriter) {
    guard let index = members[start...].firstIndex(where: \.isFirst) else {
      members.removeLast(members.count - first)
      output.append("}")
      return
    }
    if index > first { output.append(",") }
    writeName(of: members[index], to: &output)
    output.append(":")
    frames.append(.object(next: index + 1, first: first))
    if members[index].next != nil || isArray(members[index]) {
      output.append("[")
      frames.append(.values(next: members[index].next))
    }
    write(members[index].value, to: &output)
  }

  private mutating func write(_ value: Value, to output: inout ByteWriter) {
    switch value {
    case .attribute(let index): tree.writeValue(of: index, to: &output)
    case .element(let node): begin(node, to: &output)
    case .text(let node): JSONString.write(tree.ownText(of: node), to: &output)
    case .declarations(let node):
      var separator: StaticString = "{"
      for index in tree.nodes[node].attributes {
        guard let prefix = Namespaces.declaredPrefix(tree.bytes.span, tree.attributes[index].name) else { continue }
        output.append(separator)
        JSONString.write(prefix, to: &output)
        output.append(":")
        tree.writeValue(of: index, to: &output)
        separator = ","
      }
      output.append("}")
    }
  }

  // MARK: Members

  /// Adds the members of an element; in order, only its attributes.
  private mutating func collectMembers(of element: Int) {
    let start = members.count
    var names = Names()
    var declarations: Value?
    for index in tree.nodes[element].attributes {
      if json.names.style == .written || Namespaces.declaredPrefix(tree.bytes.span, tree.attributes[index].name) == nil
      {
        add(.attribute(index), from: start, &names)
      } else {
        declarations = .declarations(of: element)
      }
    }
    if let declarations { add(declarations, from: start, &names) }
    if json.isOrdered { return }
    var child = element + 1
    while child < tree.nodes[element].end {
      if tree.nodes[child].isElement { add(.element(child), from: start, &names) }
      child = tree.nodes[child].end
    }
    if tree.hasOwnText(element) { add(.text(of: element), from: start, &names) }
  }

  /// The names of one object: the first and the last member of each.
  private struct Names {
    var ends: [(first: Int, last: Int)] = []
    var index: [Key: Int] = [:]
  }

  private mutating func add(_ value: Value, from start: Int, _ names: inout Names) {
    var member = member(of: value)
    var place: Int?
    if names.ends.count <= Self.indexThreshold {
      place = names.ends.firstIndex { haveSameName(members[$0.first], member) }
    } else {
      if names.index.isEmpty {
        for (place, end) in names.ends.enumerated() { names.index[key(of: members[end.first])] = place }
      }
      let key = key(of: member)
      place = names.index[key]
      if place == nil { names.index[key] = names.ends.count }
    }
    if let place {
      member.isFirst = false
      members[names.ends[place].last].next = members.count
      names.ends[place].last = members.count
    } else {
      names.ends.append((members.count, members.count))
    }
    members.append(member)
  }

  private func member(of value: Value) -> Member {
    switch value {
    case .attribute(let index):
      let name = json.names.kept(tree.attributes[index].name, tree.bytes.span)
      return Member(value: value, namespace: expanded?.attributes[index], name: name)
    case .element(let node):
      let name = json.names.kept(tree.nodes[node].name ?? 0..<0, tree.bytes.span)
      return Member(value: value, namespace: expanded?.elements[node], name: name)
    case .declarations(let node):
      // The name of any of them begins with `xmlns`.
      let first = tree.nodes[node].attributes.first {
        Namespaces.declaredPrefix(tree.bytes.span, tree.attributes[$0].name) != nil
      }
      let start = first.map { tree.attributes[$0].name.lowerBound } ?? 0
      return Member(value: value, namespace: nil, name: start..<(start + 5))
    case .text: return Member(value: value, namespace: nil, name: 0..<0)
    }
  }

  private func haveSameName(_ one: Member, _ other: Member) -> Bool {
    if one.namespace != other.namespace { return false }
    if isAttribute(one) == isAttribute(other), !isText(one), !isText(other) {
      return one.name.count == other.name.count
        && sameBytes(tree.bytes.span.extracting(one.name), tree.bytes.span.extracting(other.name))
    }
    return canMix && key(of: one) == key(of: other)
  }

  private func isAttribute(_ member: Member) -> Bool {
    switch member.value {
    case .attribute, .declarations: true
    case .element, .text: false
    }
  }

  private func isText(_ member: Member) -> Bool { if case .text = member.value { true } else { false } }

  private func key(of member: Member) -> Key {
    if isText(member) { return Key(namespace: nil, name: json.names.textKey) }
    var name = Array(tree.bytes[member.name])
    if isAttribute(member), !json.isOrdered {
      let prefix = json.names.attributePrefix
      // With a prefix, the name of an attribute in a namespace is no name of an element: `@{uri}name`.
      if member.namespace != nil, !prefix.isEmpty { name = [UInt8(ascii: "{")] + name }
      name = prefix + name
    }
    return Key(namespace: member.namespace, name: name)
  }

  // MARK: Names

  private func writeName(of member: Member, to output: inout ByteWriter) {
    if isText(member) { return JSONString.write(json.names.textKey, to: &output) }
    if isAttribute(member) { output.append(attributeStart) } else { output.append("\"") }
    if let namespace = member.namespace {
      // Without the quotes around it.
      var text = ByteWriter()
      JSONString.write(namespace, to: &text)
      output.append("{")
      output.append(Array(text.take().dropFirst().dropLast()))
      output.append("}")
    }
    tree.writeName(member.name, to: &output)
    output.append("\"")
  }

  private func isArray(_ member: Member) -> Bool {
    guard case .element = member.value else { return false }
    guard let arrays = json.arrays else { return true }
    if arrays.isEmpty { return false }
    let name = Array(tree.bytes[member.name])
    return arrays.contains(member.namespace.map { Array("{".utf8) + $0 + Array("}".utf8) + name } ?? name)
  }
}
