// An element that has come as a whole, as a flat list of nodes in the order of the text.

import FeedCore

struct ElementTree {
  struct Node {
    let isElement: Bool
    /// An element's name in `bytes`, or a piece of `text`.
    var place: Range<Int>
    /// In `attributes`.
    let attributes: Range<Int>
    /// The same for equal names, and mostly another one for others.
    let hash: UInt64
    /// The node after all that is in it.
    var end: Int
    /// For an element: the next one beside it that has its name, and whether one before has.
    var nextSibling: Int?
    var hasEarlierSibling = false
    var hasElements = false

    /// In `bytes`; nil for text.
    var name: Range<Int>? { isElement ? place : nil }
  }

  struct Attribute {
    /// In `bytes`.
    let name: Range<Int>
    /// In `text`, decoded.
    let value: Range<Int>
  }

  /// The element in UTF-8.
  var bytes: [UInt8] = []
  var nodes: [Node] = []
  var attributes: [Attribute] = []
  /// All text and all values of attributes, decoded, one piece after the other.
  var text: [UInt8] = []

  var rootName: [UInt8] { Array(bytes[nodes[0].place]) }

  /// All text in a node.
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

  /// Whether an element has text that counts: any, but beside other elements more than white space.
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

  /// Writes a piece of `text` as a JSON string.
  func writeText(_ place: Range<Int>, to output: inout ByteWriter) {
    JSONString.write(text.span, place, to: &output)
  }

  /// Writes a name. There is nothing in it that JSON would escape.
  func writeName(_ name: Range<Int>, to output: inout ByteWriter) { output.append(bytes.span.extracting(name)) }

  /// Whether `name`, a place in `bytes`, holds this.
  func isNamed(_ name: Range<Int>, _ wanted: [UInt8]) -> Bool {
    name.count == wanted.count && sameBytes(bytes.span.extracting(name), wanted.span)
  }
}
