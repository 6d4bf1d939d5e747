// Elements as JSON: the convention known from xq and xmltodict, or a form that loses nothing. A list of the parts still
// to be written replaces recursion.

import FeedCore

struct ElementJSON {
  /// Names whose elements are always arrays; nil for all names.
  var arrays: Set<[UInt8]>? = []
  var isOrdered = false
  var names = JSONNames() {
    didSet {
      attributeStart = names.attributeStart
      textStart = names.textStart
      canMix = names.canMix
      hasOwnNames = canMix || names.style != .written
    }
  }

  /// What `names` has.
  private(set) var attributeStart = JSONNames().attributeStart
  private(set) var textStart = JSONNames().textStart
  private(set) var canMix = false
  /// Whether members can have the same name although they are not elements of the same written name.
  private var hasOwnNames = false

  /// Whether it needs to know which children have the same name.
  var needsSiblings: Bool { !isOrdered && !hasOwnNames }

  /// The part being written: the members of an object, an array of siblings, or an element in order.
  private enum Frame {
    case members(of: Int, child: Int, isFirst: Bool)
    case siblings(next: Int?, isFirst: Bool)
    case ordered(of: Int, child: Int)
  }

  /// Writes `{"name":value}`, or if in order, `["name",…]`.
  /// - Parameter expanded: the namespaces for the names.
  func write(_ tree: ElementTree, _ expanded: ExpandedNames?, to output: inout ByteWriter) {
    if hasOwnNames { return NamedJSON.write(tree, self, expanded, to: &output) }
    var frames: [Frame] = []
    if isOrdered {
      begin(ordered: 0, tree, &frames, to: &output)
    } else {
      tree.writeName(tree.nodes[0].place, after: UInt8(ascii: "{"), to: &output)
      begin(value: 0, tree, &frames, to: &output)
    }
    while let frame = frames.popLast() {
      switch frame {
      case .members(let element, let child, let isFirst):
        writeMembers(of: element, from: child, isFirst, tree, &frames, to: &output)
      case .siblings(let next, let isFirst):
        guard let next else {
          output.append(UInt8(ascii: "]"))
          continue
        }
        if !isFirst { output.append(UInt8(ascii: ",")) }
        frames.append(.siblings(next: tree.nodes[next].nextSibling, isFirst: false))
        begin(value: next, tree, &frames, to: &output)
      case .ordered(let element, let child):
        guard child < tree.nodes[element].end else {
          output.append(UInt8(ascii: "]"))
          continue
        }
        output.append(UInt8(ascii: ","))
        frames.append(.ordered(of: element, child: tree.nodes[child].end))
        if !tree.nodes[child].isElement {
          tree.writeText(of: child, to: &output)
        } else {
          begin(ordered: child, tree, &frames, to: &output)
        }
      }
    }
    if !isOrdered { output.append(UInt8(ascii: "}")) }
  }

  /// Writes `null`, a string, or the beginning of an object with attributes, children by name, and text.
  private func begin(
    value element: Int, _ tree: ElementTree, _ frames: inout [Frame], to output: inout ByteWriter
  ) {
    let node = tree.nodes[element]
    if !isObject(element, tree) {
      // All text of an element without child elements is one piece.
      if node.end == element + 1 {
        output.append("null")
      } else {
        tree.writeText(of: element + 1, to: &output)
      }
      return
    }
    output.append(UInt8(ascii: "{"))
    writeAttributes(of: element, prefix: attributeStart, tree, to: &output)
    if frames.isEmpty {
      return writeMembers(of: element, from: element + 1, node.attributes.isEmpty, tree, &frames, to: &output)
    }
    frames.append(.members(of: element, child: element + 1, isFirst: node.attributes.isEmpty))
  }

  private func isObject(_ element: Int, _ tree: ElementTree) -> Bool {
    tree.nodes[element].attributeCount > 0 || tree.nodes[element].hasElements
  }

  /// Writes children as members up to one that is an object or an array, or all, and the text and the end.
  private func writeMembers(
    of element: Int, from start: Int, _ isFirst: Bool, _ tree: ElementTree, _ frames: inout [Frame],
    to output: inout ByteWriter
  ) {
    let end = tree.nodes[element].end
    var (child, isFirst) = (start, isFirst)
    while child < end {
      let (place, isMember) = (child, tree.nodes[child].isElement && !tree.nodes[child].hasEarlierSibling)
      child = tree.nodes[place].end
      guard isMember else { continue }
      let comma = isFirst ? nil : UInt8(ascii: ",")
      isFirst = false
      let isList = tree.nodes[place].nextSibling != nil || isArray(tree.nodes[place].place, tree)
      if !isList, tree.writePlainMember(place, after: comma, to: &output) { continue }
      tree.writeName(tree.nodes[place].place, after: comma, to: &output)
      if isList {
        output.append(UInt8(ascii: "["))
        frames.append(.members(of: element, child: child, isFirst: false))
        return frames.append(.siblings(next: place, isFirst: true))
      }
      if isObject(place, tree) {
        frames.append(.members(of: element, child: child, isFirst: false))
        return begin(value: place, tree, &frames, to: &output)
      }
      begin(value: place, tree, &frames, to: &output)
    }
    if tree.hasOwnText(element) {
      if !isFirst { output.append(UInt8(ascii: ",")) }
      output.append(textStart)
      tree.writeOwnText(of: element, to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }

  private func isArray(_ name: Range<Int>, _ tree: ElementTree) -> Bool {
    guard let arrays else { return true }
    return !arrays.isEmpty && arrays.contains(Array(tree.bytes[name]))
  }

  /// Writes the beginning of `["name",{attributes},children…]`.
  private func begin(
    ordered element: Int, _ tree: ElementTree, _ frames: inout [Frame], to output: inout ByteWriter
  ) {
    let name = tree.nodes[element].place
    tree.writeName(name, after: UInt8(ascii: "["), before: UInt8(ascii: ","), to: &output)
    output.append(UInt8(ascii: "{"))
    writeAttributes(of: element, prefix: [], tree, to: &output)
    output.append(UInt8(ascii: "}"))
    frames.append(.ordered(of: element, child: element + 1))
  }

  /// Writes attributes as members of an object.
  /// - Parameter prefix: what each name begins with.
  private func writeAttributes(
    of element: Int, prefix: [UInt8], _ tree: ElementTree, to output: inout ByteWriter
  ) {
    let attributes = tree.nodes[element].attributes
    for index in attributes {
      let comma = index > attributes.lowerBound ? UInt8(ascii: ",") : nil
      tree.writeName(tree.attributes[index].name, prefix: prefix, after: comma, to: &output)
      tree.writeValue(of: index, to: &output)
    }
  }
}
