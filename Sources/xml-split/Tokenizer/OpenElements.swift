// The open elements.

import FeedCore

/// Their names are ranges, usually of the text, because most elements end soon. Only the names of elements that are
/// open where the text is cut are copied.
struct OpenElements {
  /// The first `named` ones; those after them were of others that have ended.
  private var ranges: [Range<Int>] = []
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
  private(set) var named = 0

  @inline(__always)
  mutating func open(_ name: Range<Int>) {
    if named < ranges.count { ranges[named] = name } else { ranges.append(name) }
    named &+= 1
  }

  mutating func openBeyondLimit() { beyondLimit += 1 }

  /// Ends the innermost element.
  @inline(__always)
  mutating func close() {
    if beyondLimit > 0 { beyondLimit -= 1 } else { closeNamed() }
  }

  /// The same if none is open beyond the depth limit.
  @inline(__always)
  mutating func closeNamed() {
    named -= 1
    if named < copied { forgetCopies() }
  }

  /// Forgets the copies of the name of the element that has ended.
  private mutating func forgetCopies() {
    copied = named
    if named < keptCount {
      keptCount = named
      kept.removeLast(ranges[named].count)
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
    var end = bytes.count
    if case .at(let found) = XMLName.end(bytes, start) { end = found }
    if end == start { return XMLError("expected a name after '</'", at: start) }
    let found = array(bytes, start..<end)
    let expected = topName(in: bytes)
    if expected == found { return XMLError("expected '>' after the name of an end tag", at: end) }
    return XMLError("expected </\(shortened(expected))>, found </\(shortened(found))>", at: start - 2)
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
