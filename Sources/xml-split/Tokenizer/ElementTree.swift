import FeedCore

/// A complete element, as a flat list of nodes in document order. Nothing is decoded until it is asked for.
struct ElementTree {
  /// An element or a piece of text. Those inside an element follow it.
  struct Node {
    let isElement: Bool
    /// For an element: whether it has child elements, and text directly in it.
    var hasElements = false
    var hasText = false
    let attributeCount: UInt32
    var firstAttribute: Int
    /// An element's name; for text, where it is: with references, and with the comments and sections inside it.
    private(set) var place: Range<Int>
    /// The index after the last node inside this one.
    var end: Int
    init(isElement: Bool, _ place: Range<Int>, attributes: Range<Int>, end: Int) {
      self.isElement = isElement
      self.place = place
      firstAttribute = attributes.lowerBound
      attributeCount = UInt32(truncatingIfNeeded: attributes.count)
      self.end = end
    }

    /// A range of `bytes`; nil for text.
    var name: Range<Int>? { isElement ? place : nil }

    /// A range of the tree's `attributes`.
    var attributes: Range<Int> { firstAttribute..<(firstAttribute + Int(attributeCount)) }

    /// Ends an element.
    /// - Returns: what `end` was before.
    @inline(__always)
    mutating func close(at end: Int) -> Int {
      defer { self.end = end }
      return self.end
    }

    /// The same node in a tree that begins with a later one.
    func moved(by nodes: Int, attributes: Int, bytes: Int) -> Node {
      var node = self
      node.end -= nodes
      node.firstAttribute -= attributes
      node.place = (place.lowerBound - bytes)..<(place.upperBound - bytes)
      return node
    }
  }

  /// An attribute of one of the elements, as ranges of `bytes`.
  struct NodeAttribute {
    /// A range of `bytes`.
    let name: Range<Int>
    /// The range between the quotes.
    let value: Range<Int>

    func moved(by bytes: Int) -> NodeAttribute {
      NodeAttribute(
        name: (name.lowerBound - bytes)..<(name.upperBound - bytes),
        value: (value.lowerBound - bytes)..<(value.upperBound - bytes))
    }
  }

  /// The element in UTF-8.
  var bytes: [UInt8] = []
  /// What is in scope in the root of the tree.
  var namespaces = Namespaces()
  var nodes = ReusedArray<Node>()
  var attributes: [NodeAttribute] = []

  var rootName: [UInt8] { Array(bytes[nodes[0].place]) }

  // MARK: Names

  /// Writes a name with a prefix, as the name of a member. It contains nothing that JSON must escape.
  /// - Parameters:
  ///   - prefix: as JSON.
  ///   - first: the byte before it.
  ///   - last: the byte after it.
  func writeName(
    _ name: Range<Int>, prefix: [UInt8] = [], after first: UInt8?, before last: UInt8 = UInt8(ascii: ":"),
    to output: inout ByteWriter
  ) {
    output.append(quoted: bytes.span.extracting(name), prefix: prefix, after: first, before: last)
  }

  /// Whether `name`, a range of `bytes`, is this name.
  func isNamed(_ name: Range<Int>, _ wanted: [UInt8]) -> Bool { isName(bytes.span, name, wanted) }

  // MARK: Text

  /// All text inside a node.
  func text(of node: Int) -> [UInt8] {
    var result: [UInt8] = []
    appendText(of: node, to: &result)
    return result
  }

  func appendText(of node: Int, to result: inout [UInt8]) {
    if !nodes[node].isElement { decode(nodes[node].place, into: &result) }
    for inner in (node + 1)..<max(node + 1, nodes[node].end) where !nodes[inner].isElement {
      decode(nodes[inner].place, into: &result)
    }
  }

  /// Whether an element has significant text: any text, but beside child elements only if it is not all white space.
  func hasOwnText(_ element: Int) -> Bool {
    guard nodes[element].hasText else { return false }
    var child = element + 1
    while child < nodes[element].end {
      if !nodes[child].isElement, !nodes[element].hasElements || !isWhiteSpace(nodes[child].place) { return true }
      child = nodes[child].end
    }
    return false
  }

  private func isWhiteSpace(_ text: Range<Int>) -> Bool {
    let bytes = bytes.span
    for index in text where !bytes[index].isWhiteSpace {
      guard ElementText.isMarkup(bytes[index]) else { return false }
      var result: [UInt8] = []
      decode(index..<text.upperBound, into: &result)
      return result.allSatisfy(\.isWhiteSpace)
    }
    return true
  }

  /// The value of an attribute.
  func value(of attribute: Int) -> [UInt8] {
    var result: [UInt8] = []
    appendValue(of: attribute, to: &result)
    return result
  }

  func appendValue(of attribute: Int, to result: inout [UInt8]) {
    let range = attributes[attribute].value
    if !XMLText.hasControl(bytes.span, range) { return decode(range, into: &result) }
    result += XMLText.value(Array(bytes[range]))
  }

  /// Writes a node that is text as a JSON string.
  func writeText(of node: Int, to output: inout ByteWriter) {
    ElementText.write(bytes.span, nodes[node].place, to: &output)
  }

  /// Writes elements as members in one step, while they have only text, and that is the same in JSON.
  /// - Parameters:
  ///   - start: a child of an element.
  ///   - end: the end of that element.
  ///   - comma: goes before the first one.
  /// - Returns: the first child that was not written; `end` if there is none.
  func writePlainMembers(from start: Int, to end: Int, comma: inout UInt8?, to output: inout ByteWriter) -> Int {
    var (child, separator) = (start, comma)
    // If that is too little, the caller writes one, and this goes on.
    output.append(upTo: min(3 * (bytes.count - nodes[start].place.lowerBound), 4096)) { room in
      let bytes = bytes.span
      while child < end {
        let node = nodes[child]
        if node.isElement {
          guard node.attributeCount == 0, !node.hasElements else { return }
          let text = node.hasText ? nodes[child + 1].place : 0..<0
          guard room.freeCapacity >= node.place.count + text.count + 8, ElementText.isPlain(bytes, text) else { return }
          if let separator { room.append(separator) }
          room.append(quoted: bytes.extracting(node.place))
          room.append(UInt8(ascii: ":"))
          if node.hasText { room.append(quoted: bytes.extracting(text)) } else { room.append(span: Self.null.span) }
          separator = UInt8(ascii: ",")
        }
        child = node.end
      }
    }
    comma = separator
    return child
  }

  private static let null = Array("null".utf8)

  /// Writes the text directly in an element as a JSON string.
  func writeOwnText(of element: Int, to output: inout ByteWriter) {
    output.append(UInt8(ascii: "\""))
    var child = element + 1
    while child < nodes[element].end {
      if !nodes[child].isElement { ElementText.writeContents(bytes.span, nodes[child].place, to: &output) }
      child = nodes[child].end
    }
    output.append(UInt8(ascii: "\""))
  }

  /// Writes the value of an attribute as a JSON string.
  func writeValue(of attribute: Int, to output: inout ByteWriter) {
    ElementText.write(value: bytes.span, attributes[attribute].value, to: &output)
  }

  private func decode(_ text: Range<Int>, into result: inout [UInt8]) {
    ElementText.decode(bytes.span, text, into: &result)
  }
}
