// A complete element, as a flat list of nodes in document order.

import FeedCore

struct ElementTree {
  struct Node {
    let isElement: Bool
    /// An element's name in `bytes`, or a range of `text`.
    var place: Range<Int>
    /// A range of `attributes`.
    let attributes: Range<Int>
    /// Equal for equal names, and usually different for others.
    let hash: UInt64
    /// The index after the last node inside this one.
    var end: Int
    /// For an element: the next sibling with the same name, and whether an earlier one exists.
    var nextSibling: Int?
    var hasEarlierSibling = false
    var hasElements = false

    /// A range of `bytes`; nil for text.
    var name: Range<Int>? { isElement ? place : nil }
  }

  struct Attribute {
    /// A range of `bytes`.
    let name: Range<Int>
    /// A range of `text`, decoded.
    let value: Range<Int>
  }

  /// The element in UTF-8.
  var bytes: [UInt8] = []
  /// What is in scope in the root of the tree.
  var namespaces = Namespaces()
  var nodes: [Node] = []
  var attributes: [Attribute] = []
  /// All text and attribute values, decoded, one after another.
  var text: [UInt8] = []

  var rootName: [UInt8] { Array(bytes[nodes[0].place]) }

  /// All text inside a node.
  func text(of node: Int) -> [UInt8] {
    if !nodes[node].isElement { return Array(text[nodes[node].place]) }
    var result: [UInt8] = []
    for inner in (node + 1)..<max(node + 1, nodes[node].end) where !nodes[inner].isElement {
      result += text[nodes[inner].place]
    }
    return result
  }

  /// The text directly in an element.
  func ownText(of element: Int) -> [UInt8] {
    var result: [UInt8] = []
    var child = element + 1
    while child < nodes[element].end {
      if !nodes[child].isElement { result += text[nodes[child].place] }
      child = nodes[child].end
    }
    return result
  }

  /// Whether an element has significant text: any text, but beside child elements only if it is not all white space.
  func hasOwnText(_ element: Int) -> Bool {
    var child = element + 1
    while child < nodes[element].end {
      if !nodes[child].isElement {
        if !nodes[element].hasElements { return true }
        for index in nodes[child].place where !text[index].isWhiteSpace { return true }
      }
      child = nodes[child].end
    }
    return false
  }

  /// The value of an attribute.
  func value(of attribute: Int) -> [UInt8] { Array(text[attributes[attribute].value]) }

  /// Writes a node that is text as a JSON string.
  func writeText(of node: Int, to output: inout ByteWriter) {
    JSONString.write(text.span, nodes[node].place, to: &output)
  }

  /// Writes the value of an attribute as a JSON string.
  func writeValue(of attribute: Int, to output: inout ByteWriter) {
    JSONString.write(text.span, attributes[attribute].value, to: &output)
  }

  /// Writes a name. It contains nothing that JSON must escape.
  func writeName(_ name: Range<Int>, to output: inout ByteWriter) { output.append(bytes.span.extracting(name)) }

  /// Whether `name`, a range of `bytes`, is this name.
  func isNamed(_ name: Range<Int>, _ wanted: [UInt8]) -> Bool {
    name.count == wanted.count && sameBytes(bytes.span.extracting(name), wanted.span)
  }
}
