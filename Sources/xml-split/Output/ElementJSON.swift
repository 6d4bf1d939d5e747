// Elements as JSON: the convention known from xq and xmltodict, or a form that loses nothing (--ordered).
//
// Usually no two children of an element have the same name, and members are written as they come. If that is not certain,
// or names are not as written, attributes, children and text are sorted first. The values of one name are an array, in the
// order of the element. A list of the parts still to be written replaces recursion.

import FeedCore

/// Writes elements as JSON, one after another.
struct ElementJSON {
  /// A value in an object, with its name.
  private struct Member {
    enum MemberValue {
      case attribute(Int)
      /// The namespace declarations of an element.
      case declarations(of: Int)
      case element(Int)
      case text(of: Int)
    }

    let value: MemberValue
    /// The name without a namespace, in the bytes of the tree.
    let name: Range<Int>
    /// `XMLName.key` of it.
    let key: UInt64
    /// The next with the same name; 0 if there is none. Of the first, also the last one.
    var next = 0
    var last = 0
    var isFirst = true

    var isAttribute: Bool {
      switch value {
      case .attribute, .declarations: true
      case .element, .text: false
      }
    }

    var isText: Bool { if case .text = value { true } else { false } }
  }

  /// The part being written: the children of an element, an object whose members were sorted, the values of one member, or
  /// an element in order.
  private enum OpenPart {
    case children(of: Int, next: Int, isFirst: Bool)
    case object(next: Int, first: Int, isFirst: Bool)
    case values(next: Int)
    case ordered(of: Int, child: Int)
  }

  /// Names whose elements are always arrays; nil for all names.
  private let arrays: Set<[UInt8]>?
  private let isOrdered: Bool
  private let names: JSONNames
  private let hasWrittenNames: Bool
  private let mayHaveArrays: Bool
  /// The namespaces for the names of the element; nil if they have none.
  private var expanded: ExpandedNames?
  /// The members of the objects that were sorted, and are open.
  private var members: [Member] = []
  private var frames: [OpenPart] = []

  /// Of the object whose members are collected: the first member of each name, and a bit for each key.
  private var firsts: [Int] = []
  private var known: UInt64 = 0
  /// If there are many names: the first member of each.
  private var index: [[UInt8]: Int] = [:]
  private static let indexThreshold = 32

  init(arrays: Set<[UInt8]>? = [], isOrdered: Bool = false, names: JSONNames = JSONNames()) {
    (self.arrays, self.isOrdered, self.names) = (arrays, isOrdered, names)
    hasWrittenNames = names.style == .written
    mayHaveArrays = arrays?.isEmpty != true
  }

  /// Finds the namespaces of an element before anything is written, because they may be too large.
  /// - Throws: the offset in the bytes of the tree.
  mutating func prepare(_ tree: ElementTree) throws(XMLError) {
    if names.style == .expanded { expanded = try ExpandedNames(tree, limit: names.maxExpanded) }
  }

  /// Writes `{"name":value}`, or if in order, `["name",…]`, after `prepare`.
  mutating func write(_ tree: ElementTree, to output: inout ByteWriter) {
    if isOrdered {
      begin(ordered: 0, tree, to: &output)
    } else {
      if hasWrittenNames {
        tree.writeName(tree.nodes[0].place, after: UInt8(ascii: "{"), to: &output)
      } else {
        writeName(element(0, tree), tree, after: UInt8(ascii: "{"), to: &output)
      }
      begin(0, tree, to: &output)
    }
    while let frame = frames.popLast() {
      switch frame {
      case .children(let element, let next, let isFirst):
        writeChildren(of: element, from: next, isFirst: isFirst, tree, to: &output)
      case .object(let next, let first, let isFirst):
        writeMembers(from: next, first: first, isFirst: isFirst, tree, to: &output)
      case .values(let next):
        if next == 0 {
          output.append(UInt8(ascii: "]"))
          continue
        }
        output.append(UInt8(ascii: ","))
        frames.append(.values(next: members[next].next))
        write(members[next].value, tree, to: &output)
      case .ordered(let element, let child):
        guard child < tree.nodes[element].end else {
          output.append(UInt8(ascii: "]"))
          continue
        }
        output.append(UInt8(ascii: ","))
        frames.append(.ordered(of: element, child: tree.nodes[child].end))
        if tree.nodes[child].isElement {
          begin(ordered: child, tree, to: &output)
        } else {
          tree.writeText(of: child, to: &output)
        }
      }
    }
    if !isOrdered { output.append(UInt8(ascii: "}")) }
  }

  // MARK: Values

  /// Writes `null` or a string, or begins an object.
  private mutating func begin(_ element: Int, _ tree: ElementTree, to output: inout ByteWriter) {
    if isObject(element, tree) {
      beginObject(element, tree, to: &output)
    } else if tree.nodes[element].end == element + 1 {
      output.append("null")
    } else {
      // All text of an element without child elements is one piece.
      tree.writeText(of: element + 1, to: &output)
    }
  }

  private func isObject(_ element: Int, _ tree: ElementTree) -> Bool {
    tree.nodes[element].attributeCount > 0 || tree.nodes[element].hasElements
  }

  private mutating func beginObject(_ element: Int, _ tree: ElementTree, to output: inout ByteWriter) {
    output.append(UInt8(ascii: "{"))
    let attributes = tree.nodes[element].attributes
    // Written names of attributes are different, and those of children are different from them.
    let isDirect = hasWrittenNames && (!names.canMix || isOrdered)
    if isDirect {
      if !attributes.isEmpty { write(attributes, tree, to: &output) }
      if isOrdered { return output.append(UInt8(ascii: "}")) }
    }
    if isDirect, !mayHaveArrays, hasDistinctChildren(element, tree) {
      return frames.append(.children(of: element, next: element + 1, isFirst: attributes.isEmpty))
    }
    let first = members.count
    collectMembers(of: element, withAttributes: !isDirect, tree)
    frames.append(.object(next: first, first: first, isFirst: !isDirect || attributes.isEmpty))
  }

  /// Writes attributes whose names are as written.
  private func write(_ attributes: Range<Int>, _ tree: ElementTree, to output: inout ByteWriter) {
    let prefix = isOrdered ? [] : names.attributeStart
    for index in attributes {
      let comma = index > attributes.lowerBound ? UInt8(ascii: ",") : nil
      tree.writeName(tree.attributes[index].name, prefix: prefix, after: comma, to: &output)
      tree.writeValue(of: index, to: &output)
    }
  }

  /// Whether all children of an element have different names. If they are many, that is not known.
  private func hasDistinctChildren(_ element: Int, _ tree: ElementTree) -> Bool {
    let (first, end) = (element + 1, tree.nodes[element].end)
    // A bit for each key so far. A name whose bit is not set is new.
    var (known, count) = (UInt64(0), 0)
    var child = first
    while child < end {
      let place = child
      child = tree.nodes[place].end
      // An only child has no key to compare.
      if !tree.nodes[place].isElement || (child == end && count == 0) { continue }
      let key = XMLName.key(tree.bytes.span, tree.nodes[place].place)
      let bit = XMLName.bit(of: key)
      if known & bit != 0, hasKey(key, from: first, to: place, tree) { return false }
      known |= bit
      count += 1
      if count == Self.indexThreshold { return false }
    }
    return true
  }

  /// Whether one of several siblings has a key.
  private func hasKey(_ wanted: UInt64, from first: Int, to end: Int, _ tree: ElementTree) -> Bool {
    var child = first
    while child < end {
      if tree.nodes[child].isElement, XMLName.key(tree.bytes.span, tree.nodes[child].place) == wanted { return true }
      child = tree.nodes[child].end
    }
    return false
  }

  /// Writes the beginning of `["name",{attributes},children…]`.
  private mutating func begin(ordered element: Int, _ tree: ElementTree, to output: inout ByteWriter) {
    writeName(self.element(element, tree), tree, after: UInt8(ascii: "["), before: UInt8(ascii: ","), to: &output)
    frames.append(.ordered(of: element, child: element + 1))
    beginObject(element, tree, to: &output)
  }

  /// Writes the children of an element up to one that is an object or an array, or all, and the text and the end.
  private mutating func writeChildren(
    of element: Int, from start: Int, isFirst: Bool, _ tree: ElementTree, to output: inout ByteWriter
  ) {
    let end = tree.nodes[element].end
    var (child, comma) = (start, isFirst ? nil : UInt8(ascii: ","))
    while child < end {
      let (place, isObject) = (child, isObject(child, tree))
      child = tree.nodes[place].end
      guard tree.nodes[place].isElement else { continue }
      if !isObject {
        let next = tree.writePlainMembers(from: place, to: end, comma: &comma, to: &output)
        if next > place {
          child = next
          continue
        }
      }
      tree.writeName(tree.nodes[place].place, after: comma, to: &output)
      comma = UInt8(ascii: ",")
      if isObject { frames.append(.children(of: element, next: child, isFirst: false)) }
      begin(place, tree, to: &output)
      if isObject { return }
    }
    if tree.hasOwnText(element) {
      if let comma { output.append(comma) }
      output.append(names.textStart)
      tree.writeOwnText(of: element, to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }

  /// Writes the members of an object up to one that is an object or an array, or all and the end.
  private mutating func writeMembers(
    from start: Int, first: Int, isFirst: Bool, _ tree: ElementTree, to output: inout ByteWriter
  ) {
    var place = start
    while place < members.count {
      let member = members[place]
      let comma = place > first || !isFirst ? UInt8(ascii: ",") : nil
      place += 1
      guard member.isFirst else { continue }
      let isList = isList(member, tree)
      var isLast = isList
      if case .element(let node) = member.value, isObject(node, tree) { isLast = true }
      writeName(member, tree, after: comma, to: &output)
      if isLast { frames.append(.object(next: place, first: first, isFirst: isFirst)) }
      if isList {
        output.append(UInt8(ascii: "["))
        frames.append(.values(next: member.next))
      }
      write(member.value, tree, to: &output)
      if isLast { return }
    }
    members.removeLast(members.count - first)
    output.append(UInt8(ascii: "}"))
  }

  private mutating func write(_ value: Member.MemberValue, _ tree: ElementTree, to output: inout ByteWriter) {
    switch value {
    case .attribute(let index): tree.writeValue(of: index, to: &output)
    case .element(let node): begin(node, tree, to: &output)
    case .text(let node): tree.writeOwnText(of: node, to: &output)
    case .declarations(let node):
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
  private mutating func collectMembers(of element: Int, withAttributes: Bool, _ tree: ElementTree) {
    firsts.removeAll(keepingCapacity: true)
    known = 0
    if !index.isEmpty { index = [:] }
    var declarations: Member?
    for index in withAttributes ? tree.nodes[element].attributes : 0..<0 {
      let name = tree.attributes[index].name
      if hasWrittenNames || !Namespaces.isDeclaration(tree.bytes.span, name) {
        add(attribute(index, tree), tree)
      } else if declarations == nil {
        // The name of any of them begins with `xmlns`.
        let start = name.lowerBound
        declarations = member(.declarations(of: element), start..<(start + 5), tree)
      }
    }
    if let declarations { add(declarations, tree) }
    if isOrdered { return }
    var child = element + 1
    while child < tree.nodes[element].end {
      if tree.nodes[child].isElement { add(self.element(child, tree), tree) }
      child = tree.nodes[child].end
    }
    if tree.hasOwnText(element) { add(Member(value: .text(of: element), name: 0..<0, key: 0), tree) }
  }

  private func element(_ node: Int, _ tree: ElementTree) -> Member {
    member(.element(node), names.kept(tree.nodes[node].place, tree.bytes.span), tree)
  }

  private func attribute(_ index: Int, _ tree: ElementTree) -> Member {
    member(.attribute(index), names.kept(tree.attributes[index].name, tree.bytes.span), tree)
  }

  @inline(__always)
  private func member(_ value: Member.MemberValue, _ name: Range<Int>, _ tree: ElementTree) -> Member {
    Member(value: value, name: name, key: XMLName.key(tree.bytes.span, name))
  }

  private mutating func add(_ member: Member, _ tree: ElementTree) {
    let place = members.count
    members.append(member)
    let bit = XMLName.bit(of: member.key)
    if known & bit != 0 || names.canMix, let first = first(like: member, tree) {
      members[place].isFirst = false
      members[members[first].last].next = place
      members[first].last = place
    } else {
      members[place].last = place
      firsts.append(place)
      if !index.isEmpty { index[key(of: member, tree)] = place }
    }
    known |= bit
  }

  /// The first member with the name of this one.
  private mutating func first(like member: Member, _ tree: ElementTree) -> Int? {
    guard firsts.count > Self.indexThreshold else { return firsts.first { areSame(members[$0], member, tree) } }
    // The index is made when it is first needed.
    if index.isEmpty {
      for first in firsts { index[key(of: members[first], tree)] = first }
    }
    return index[key(of: member, tree)]
  }

  private func areSame(_ one: Member, _ other: Member, _ tree: ElementTree) -> Bool {
    if one.isAttribute == other.isAttribute, !one.isText, !other.isText {
      return one.key == other.key && XMLName.isSame(tree.bytes.span, one.name, other.name)
        && namespace(of: one) == namespace(of: other)
    }
    return names.canMix && key(of: one, tree) == key(of: other, tree)
  }

  // MARK: Names

  private func namespace(of member: Member) -> [UInt8]? {
    guard let expanded else { return nil }
    switch member.value {
    case .attribute(let index): return expanded.attributes[index]
    case .element(let node): return expanded.elements[node]
    case .declarations, .text: return nil
    }
  }

  /// The whole name of a member: `name`, `@name`, `{uri}name` or `@{uri}name`.
  private func key(of member: Member, _ tree: ElementTree) -> [UInt8] {
    if member.isText { return names.textKey }
    let namespace = namespace(of: member).map { [UInt8(ascii: "{")] + $0 + [UInt8(ascii: "}")] } ?? []
    return (member.isAttribute && !isOrdered ? names.attributePrefix : []) + namespace + tree.bytes[member.name]
  }

  private func writeName(
    _ member: Member, _ tree: ElementTree, after first: UInt8?, before last: UInt8 = UInt8(ascii: ":"),
    to output: inout ByteWriter
  ) {
    if member.isText {
      if let first { output.append(first) }
      return output.append(names.textStart)
    }
    if namespace(of: member) == nil {
      let prefix = member.isAttribute && !isOrdered ? names.attributeStart : []
      return tree.writeName(member.name, prefix: prefix, after: first, before: last, to: &output)
    }
    if let first { output.append(first) }
    JSONString.write(key(of: member, tree), to: &output)
    output.append(last)
  }

  /// Whether the value of a member is an array: it has several values, or its name says so.
  private func isList(_ member: Member, _ tree: ElementTree) -> Bool {
    if member.next != 0 { return true }
    guard mayHaveArrays, case .element = member.value else { return false }
    return arrays?.contains(key(of: member, tree)) ?? true
  }
}
