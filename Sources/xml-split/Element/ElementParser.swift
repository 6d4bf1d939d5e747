// Reads a complete, well-formed element. One parser reads many elements, one after another, and reuses its memory.

import FeedCore

struct ElementParser {
  /// The last element read. The next one uses its memory.
  private(set) var tree = ElementTree()

  /// The largest element whose memory is kept.
  private static let maxKept = 1 << 20
  /// Whether references to entities stay in the text; if not, they are errors.
  private let keepsEntities: Bool
  private var open: [Int] = []
  private var tag = StartTag()
  /// Whether the last node is text that continues after a comment, an instruction or a CDATA section.
  private var isInText = false
  private var siblings = SiblingLinks()

  init(keepsEntities: Bool) { self.keepsEntities = keepsEntities }

  /// - Parameters:
  ///   - element: in UTF-8.
  ///   - namespaces: what is in scope in it.
  mutating func parse(_ element: borrowing Span<UInt8>, in namespaces: Namespaces) throws(XMLError) {
    if tree.bytes.count > Self.maxKept { tree = ElementTree() }
    // Moved out, so that they can be read while the tree grows.
    var bytes: [UInt8] = []
    swap(&bytes, &tree.bytes)
    bytes.removeAll(keepingCapacity: true)
    bytes.append(span: element)
    defer { swap(&bytes, &tree.bytes) }
    clear()
    tree.namespaces = namespaces
    // Enough for most texts: a node for every sixteen bytes.
    tree.nodes.reserveCapacity(bytes.count / 16)
    tree.text.reserveCapacity(bytes.count)
    try take(bytes.span)
  }

  private mutating func clear() {
    tree.nodes.removeAll(keepingCapacity: true)
    tree.attributes.removeAll(keepingCapacity: true)
    tree.text.removeAll(keepingCapacity: true)
    open.removeAll(keepingCapacity: true)
    isInText = false
  }

  private mutating func take(_ bytes: borrowing Span<UInt8>) throws(XMLError) {
    var index = 0
    while index < bytes.count {
      let piece = ElementPiece(bytes, at: index)
      switch piece {
      case .text:
        let first = tree.text.count
        index = try decode(bytes, from: index, to: UInt8(ascii: "<"))
        endText(from: first)
      case .startTag: index = try startTag(bytes, index)
      case .endTag:
        index = piece.end(bytes, from: index)
        close(bytes)
      case .delimited(let markup):
        let content = markup.content(in: bytes, at: index)
        if markup == .cdataSection { takeSection(bytes, content) }
        index = content.upperBound + markup.end.utf8CodeUnitCount
      }
    }
  }

  private mutating func startTag(_ bytes: borrowing Span<UInt8>, _ start: Int) throws(XMLError) -> Int {
    guard case .end(let end, let isEmpty) = try tag.parse(bytes, at: start, .utf8, maxAttributes: .max) else {
      return bytes.count
    }
    let first = tree.attributes.count
    for index in tag.attributes.indices {
      let (name, value, start) = (tag.attributes[index].name, tag.attributes[index].value, tree.text.count)
      _ = try decode(bytes, from: value.lowerBound, to: bytes[value.upperBound])
      tree.attributes.append(ElementTree.Attribute(name: name, value: start..<tree.text.count))
    }
    if let parent = open.last { tree.nodes[parent].hasElements = true }
    open.append(tree.nodes.count)
    tree.nodes.append(
      ElementTree.Node(
        isElement: true, place: tag.name, attributes: first..<tree.attributes.count,
        hash: Self.hash(of: bytes, tag.name), end: 0))
    isInText = false
    if isEmpty { close(bytes) }
    return end
  }

  /// - Returns: the offset at which the text ends.
  private mutating func decode(_ bytes: borrowing Span<UInt8>, from start: Int, to end: UInt8) throws(XMLError) -> Int {
    try XMLText.decode(bytes, from: start, to: end, into: &tree.text) { (name, offset) throws(XMLError) in
      if !keepsEntities { throw XMLError.entity(name, at: offset) }
    }
  }

  /// Ends the innermost element, and links its children that have the same name.
  private mutating func close(_ bytes: borrowing Span<UInt8>) {
    guard let element = open.popLast() else { return }
    isInText = false
    tree.nodes[element].end = tree.nodes.count
    if tree.nodes[element].hasElements { siblings.link(&tree.nodes, in: element, bytes) }
  }

  /// A hash from a few bits of every byte of a name, eight bytes at a time if possible.
  private static func hash(of bytes: borrowing Span<UInt8>, _ name: Range<Int>) -> UInt64 {
    var hash = UInt64(truncatingIfNeeded: name.count)
    var index = name.lowerBound
    while index < name.upperBound {
      // A name is always followed by at least `>`; a name at the end of the text is read byte by byte.
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

  /// Adds the content of a CDATA section.
  private mutating func takeSection(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) {
    let first = tree.text.count
    var index = range.lowerBound
    while let end = firstIndex(of: 0xD, in: bytes, index..<range.upperBound) {
      tree.text.append(span: bytes.extracting(index..<end))
      tree.text.append(0xA)
      // A carriage return and a line feed are one line end (§2.11).
      index = bytes[end + 1] == 0xA ? end + 2 : end + 1
    }
    tree.text.append(span: bytes.extracting(index..<range.upperBound))
    endText(from: first)
  }

  /// Makes a node of the text from `first`, or joins it to the last node if that is text.
  private mutating func endText(from first: Int) {
    guard tree.text.count > first else { return }
    if isInText {
      tree.nodes[tree.nodes.count - 1].place = tree.nodes[tree.nodes.count - 1].place.lowerBound..<tree.text.count
    } else {
      tree.nodes.append(
        ElementTree.Node(
          isElement: false, place: first..<tree.text.count, attributes: 0..<0, hash: 0, end: tree.nodes.count + 1))
      isInText = true
    }
  }
}
