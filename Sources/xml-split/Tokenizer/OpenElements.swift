// The elements that are open.

import FeedCore

/// Their names are places: mostly in the text, since most elements end soon. Only the names of those around a place where
/// the text is cut are kept.
struct OpenElements {
  private var names: [Range<Int>] = []
  /// The names of the outermost elements, whose text has been dropped; `names` has where they are in here.
  private var kept: [UInt8] = []
  private var keptCount = 0
  /// How many more are open, inside the others, beyond the limit of the depth.
  private(set) var beyondLimit = 0

  var depth: Int { names.count + beyondLimit }
  /// How many are open whose names are known.
  var named: Int { names.count }

  @inline(__always)
  mutating func open(_ name: Range<Int>) { names.append(name) }

  mutating func openBeyondLimit() { beyondLimit += 1 }

  /// Ends the innermost element.
  @inline(__always)
  mutating func close() {
    if beyondLimit > 0 { beyondLimit -= 1 } else { closeNamed() }
  }

  @inline(__always)
  private mutating func closeNamed() {
    let name = names.removeLast()
    guard names.count < keptCount else { return }
    keptCount = names.count
    kept.removeLast(name.count)
  }

  /// Ends the innermost element of this name, and all inside it.
  /// - Returns: false where none is open.
  mutating func closeAll(to name: [UInt8], in text: borrowing Span<UInt8>) -> Bool {
    for index in names.indices.reversed() where self.name(index, in: text) == name {
      while names.count > index { closeNamed() }
      return true
    }
    return false
  }

  /// The first bytes of the text go.
  mutating func drop(_ count: Int, of text: borrowing Span<UInt8>) {
    for index in keptCount..<names.count {
      let name = names[index]
      if name.lowerBound < count {
        names[index] = kept.count..<(kept.count + name.count)
        kept.append(span: text.extracting(name))
        keptCount = index + 1
      } else {
        names[index] = (name.lowerBound - count)..<(name.upperBound - count)
      }
    }
  }

  // MARK: The innermost element

  /// How many bytes its name has.
  var topCount: Int { names.last?.count ?? 0 }

  /// Whether its name is at `start` too, which leaves it room.
  @inline(__always)
  func hasTopName(at start: Int, in text: borrowing Span<UInt8>) -> Bool {
    let name = names[names.count - 1]
    if names.count > keptCount { return hasSameBytes(text, name, text, at: start) }
    return hasSameBytes(kept.span, name, text, at: start)
  }

  func topName(in text: borrowing Span<UInt8>) -> [UInt8] {
    names.isEmpty ? [] : name(names.count - 1, in: text)
  }

  private func name(_ index: Int, in text: borrowing Span<UInt8>) -> [UInt8] {
    index < keptCount ? Array(kept[names[index]]) : array(text, names[index])
  }

  /// What is wrong with an end tag that is not of this element.
  /// - Parameter start: of the name in it.
  func mismatch(_ bytes: borrowing Span<UInt8>, at start: Int, _ encoding: XMLEncoding) -> XMLError {
    // A name that has not come as a whole is shown as far as it has.
    var end = bytes.count
    if case .at(let found) = XMLName.end(bytes, start, encoding) { end = found }
    if end == start { return XMLError("expected a name after '</'", at: start) }
    let found = array(bytes, start..<end)
    let expected = topName(in: bytes)
    if expected == found { return XMLError("expected '>' after the name of an end tag", at: end) }
    return XMLError("expected </\(shortened(expected))>, found </\(shortened(found))>", at: start - 2)
  }

  // MARK: Many at once

  /// Passes over what most of a document is, for as long as nothing in it is wanted: plain text, `<name>` and `</name>`.
  /// - Parameters:
  ///   - deepest: elements deeper than that are not wanted.
  ///   - wanted: a name that is wanted at any depth.
  /// - Returns: where something else comes, or it cannot be told yet what comes.
  @inline(__always)
  mutating func skipUnwanted(
    _ bytes: borrowing Span<UInt8>, from start: Int, deepest: Int, wanted: [UInt8], _ encoding: XMLEncoding,
    _ limits: XMLTokenizer.Limits
  ) -> Int {
    // With the root the content ends.
    let deepest = max(deepest, 1)
    var index = start
    while index + 2 < bytes.count {
      guard bytes[index] == UInt8(ascii: "<") else {
        index = XMLText.plainEnd(bytes, index)
        guard index < bytes.count, bytes[index] == UInt8(ascii: "<") else { break }
        continue
      }
      if bytes[index + 1] == UInt8(ascii: "/") {
        let end = index + 2 + topCount
        guard names.count > deepest, end < bytes.count, bytes[end] == UInt8(ascii: ">"),
          hasTopName(at: index + 2, in: bytes)
        else { break }
        closeNamed()
        index = end + 1
      } else {
        guard names.count >= deepest, names.count < limits.maxDepth,
          case .at(let end) = XMLName.end(bytes, index + 1, encoding),
          end > index + 1, bytes[end] == UInt8(ascii: ">"), end - index < limits.maxToken,
          !isName(bytes, (index + 1)..<end, wanted)
        else { break }
        open((index + 1)..<end)
        index = end + 1
      }
    }
    return index
  }
}

/// Whether a name in the text is this one.
@inline(__always)
func isName(_ text: borrowing Span<UInt8>, _ place: Range<Int>, _ name: [UInt8]) -> Bool {
  place.count == name.count && sameBytes(text.extracting(place), name.span)
}

/// Whether the bytes of a range are at another place too, eight a step.
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
