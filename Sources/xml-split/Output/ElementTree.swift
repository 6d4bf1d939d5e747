// An element that has come as a whole, as a flat list of nodes in the order of the text. It has been judged already.

import FeedCore

struct ElementTree {
  struct Node {
    let isElement: Bool
    /// An element's name in `bytes`, or a piece of `text`.
    fileprivate(set) var place: Range<Int>
    /// In `attributes`.
    let attributes: Range<Int>
    /// The same for equal names, and mostly another one for others.
    let hash: UInt64
    /// The node behind all that is in it.
    var end: Int
    /// For an element: the next one beside it that has its name, and whether one before has.
    var twin: Int?
    var hasEarlierTwin = false
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

  let bytes: [UInt8]
  private(set) var nodes: [Node] = []
  private(set) var attributes: [Attribute] = []
  /// All text and all values of attributes, decoded, one piece behind the other.
  private(set) var text: [UInt8] = []

  private var open: [Int] = []
  private let keepsEntities: Bool
  private var tag = StartTag()
  /// Whether the last node is text that goes on where a comment or a section was.
  private var isInText = false
  private var siblings = TwinSearch()

  /// - Parameters:
  ///   - bytes: the element in UTF-8.
  ///   - keepsEntities: whether references to entities stay in the text; otherwise they are errors.
  init(_ bytes: [UInt8], keepsEntities: Bool) throws(XMLError) {
    self.bytes = bytes
    self.keepsEntities = keepsEntities
    text.reserveCapacity(bytes.count)
    // More than most texts need: a node for sixteen bytes.
    nodes.reserveCapacity(bytes.count / 16)
    let bytes = bytes.span
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "<") else {
        index = try takeText(bytes, index)
        continue
      }
      switch bytes[index + 1] {
      case UInt8(ascii: "/"):
        index = (firstIndex(of: UInt8(ascii: ">"), in: bytes, index..<bytes.count) ?? bytes.count - 1) + 1
        close(bytes)
      case UInt8(ascii: "?"): index = MarkupWalk.end(of: "?>", bytes, from: index)
      case UInt8(ascii: "!"):
        if startsWith(bytes, "<!--", at: index) == .yes {
          index = MarkupWalk.end(of: "-->", bytes, from: index + 4)
        } else {
          let end = MarkupWalk.end(of: "]]>", bytes, from: index)
          takeSection(bytes, (index + 9)..<(end - 3))
          index = end
        }
      default: index = try startTag(bytes, index)
      }
    }
  }

  private mutating func startTag(_ bytes: borrowing Span<UInt8>, _ start: Int) throws(XMLError) -> Int {
    guard case .end(let end, let isEmpty) = try tag.parse(bytes, at: start, .utf8, maxAttributes: .max) else {
      return bytes.count
    }
    let first = attributes.count
    for index in tag.attributes.indices { try takeAttribute(bytes, tag.attributes[index]) }
    if let parent = open.last { nodes[parent].hasElements = true }
    open.append(nodes.count)
    nodes.append(
      Node(
        isElement: true, place: tag.name, attributes: first..<attributes.count, hash: Self.hash(of: bytes, tag.name),
        end: 0))
    isInText = false
    if isEmpty { close(bytes) }
    return end
  }

  private mutating func takeAttribute(
    _ bytes: borrowing Span<UInt8>, _ attribute: StartTag.Attribute
  ) throws(XMLError) {
    let first = text.count
    let end = attribute.value.upperBound
    var index = attribute.value.lowerBound
    while index < end {
      let stop = XMLText.firstOf(UInt8(ascii: "&"), 0xD, bytes[end], in: bytes, from: index)
      text.append(span: bytes.extracting(index..<stop))
      guard stop < end else { break }
      index =
        bytes[stop] == 0xD
        ? takeLineEnd(bytes, stop) : try takeReference(bytes, stop)
    }
    attributes.append(Attribute(name: attribute.name, value: first..<text.count))
  }

  /// Ends the innermost element, and ties those in it together that have one name.
  private mutating func close(_ bytes: borrowing Span<UInt8>) {
    guard let element = open.popLast() else { return }
    isInText = false
    nodes[element].end = nodes.count
    if nodes[element].hasElements { siblings.tie(&nodes, in: element, bytes) }
  }

  /// A few bits of every byte of a name, taken eight at a time where they are there.
  private static func hash(of bytes: borrowing Span<UInt8>, _ name: Range<Int>) -> UInt64 {
    var hash = UInt64(truncatingIfNeeded: name.count)
    var index = name.lowerBound
    while index < name.upperBound {
      // Behind a name there is always `>` or more; a name at the end of the text is taken byte by byte.
      let left = name.upperBound - index
      let word: UInt64
      if index + 8 <= bytes.count {
        word = left < 8 ? loadWord(bytes, at: index) & (1 &<< UInt64(8 * left) &- 1) : loadWord(bytes, at: index)
        index += 8
      } else {
        word = UInt64(bytes[index])
        index += 1
      }
      hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash &>> 32
    }
    return hash
  }

  // MARK: Text

  /// Takes in the text from `start` on.
  /// - Returns: where the next markup begins.
  private mutating func takeText(_ bytes: borrowing Span<UInt8>, _ start: Int) throws(XMLError) -> Int {
    let first = text.count
    var index = start
    while true {
      let end = XMLText.firstOf(UInt8(ascii: "<"), UInt8(ascii: "&"), 0xD, in: bytes, from: index)
      text.append(span: bytes.extracting(index..<end))
      guard end < bytes.count, bytes[end] != UInt8(ascii: "<") else {
        endText(from: first)
        return end
      }
      index = bytes[end] == 0xD ? takeLineEnd(bytes, end) : try takeReference(bytes, end)
    }
  }

  /// Takes in what is in a CDATA section.
  private mutating func takeSection(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) {
    let first = text.count
    var index = range.lowerBound
    while let end = firstIndex(of: 0xD, in: bytes, index..<range.upperBound) {
      text.append(span: bytes.extracting(index..<end))
      index = takeLineEnd(bytes, end)
    }
    text.append(span: bytes.extracting(index..<range.upperBound))
    endText(from: first)
  }

  /// Makes a node of the text from `first` on, or adds it to the one before where that is text too.
  private mutating func endText(from first: Int) {
    guard text.count > first else { return }
    if isInText {
      nodes[nodes.count - 1].place = nodes[nodes.count - 1].place.lowerBound..<text.count
    } else {
      nodes.append(
        Node(isElement: false, place: first..<text.count, attributes: 0..<0, hash: 0, end: nodes.count + 1))
      isInText = true
    }
  }

  /// A line end is one line feed (§2.11). What references stand for stays as it is.
  private mutating func takeLineEnd(_ bytes: borrowing Span<UInt8>, _ index: Int) -> Int {
    text.append(0xA)
    return index + 1 < bytes.count && bytes[index + 1] == 0xA ? index + 2 : index + 1
  }

  private mutating func takeReference(_ bytes: borrowing Span<UInt8>, _ index: Int) throws(XMLError) -> Int {
    if let (code, end) = XMLReference.simple(bytes, at: index) {
      UTF8Sequence.append(code, to: &text)
      return end
    }
    let end = (firstIndex(of: UInt8(ascii: ";"), in: bytes, index..<bytes.count) ?? bytes.count - 1) + 1
    switch try XMLReference(bytes, index..<end, .utf8) {
    case .character(let code): UTF8Sequence.append(code, to: &text)
    case .entity(let name):
      if let byte = XMLReference.predefined(name) {
        text.append(byte)
      } else if keepsEntities {
        text.append(span: bytes.extracting(index..<end))
      } else {
        throw XMLError.entity(name, at: index)
      }
    }
    return end
  }

  // MARK: What is in it

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
