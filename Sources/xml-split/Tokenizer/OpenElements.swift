// The open elements.

import FeedCore

/// Their names are ranges, usually of the text, because most elements end soon. Only the names of elements that are
/// open where the text is cut are copied.
struct OpenElements {
  private var ranges = ReusedArray<Range<Int>>()
  /// The names of the outermost elements whose text was dropped; their ranges refer to this.
  private var kept: [UInt8] = []
  private var keptCount = 0
  /// The names of the outermost elements that `depth(of:in:)` has counted, and how many of these have each name.
  private var counted: [[UInt8]] = []
  private var counts: [[UInt8]: Int] = [:]
  /// Of this many elements, a name is in `kept` or `counted`.
  private var copied = 0
  /// How many more elements are open, inside the others, beyond the depth limit.
  private(set) var beyondLimit = 0

  var depth: Int { named + beyondLimit }
  var names = WantedNames()
  /// How many open elements have known names.
  var named: Int { ranges.count }

  @inline(__always)
  mutating func open(_ name: Range<Int>) { ranges.append(name) }

  mutating func openBeyondLimit() { beyondLimit += 1 }

  /// Ends the innermost element.
  @inline(__always)
  mutating func close() {
    if beyondLimit > 0 { beyondLimit -= 1 } else { closeNamed() }
  }

  /// The same if none is open beyond the depth limit.
  @inline(__always)
  mutating func closeNamed() {
    let name = ranges[named - 1]
    ranges.remove(from: named - 1)
    if named < copied { forgetCopies(of: name) }
  }

  /// Forgets the copies of the name of the element that has ended.
  private mutating func forgetCopies(of name: Range<Int>) {
    copied = named
    if named < keptCount {
      keptCount = named
      kept.removeLast(name.count)
    }
    if named < counted.count {
      let name = counted.removeLast()
      let count = counts.removeValue(forKey: name) ?? 0
      if count > 1 { counts[name] = count - 1 }
    }
  }

  /// Ends the innermost element with this name, and everything inside it.
  /// - Returns: false if none is open.
  mutating func closeAll(to name: [UInt8], in text: borrowing Span<UInt8>) -> Bool {
    guard let depth = depth(of: name, in: text) else { return false }
    while named >= depth { closeNamed() }
    return true
  }

  /// How many elements are around the innermost one with this name, including itself; nil if none is open. Each element
  /// is counted once, so a name that is not open costs no search.
  mutating func depth(of name: [UInt8], in text: borrowing Span<UInt8>) -> Int? {
    while counted.count < named {
      let name = self.name(counted.count, in: text)
      counted.append(name)
      counts[name, default: 0] += 1
    }
    copied = named
    guard counts[name, default: 0] > 0 else { return nil }
    return counted.lastIndex(of: name).map { $0 + 1 }
  }

  /// The end tags of all elements deeper than this.
  func endTags(below depth: Int, in text: borrowing Span<UInt8>) -> [UInt8] {
    var tags: [UInt8] = []
    for index in (depth..<named).reversed() {
      tags += Array("</".utf8) + name(index, in: text) + [UInt8(ascii: ">")]
    }
    return tags
  }

  /// Prepares for the removal of the first bytes of the text.
  mutating func drop(_ count: Int, of text: borrowing Span<UInt8>) {
    for index in keptCount..<named {
      let name = ranges[index]
      if name.lowerBound < count {
        ranges[index] = kept.count..<(kept.count + name.count)
        kept.append(span: text.extracting(name))
        keptCount = index + 1
        copied = max(copied, keptCount)
      } else {
        ranges[index] = (name.lowerBound - count)..<(name.upperBound - count)
      }
    }
  }

  // MARK: The innermost element

  /// The length of its name in bytes.
  var topCount: Int { named == 0 ? 0 : ranges[named - 1].count }

  /// Whether its name is also at `start`, where there must be room for it.
  @inline(__always)
  func hasTopName(at start: Int, in text: borrowing Span<UInt8>) -> Bool {
    let name = ranges[named - 1]
    if named > keptCount { return hasSameBytes(text, name, text, at: start) }
    return hasSameBytes(kept.span, name, text, at: start)
  }

  func topName(in text: borrowing Span<UInt8>) -> [UInt8] {
    named == 0 ? [] : name(named - 1, in: text)
  }

  private func name(_ index: Int, in text: borrowing Span<UInt8>) -> [UInt8] {
    index < keptCount ? Array(kept[ranges[index]]) : array(text, ranges[index])
  }

  /// The error for an end tag that does not match this element.
  /// - Parameter start: the offset of the name in the tag.
  func mismatch(_ bytes: borrowing Span<UInt8>, at start: Int) -> XMLError {
    // If only part of a name has come, that part is shown.
    let end = XMLName.end(bytes, start) ?? bytes.count
    if end == start { return XMLError("expected a name after '</'", at: start) }
    let found = array(bytes, start..<end)
    let expected = topName(in: bytes)
    if expected == found { return XMLError("expected '>' after the name of an end tag", at: end) }
    return XMLError("expected </\(shortened(expected))>, found </\(shortened(found))>", at: start - 2)
  }
}

// The short way through the most common parts of a document: plain text and right tags. Anything else is left to the
// long way, which also knows the errors.

extension OpenElements {
  /// Names whose start tags are returned at any depth: that of the root, and that of a wanted element.
  struct WantedNames {
    private var root: [UInt8] = []
    private var inner: [UInt8] = []
    /// A bit for the length of each, the last one for all that are longer.
    private var lengths: UInt64 = 0

    /// - Parameters: each is empty for no name.
    mutating func set(root: [UInt8], inner: [UInt8]) {
      if root == self.root, inner == self.inner { return }
      (self.root, self.inner) = (root, inner)
      lengths = [root, inner].reduce(0) { $1.isEmpty ? $0 : $0 | 1 << UInt64(min($1.count, 63)) }
    }

    @inline(__always)
    func contains(_ name: Range<Int>, _ bytes: borrowing Span<UInt8>) -> Bool {
      guard lengths & 1 &<< UInt64(min(name.count, 63)) != 0 else { return false }
      return isName(bytes, name, root) || isName(bytes, name, inner)
    }
  }

  /// Reads up to the next tag that is wanted, inside the root element.
  /// - Parameters:
  ///   - place: from where; then where it has stopped, after the tag, or where something else comes, or more bytes are
  ///     needed to decide.
  ///   - deepest: elements deeper than this are checked, but their tags are not returned, unless `names` has them.
  ///   - tag: the last start tag.
  /// - Returns: nil if it has stopped before such a tag.
  @inline(__always)
  mutating func run(
    _ bytes: borrowing Span<UInt8>, from place: inout Int, deepest: Int,
    _ limits: XMLTokenizer.Limits, _ tag: inout StartTag, recording tape: inout ElementTape
  ) -> XMLTokenizer.Token? {
    var index = place
    defer { place = index }
    while index + 3 < bytes.count {
      guard bytes[index] == UInt8(ascii: "<") else {
        index = XMLText.plainEnd(bytes, index)
        guard index < bytes.count, bytes[index] == UInt8(ascii: "<") else { return nil }
        continue
      }
      let (start, depth) = (index, named)
      if bytes[start + 1] == UInt8(ascii: "/") {
        // The document ends with the root.
        guard depth > 1 else { return nil }
        let name = (start + 2)..<(start + 2 + topCount)
        guard name.upperBound < bytes.count, bytes[name.upperBound] == UInt8(ascii: ">"),
          hasTopName(at: start + 2, in: bytes)
        else { return nil }
        index = name.upperBound + 1
        closeNamed()
        if tape.isRecording { tape.close(start..<index) }
        if depth <= deepest {
          return XMLTokenizer.Token(kind: .endTag, range: start..<index, name: name, depth: depth)
        }
      } else {
        guard depth < limits.maxDepth, let nameEnd = XMLName.end(bytes, start + 1), nameEnd > start + 1 else {
          return nil
        }
        let name = (start + 1)..<nameEnd
        let isPlain = bytes[nameEnd] == UInt8(ascii: ">")
        var isEmpty = false
        if isPlain {
          guard nameEnd - start < limits.maxToken else { return nil }
          index = nameEnd + 1
          if tape.isRecording { tape.open(name, start..<index) }
        } else {
          guard let result = tag.plainEnd(bytes, at: start, nameEnd, limits) else { return nil }
          (index, isEmpty) = result
          if tape.isRecording { tape.open(name, tag.attributes, start..<index, isEmpty: isEmpty) }
        }
        if !isEmpty { open(name) }
        if depth < deepest || names.contains(name, bytes) {
          if isPlain { tag.begin(name) }
          let kind = isEmpty ? XMLTokenizer.Token.Kind.emptyTag : .startTag
          return XMLTokenizer.Token(kind: kind, range: start..<index, name: name, depth: depth + 1)
        }
      }
    }
    return nil
  }
}

/// Whether a name in the text is this name.
@inline(__always)
func isName(_ text: borrowing Span<UInt8>, _ place: Range<Int>, _ name: [UInt8]) -> Bool {
  place.count == name.count && sameBytes(text.extracting(place), name.span)
}

/// Whether the bytes of a range are also at another place, compared eight at a time.
@inline(__always)
private func hasSameBytes(
  _ left: borrowing Span<UInt8>, _ range: Range<Int>, _ right: borrowing Span<UInt8>, at start: Int
) -> Bool {
  var (index, other) = (range.lowerBound, start)
  while index + 8 <= left.count, other + 8 <= right.count {
    let difference = loadWord(left, at: index) ^ loadWord(right, at: other)
    if difference != 0 { return index + difference.lowestPlace >= range.upperBound }
    index += 8
    other += 8
    if index >= range.upperBound { return true }
  }
  while index < range.upperBound {
    if left[index] != right[other] { return false }
    index += 1
    other += 1
  }
  return true
}

/// An array whose elements hold no references, and which keeps its memory. Emptying it costs nothing.
struct ReusedArray<Element> {
  /// The first `count` ones; those after them have been removed.
  private var elements: [Element] = []
  private(set) var count = 0

  var indices: Range<Int> { 0..<count }

  subscript(index: Int) -> Element {
    @inline(__always) get { elements[index] }
    @inline(__always) _modify { yield &elements[index] }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count < elements.count { elements[count] = element } else { elements.append(element) }
    count &+= 1
  }

  /// Removes all elements from `index` on.
  @inline(__always)
  mutating func remove(from index: Int) { count = index }

  mutating func removeFirst(_ removed: Int) {
    elements.removeFirst(removed)
    count -= removed
  }
}
