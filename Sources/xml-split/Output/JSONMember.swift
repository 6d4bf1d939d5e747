import FeedCore

/// A value in an object, with its name (NamedJSON).
struct JSONMember {
  enum Value {
    case attribute(Int)
    /// The namespace declarations of an element, and the first of them.
    case declarations(of: Int, Int)
    case element(Int)
    case text(of: Int)
  }

  let value: Value
  /// The namespace in the name.
  let namespace: [UInt8]?
  /// The rest of the name, in the bytes of the tree.
  let name: Range<Int>
  /// The next with the same name.
  var next: Int?
  var isFirst = true

  var isAttribute: Bool {
    switch value {
    case .attribute, .declarations: true
    case .element, .text: false
    }
  }

  var isText: Bool { if case .text = value { true } else { false } }
}

/// The names of the members of a tree.
struct MemberNames {
  let tree: ElementTree
  let json: ElementJSON
  let expanded: ExpandedNames?

  /// A name, for an index.
  struct Key: Hashable {
    let namespace: [UInt8]?
    let name: [UInt8]
  }

  func member(_ value: JSONMember.Value) -> JSONMember {
    switch value {
    case .attribute(let index):
      let name = json.names.kept(tree.attributes[index].name, tree.bytes.span)
      return JSONMember(value: value, namespace: expanded?.attributes[index], name: name)
    case .element(let node):
      let name = json.names.kept(tree.nodes[node].name ?? 0..<0, tree.bytes.span)
      return JSONMember(value: value, namespace: expanded?.elements[node], name: name)
    case .declarations(_, let first):
      // The name of any of them begins with `xmlns`.
      let start = tree.attributes[first].name.lowerBound
      return JSONMember(value: value, namespace: nil, name: start..<(start + 5))
    case .text: return JSONMember(value: value, namespace: nil, name: 0..<0)
    }
  }

  func areSame(_ one: JSONMember, _ other: JSONMember) -> Bool {
    if one.namespace != other.namespace { return false }
    if one.isAttribute == other.isAttribute, !one.isText, !other.isText {
      return one.name.count == other.name.count
        && sameBytes(tree.bytes.span.extracting(one.name), tree.bytes.span.extracting(other.name))
    }
    return json.canMix && key(of: one) == key(of: other)
  }

  func key(of member: JSONMember) -> Key {
    if member.isText { return Key(namespace: nil, name: json.names.textKey) }
    var name = Array(tree.bytes[member.name])
    if member.isAttribute, !json.isOrdered {
      let prefix = json.names.attributePrefix
      // With a prefix, the name of an attribute in a namespace is no name of an element: `@{uri}name`.
      if member.namespace != nil, !prefix.isEmpty { name = [UInt8(ascii: "{")] + name }
      name = prefix + name
    }
    return Key(namespace: member.namespace, name: name)
  }

  func write(_ member: JSONMember, to output: inout ByteWriter) {
    if member.isText { return JSONString.write(json.names.textKey, to: &output) }
    output.append(UInt8(ascii: "\""))
    if member.isAttribute, !json.isOrdered { output.append(json.attributeStart) }
    if let namespace = member.namespace {
      output.append(UInt8(ascii: "{"))
      JSONString.writeContents(namespace.span, 0..<namespace.count, to: &output)
      output.append(UInt8(ascii: "}"))
    }
    tree.writeName(member.name, to: &output)
    output.append(UInt8(ascii: "\""))
  }

  /// Whether a member is an array even if it has one value.
  func isArray(_ member: JSONMember) -> Bool {
    guard case .element = member.value else { return false }
    guard let arrays = json.arrays else { return true }
    if arrays.isEmpty { return false }
    let name = Array(tree.bytes[member.name])
    return arrays.contains(member.namespace.map { Array("{".utf8) + $0 + Array("}".utf8) + name } ?? name)
  }
}
