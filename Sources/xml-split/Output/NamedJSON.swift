// Elements as JSON whose members can share a name: attributes, children and text are sorted into members first. The
// values of one name are an array, in the order of the element: attributes, children, text.

import FeedCore

struct NamedJSON {
  /// The part being written: an object, the values of one member, or an element in order.
  private enum Frame {
    case object(next: Int, first: Int)
    case values(next: Int?)
    case ordered(of: Int, child: Int)
  }

  /// The members of the objects that are open.
  private var members: [JSONMember] = []
  private var frames: [Frame] = []
  /// More names are found by an index.
  private static let indexThreshold = 32

  static func write(_ tree: ElementTree, _ json: ElementJSON, _ expanded: ExpandedNames?, to output: inout ByteWriter) {
    var writer = NamedJSON()
    writer.write(MemberNames(tree: tree, json: json, expanded: expanded), to: &output)
  }

  private mutating func write(_ names: MemberNames, to output: inout ByteWriter) {
    let isOrdered = names.json.isOrdered
    if isOrdered {
      begin(ordered: 0, names, to: &output)
    } else {
      output.append(UInt8(ascii: "{"))
      names.write(names.member(.element(0)), to: &output)
      output.append(UInt8(ascii: ":"))
      begin(0, names, to: &output)
    }
    while let frame = frames.popLast() {
      switch frame {
      case .object(let next, let first): writeMember(from: next, first: first, names, to: &output)
      case .values(let next):
        guard let next else {
          output.append(UInt8(ascii: "]"))
          continue
        }
        output.append(UInt8(ascii: ","))
        frames.append(.values(next: members[next].next))
        write(members[next].value, names, to: &output)
      case .ordered(let element, let child):
        guard child < names.tree.nodes[element].end else {
          output.append(UInt8(ascii: "]"))
          continue
        }
        output.append(UInt8(ascii: ","))
        frames.append(.ordered(of: element, child: names.tree.nodes[child].end))
        if names.tree.nodes[child].isElement {
          begin(ordered: child, names, to: &output)
        } else {
          names.tree.writeText(of: child, to: &output)
        }
      }
    }
    if !isOrdered { output.append(UInt8(ascii: "}")) }
  }

  /// Writes `null`, a string, or the beginning of an object.
  private mutating func begin(_ element: Int, _ names: MemberNames, to output: inout ByteWriter) {
    let node = names.tree.nodes[element]
    if node.attributes.isEmpty, !node.hasElements {
      // All text of an element without child elements is one piece.
      if node.end == element + 1 {
        output.append("null")
      } else {
        names.tree.writeText(of: element + 1, to: &output)
      }
      return
    }
    let first = members.count
    collectMembers(of: element, names)
    output.append(UInt8(ascii: "{"))
    frames.append(.object(next: first, first: first))
  }

  /// Writes the beginning of `["name",{attributes},children…]`.
  private mutating func begin(ordered element: Int, _ names: MemberNames, to output: inout ByteWriter) {
    output.append(UInt8(ascii: "["))
    names.write(names.member(.element(element)), to: &output)
    output.append(",{")
    frames.append(.ordered(of: element, child: element + 1))
    let first = members.count
    collectMembers(of: element, names)
    frames.append(.object(next: first, first: first))
  }

  /// Writes the next member of an object, or its end.
  private mutating func writeMember(
    from start: Int, first: Int, _ names: MemberNames, to output: inout ByteWriter
  ) {
    var index = start
    while index < members.count, !members[index].isFirst { index += 1 }
    guard index < members.count else {
      members.removeLast(members.count - first)
      output.append(UInt8(ascii: "}"))
      return
    }
    if index > first { output.append(UInt8(ascii: ",")) }
    names.write(members[index], to: &output)
    output.append(UInt8(ascii: ":"))
    frames.append(.object(next: index + 1, first: first))
    if members[index].next != nil || names.isArray(members[index]) {
      output.append(UInt8(ascii: "["))
      frames.append(.values(next: members[index].next))
    }
    write(members[index].value, names, to: &output)
  }

  private mutating func write(_ value: JSONMember.Value, _ names: MemberNames, to output: inout ByteWriter) {
    let tree = names.tree
    switch value {
    case .attribute(let index): tree.writeValue(of: index, to: &output)
    case .element(let node): begin(node, names, to: &output)
    case .text(let node): tree.writeOwnText(of: node, to: &output)
    case .declarations(let node, _):
      var separator = UInt8(ascii: "{")
      for index in tree.nodes[node].attributes {
        guard let prefix = Namespaces.declaredPrefix(tree.bytes.span, tree.attributes[index].name) else { continue }
        output.append(separator)
        JSONString.write(prefix, to: &output)
        output.append(UInt8(ascii: ":"))
        tree.writeValue(of: index, to: &output)
        separator = UInt8(ascii: ",")
      }
      output.append(UInt8(ascii: "}"))
    }
  }

  // MARK: Members

  /// Adds the members of an element; in order, only its attributes.
  private mutating func collectMembers(of element: Int, _ names: MemberNames) {
    let tree = names.tree
    var object = Object()
    var declarations: JSONMember.Value?
    for index in tree.nodes[element].attributes {
      if names.json.names.style == .written
        || !Namespaces.isDeclaration(tree.bytes.span, tree.attributes[index].name)
      {
        add(.attribute(index), to: &object, names)
      } else if declarations == nil {
        declarations = .declarations(of: element, index)
      }
    }
    if let declarations { add(declarations, to: &object, names) }
    if names.json.isOrdered { return }
    var child = element + 1
    while child < tree.nodes[element].end {
      if tree.nodes[child].isElement { add(.element(child), to: &object, names) }
      child = tree.nodes[child].end
    }
    if tree.hasOwnText(element) { add(.text(of: element), to: &object, names) }
  }

  /// An object whose members are collected.
  private struct Object {
    /// The last member of each name, by the first.
    var ends: [(first: Int, last: Int)] = []
    /// Places in `ends`.
    var index: [MemberNames.Key: Int] = [:]
  }

  private mutating func add(_ value: JSONMember.Value, to object: inout Object, _ names: MemberNames) {
    var member = names.member(value)
    var place: Int?
    if object.ends.count <= Self.indexThreshold {
      for candidate in object.ends.indices where names.areSame(members[object.ends[candidate].first], member) {
        place = candidate
        break
      }
    } else {
      if object.index.isEmpty {
        for (place, end) in object.ends.enumerated() { object.index[names.key(of: members[end.first])] = place }
      }
      let key = names.key(of: member)
      place = object.index[key]
      if place == nil { object.index[key] = object.ends.count }
    }
    if let place {
      member.isFirst = false
      members[object.ends[place].last].next = members.count
      object.ends[place].last = members.count
    } else {
      object.ends.append((members.count, members.count))
    }
    members.append(member)
  }
}
