// An element that has come as a whole, as a flat list of nodes in the order of the text. It has been judged already.

import FeedCore

struct ElementTree {
  struct Node {
    /// The node around it; -1 for the element itself.
    let parent: Int
    /// The name in `bytes`; nil for text.
    let name: Range<Int>?
    /// In `attributes`.
    let attributes: Range<Int>
    /// For text: in `text`.
    var text: Range<Int>
    /// The node behind all that is in it.
    var end = 0
    /// For an element: the next one beside it that has its name, and whether one before has.
    var twin: Int?
    var hasEarlierTwin = false
    var hasElements = false
  }

  struct Attribute {
    let name: Range<Int>
    let value: [UInt8]
  }

  let bytes: [UInt8]
  private(set) var nodes: [Node] = []
  private(set) var attributes: [Attribute] = []
  /// All text, decoded, one piece behind the other.
  private(set) var text: [UInt8] = []

  private var open: [Int] = []
  private let keepsEntities: Bool

  /// - Parameters:
  ///   - bytes: the element in UTF-8.
  ///   - keepsEntities: whether references to entities stay in the text; otherwise they are errors.
  init(_ bytes: [UInt8], keepsEntities: Bool) throws(XMLError) {
    self.bytes = bytes
    self.keepsEntities = keepsEntities
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "<") else {
        let end = firstIndex(of: UInt8(ascii: "<"), in: bytes.span, index..<bytes.count) ?? bytes.count
        try appendText(index..<end)
        index = end
        continue
      }
      switch bytes[index + 1] {
      case UInt8(ascii: "/"):
        index = (firstIndex(of: UInt8(ascii: ">"), in: bytes.span, index..<bytes.count) ?? bytes.count - 1) + 1
        close()
      case UInt8(ascii: "?"): index = skip(to: "?>", from: index)
      case UInt8(ascii: "!"):
        if startsWith(bytes.span, "<!--", at: index) == .yes {
          index = skip(to: "-->", from: index + 4)
        } else {
          let end = skip(to: "]]>", from: index)
          appendPlain((index + 9)..<(end - 3))
          index = end
        }
      default: index = try startTag(index)
      }
    }
  }

  private func skip(to text: StaticString, from start: Int) -> Int {
    var index = start
    while startsWith(bytes.span, text, at: index) == .no { index += 1 }
    return index + text.utf8CodeUnitCount
  }

  private mutating func startTag(_ start: Int) throws(XMLError) -> Int {
    var tag = StartTag()
    guard case .end(let end, let isEmpty) = try tag.parse(bytes.span, at: start, .utf8, maxAttributes: .max) else {
      return bytes.count
    }
    let first = attributes.count
    for attribute in tag.attributes {
      attributes.append(Attribute(name: attribute.name, value: try decoded(attribute.value)))
    }
    if let parent = open.last { nodes[parent].hasElements = true }
    open.append(nodes.count)
    nodes.append(
      Node(parent: open.dropLast().last ?? -1, name: tag.name, attributes: first..<attributes.count, text: 0..<0))
    if isEmpty { close() }
    return end
  }

  /// Ends the innermost element, and ties those in it together that have one name.
  private mutating func close() {
    guard let element = open.popLast() else { return }
    nodes[element].end = nodes.count
    guard nodes[element].hasElements else { return }
    // The last of each name: looked through while they are few.
    var last: [Int] = []
    var index: [[UInt8]: Int] = [:]
    var child = element + 1
    while child < nodes.count {
      if let name = nodes[child].name {
        var place: Int?
        if last.count <= Self.indexThreshold {
          place = last.firstIndex { isNamed($0, name) }
        } else {
          if index.isEmpty {
            for (place, node) in last.enumerated() { index[Array(bytes[nodes[node].name ?? name])] = place }
          }
          place = index[Array(bytes[name])]
        }
        if let place {
          nodes[last[place]].twin = child
          nodes[child].hasEarlierTwin = true
          last[place] = child
        } else {
          if !index.isEmpty { index[Array(bytes[name])] = last.count }
          last.append(child)
        }
      }
      child = nodes[child].end
    }
  }

  private static let indexThreshold = 32

  private func isNamed(_ node: Int, _ name: Range<Int>) -> Bool {
    guard let other = nodes[node].name, other.count == name.count else { return false }
    return sameBytes(bytes.span.extracting(other), bytes.span.extracting(name))
  }

  private mutating func appendText(_ range: Range<Int>) throws(XMLError) {
    guard !open.isEmpty else { return }
    let source = bytes
    if XMLText.isPlain(source.span, range) { return append(source.span.extracting(range)) }
    let piece = try decoded(range)
    append(piece.span)
  }

  private mutating func appendPlain(_ range: Range<Int>) { append(XMLText.withUnixLineEnds(Array(bytes[range])).span) }

  /// Appends text, to the node before it where that is text too.
  private mutating func append(_ piece: borrowing Span<UInt8>) {
    guard let parent = open.last, !piece.isEmpty else { return }
    let start = text.count
    text.append(span: piece)
    if let node = nodes.last, node.name == nil, node.parent == parent, node.text.upperBound == start {
      nodes[nodes.count - 1].text = node.text.lowerBound..<text.count
    } else {
      nodes.append(Node(parent: parent, name: nil, attributes: 0..<0, text: start..<text.count, end: nodes.count + 1))
    }
  }

  private func decoded(_ range: Range<Int>) throws(XMLError) -> [UInt8] {
    try checkEntities(range)
    return XMLText.decoded(Array(bytes[range]), .utf8)
  }

  private func checkEntities(_ range: Range<Int>) throws(XMLError) {
    if keepsEntities { return }
    guard let name = XMLText.firstEntity(Array(bytes[range])) else { return }
    throw .entity(name, at: range.lowerBound)
  }

  /// All text in a node.
  func text(of node: Int) -> [UInt8] {
    if nodes[node].name == nil { return Array(text[nodes[node].text]) }
    var result: [UInt8] = []
    for inner in (node + 1)..<max(node + 1, nodes[node].end) where nodes[inner].name == nil {
      result += text[nodes[inner].text]
    }
    return result
  }

  /// The text directly in an element.
  func ownText(of element: Int) -> [UInt8] {
    var result: [UInt8] = []
    for child in children(of: element) where nodes[child].name == nil { result += text[nodes[child].text] }
    return result
  }

  /// Whether an element has text that counts: any, but beside other elements more than white space.
  func hasOwnText(_ element: Int) -> Bool {
    var child = element + 1
    while child < nodes[element].end {
      if nodes[child].name == nil {
        if !nodes[element].hasElements { return true }
        if !text[nodes[child].text].allSatisfy(isWhiteSpace) { return true }
      }
      child = nodes[child].end
    }
    return false
  }

  /// Writes a text node as a JSON string.
  func writeText(_ node: Int, to output: inout ByteWriter) {
    let text = text
    JSONString.write(text.span.extracting(nodes[node].text), to: &output)
  }

  func children(of element: Int) -> [Int] {
    var children: [Int] = []
    var child = element + 1
    while child < nodes[element].end {
      children.append(child)
      child = nodes[child].end
    }
    return children
  }
}
