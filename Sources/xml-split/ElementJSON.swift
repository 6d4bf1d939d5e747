// Elements as JSON: the convention that people know from xq and xmltodict, or a form that loses nothing. A list of what
// is still to be written stands in for the stack.

import FeedCore

struct ElementJSON {
  /// Names whose elements are always arrays; nil for all.
  var arrays: Set<[UInt8]>? = []
  var isOrdered = false

  private enum Step {
    case value(Int)
    case name(Int)
    case attribute(Int)
    case attributes(Int)
    case text([UInt8])
    case mark(StaticString)
  }

  /// Writes `{"name":value}`, or in order `["name",…]`.
  func write(_ tree: ElementTree, to output: inout ByteWriter) {
    var steps = isOrdered ? [Step.value(0)] : [.mark("}"), .value(0), .mark(":"), .name(0), .mark("{")]
    while let step = steps.popLast() {
      switch step {
      case .mark(let mark): output.append(mark)
      case .text(let text): JSONString.write(text, to: &output)
      case .name(let node): JSONString.write(Array(tree.bytes[tree.nodes[node].name ?? 0..<0]), to: &output)
      case .attribute(let index):
        JSONString.write(([UInt8(ascii: "@")] + tree.bytes[tree.attributes[index].name]), to: &output)
        output.append(UInt8(ascii: ":"))
        JSONString.write(tree.attributes[index].value, to: &output)
      case .attributes(let node): writeAttributes(of: node, tree, to: &output)
      case .value(let node): steps += (isOrdered ? ordered(node, tree) : grouped(node, tree)).reversed()
      }
    }
  }

  /// `null`, a string, or an object of attributes, children by their names, and text.
  private func grouped(_ element: Int, _ tree: ElementTree) -> [Step] {
    let node = tree.nodes[element]
    let text = tree.ownText(of: element)
    if node.attributes.isEmpty, !node.hasElements { return [text.isEmpty ? .mark("null") : .text(text)] }
    var steps = [Step.mark("{")]
    func separate() { if steps.count > 1 { steps.append(.mark(",")) } }
    for attribute in node.attributes {
      separate()
      steps.append(.attribute(attribute))
    }
    for child in tree.children(of: element) {
      guard let name = tree.nodes[child].name, !tree.nodes[child].hasEarlierTwin else { continue }
      separate()
      steps += [.name(child), .mark(":")]
      let isArray = tree.nodes[child].twin != nil || arrays?.contains(Array(tree.bytes[name])) ?? true
      if isArray { steps.append(.mark("[")) }
      var next: Int? = child
      while let twin = next {
        if twin != child { steps.append(.mark(",")) }
        steps.append(.value(twin))
        next = tree.nodes[twin].twin
      }
      if isArray { steps.append(.mark("]")) }
    }
    if !text.isEmpty, !node.hasElements || !text.allSatisfy(XMLCharacters.isWhiteSpace) {
      separate()
      steps += [.mark("\"#text\":"), .text(text)]
    }
    return steps + [.mark("}")]
  }

  /// `["name",{attributes},children…]`.
  private func ordered(_ element: Int, _ tree: ElementTree) -> [Step] {
    var steps: [Step] = [.mark("["), .name(element), .mark(","), .attributes(element)]
    for child in tree.children(of: element) {
      steps.append(.mark(","))
      steps.append(tree.nodes[child].name == nil ? .text(tree.text(of: child)) : .value(child))
    }
    return steps + [.mark("]")]
  }

  private func writeAttributes(of node: Int, _ tree: ElementTree, to output: inout ByteWriter) {
    output.append(UInt8(ascii: "{"))
    for (place, attribute) in tree.attributes[tree.nodes[node].attributes].enumerated() {
      if place > 0 { output.append(UInt8(ascii: ",")) }
      JSONString.write(Array(tree.bytes[attribute.name]), to: &output)
      output.append(UInt8(ascii: ":"))
      JSONString.write(attribute.value, to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }
}
