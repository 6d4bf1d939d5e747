import FeedCore

/// Makes the tree of a wanted element while the tokenizer reads it, so that no byte is read twice. Wanted elements may
/// be inside one another: the tree of an inner one is a part of that of the outermost.
///
/// The tokenizer reports tags, and other markup only to tell whether there is text between two tags. Offsets in the tree
/// count from the outermost element, so they stay right when the text before it is dropped.
struct ElementTape {
  /// The outermost element, complete or not. While an element is open, its `end` is the index of its parent.
  private var tree = ElementTree()
  /// The last element that was asked for.
  private(set) var finished = ElementTree()
  /// The innermost open element; `none` if nothing is recorded.
  private var current = Self.none
  private static let none = -1
  /// The offset of the outermost element in the text.
  private var base = 0
  /// The end of the last tag, and of the last markup of any kind.
  private var textStart = 0
  private var markupEnd = 0
  /// Whether there is text since the last tag, between other markup or in a CDATA section.
  private var hasText = false

  /// The largest element whose memory is kept.
  private static let maxKept = 1 << 20

  @inline(__always)
  var isRecording: Bool { current != Self.none }
  /// How many nodes were forgotten since the beginning. They still count, so a place on the tape stays the same.
  private var forgotten = 0
  /// The place of the last node.
  var last: Int { forgotten + tree.nodes.count - 1 }

  /// Begins with the tag of an element.
  mutating func begin(
    _ name: Range<Int>, _ attributes: borrowing [StartTag.Attribute], _ range: Range<Int>, isEmpty: Bool
  ) {
    tree.nodes.remove(from: 0)
    if !tree.attributes.isEmpty { tree.attributes.removeAll(keepingCapacity: true) }
    base = range.lowerBound
    forgotten = 0
    open(name, attributes, range, isEmpty: isEmpty)
  }

  /// Forgets all.
  mutating func stop() { current = Self.none }

  /// Prepares for the removal of the first bytes of the text.
  mutating func drop(_ count: Int) { base -= count }

  // MARK: Recording

  @inline(__always)
  mutating func open(
    _ name: Range<Int>, _ attributes: borrowing [StartTag.Attribute], _ range: Range<Int>, isEmpty: Bool
  ) {
    let first = tree.attributes.count
    if !attributes.isEmpty { take(attributes) }
    open(name, range, attributes: first..<tree.attributes.count, isEmpty: isEmpty)
  }

  /// Records a start tag without attributes.
  @inline(__always)
  mutating func open(_ name: Range<Int>, _ range: Range<Int>) {
    let end = tree.attributes.count
    open(name, range, attributes: end..<end, isEmpty: false)
  }

  private mutating func take(_ attributes: borrowing [StartTag.Attribute]) {
    for index in 0..<attributes.count {
      let (name, value) = (attributes[index].name, attributes[index].value)
      tree.attributes.append(ElementTree.NodeAttribute(name: place(name), value: place(value)))
    }
  }

  @inline(__always)
  private mutating func open(_ name: Range<Int>, _ range: Range<Int>, attributes: Range<Int>, isEmpty: Bool) {
    let index: Int
    if isRecording {
      endText(at: range.lowerBound)
      index = tree.nodes.count
      tree.nodes[current].hasElements = true
    } else {
      index = 0
    }
    tree.nodes.append(
      ElementTree.Node(isElement: true, place(name), attributes: attributes, end: isEmpty ? index + 1 : current))
    if !isEmpty { current = index }
    endMarkup(at: range.upperBound)
  }

  @inline(__always)
  mutating func close(_ range: Range<Int>) {
    endText(at: range.lowerBound)
    current = tree.nodes[current].close(at: tree.nodes.count)
    endMarkup(at: range.upperBound)
  }

  @inline(__always)
  private func place(_ range: Range<Int>) -> Range<Int> {
    (range.lowerBound &- base)..<(range.upperBound &- base)
  }

  @inline(__always)
  private mutating func endMarkup(at end: Int) {
    textStart = end &- base
    markupEnd = textStart
    hasText = false
  }

  /// Makes a node of the text before a tag, if there is any.
  @inline(__always)
  private mutating func endText(at end: Int) {
    let end = end &- base
    guard hasText || markupEnd < end else { return }
    tree.nodes[current].hasText = true
    tree.nodes.append(
      ElementTree.Node(isElement: false, textStart..<end, attributes: 0..<0, end: tree.nodes.count + 1))
  }

  /// Begins a comment, an instruction or a CDATA section.
  mutating func enterMarkup(at start: Int) {
    if markupEnd < start &- base { hasText = true }
    markupEnd = start &- base
  }

  /// Ends it.
  mutating func leaveMarkup(at end: Int, _ markup: DelimitedMarkup) {
    let delimiters = markup.start.utf8CodeUnitCount + markup.end.utf8CodeUnitCount
    if markup == .cdataSection, end &- base &- markupEnd > delimiters { hasText = true }
    markupEnd = end &- base
  }

  // MARK: Trees

  /// Forgets the elements around the one at `place`, and all before it.
  mutating func forget(before place: Int) {
    let node = place - forgotten
    guard node > 0 else { return }
    forgotten = place
    tree.nodes.removeFirst(node)
    let attributes = tree.nodes[0].firstAttribute
    tree.attributes.removeFirst(attributes)
    for index in tree.nodes.indices {
      tree.nodes[index].end -= node
      tree.nodes[index].firstAttribute -= attributes
    }
    // The element may have ended with the last tag.
    if current < node { return current = Self.none }
    tree.nodes[0].end = Self.none
    current -= node
  }

  /// Completes the tree of an element: `finished`.
  /// - Parameters:
  ///   - place: where the element is on the tape.
  ///   - range: where it is in the text.
  mutating func finish(
    _ place: Int, _ bytes: borrowing Span<UInt8>, _ range: Range<Int>, in namespaces: Namespaces
  ) {
    let node = place - forgotten
    if finished.bytes.count > Self.maxKept { finished = ElementTree() }
    // What is around an element may be forgotten, but the offsets still count from there.
    if range.lowerBound == base { swap(&tree, &finished) } else { copy(from: node, offset: range.lowerBound &- base) }
    finished.namespaces = namespaces
    finished.bytes.removeAll(keepingCapacity: true)
    finished.bytes.append(span: bytes.extracting(range))
  }

  /// Forgets what is in scope in `finished`.
  mutating func releaseNamespaces() {
    if !finished.namespaces.declarations.isEmpty { finished.namespaces = Namespaces() }
  }

  /// Copies an inner element, which the outer ones also need.
  private mutating func copy(from node: Int, offset: Int) {
    let first = tree.nodes[node].firstAttribute
    var last = first
    finished.nodes.remove(from: 0)
    for index in node..<tree.nodes[node].end {
      finished.nodes.append(tree.nodes[index].moved(by: node, attributes: first, bytes: offset))
      if tree.nodes[index].isElement { last = tree.nodes[index].attributes.upperBound }
    }
    finished.attributes.removeAll(keepingCapacity: true)
    for attribute in tree.attributes[first..<last] { finished.attributes.append(attribute.moved(by: offset)) }
  }
}

extension XMLTokenizer {
  /// Records the element of the last start tag or empty tag, if it is not already recorded inside another one.
  /// - Returns: its place on the tape.
  mutating func record(_ token: Token) -> Int {
    if !tape.isRecording { tape.begin(token.name, attributes, token.range, isEmpty: token.kind == .emptyTag) }
    return tape.last
  }

  /// The tree of a complete element.
  static func tree(of element: [UInt8], in namespaces: Namespaces) throws(XMLError) -> ElementTree {
    var tokenizer = ofEntity()
    var place: Int?
    while let token = try tokenizer.next(element.span, isLast: true, deepest: 1) {
      if place == nil { place = tokenizer.record(token) }
    }
    if let place { tokenizer.tape.finish(place, element.span, 0..<element.count, in: namespaces) }
    return tokenizer.tape.finished
  }
}
