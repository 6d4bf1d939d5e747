// Tags: each by itself where it is told of, many in one loop where nobody asks for them.

import FeedCore

extension XMLTokenizer {
  /// Goes over what most of a document is, for as long as no token comes out: plain text, `<name>` and `</name>`. Stops
  /// before anything else, and where it would have to know what has not come.
  @inline(__always)
  mutating func skim(_ bytes: borrowing Span<UInt8>, deepest: Int) {
    // With the root the content ends.
    let deepest = max(deepest, 1)
    var index = offset
    while index + 2 < bytes.count {
      guard bytes[index] == UInt8(ascii: "<") else {
        index = XMLText.plainEnd(bytes, index)
        guard index < bytes.count, bytes[index] == UInt8(ascii: "<") else { break }
        continue
      }
      if bytes[index + 1] == UInt8(ascii: "/") {
        let end = index + 2 + names.topCount
        guard names.count > deepest, end < bytes.count, bytes[end] == UInt8(ascii: ">"),
          names.topStands(at: index + 2, in: bytes)
        else { break }
        names.pop()
        index = end + 1
      } else {
        guard names.count >= deepest, names.count < limits.maxDepth,
          case .at(let end) = XMLCharacters.nameEnd(bytes, index + 1, encoding),
          end > index + 1, bytes[end] == UInt8(ascii: ">"), end - index < limits.maxToken,
          end - index - 1 != watch.length || !watch.isName(bytes, at: index + 1)
        else { break }
        names.push((index + 1)..<end)
        index = end + 1
      }
    }
    offset = index
  }

  mutating func startTag(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Step {
    if phase == .epilog { throw XMLError("unexpected text after the document", at: offset) }
    if search != nil {
      guard try startTagEnd(bytes, isLast) else { return .more }
    }
    let result = try tag.parse(bytes, at: offset, encoding, maxAttributes: limits.maxAttributes)
    guard case .end(let end, let isEmpty) = result else {
      search = TokenSearch(.tag, from: offset + 1)
      guard try startTagEnd(bytes, isLast) else { return .more }
      return .again
    }
    if tag.hasReferences { try judgeReferences(bytes) }
    guard names.count < limits.maxDepth else {
      let levels = limits.maxDepth == 1 ? "1 level" : "\(limits.maxDepth) levels"
      throw XMLError("nested deeper than \(levels) (--max-depth)", at: offset)
    }
    guard end - offset <= limits.maxToken else { throw tooLong() }
    tokenStart = offset
    name = tag.name
    if name.count == watch.length, watch.isName(bytes, at: name.lowerBound) { watch.see(bytes, offset..<end) }
    offset = end
    if isEmpty {
      endElement()
      return .token(.emptyTag)
    }
    names.push(tag.name)
    phase = .content
    return .token(.startTag)
  }

  /// - Returns: whether the end of the start tag at `offset` has come.
  /// - Throws: first what is wrong before it, wherever the text was cut.
  private mutating func startTagEnd(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Bool {
    do { return try tokenEnd(bytes, .tag, isLast) != nil } catch {
      _ = try tag.parse(bytes, at: offset, encoding, maxAttributes: limits.maxAttributes)
      throw error
    }
  }

  mutating func endTag(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Step {
    guard phase == .content, names.count > 0 else { throw XMLError("an end tag without a start tag", at: offset) }
    let start = offset + 2
    let end = start + names.topCount
    if search == nil, nameless == 0, end < bytes.count, names.topStands(at: start, in: bytes) {
      var index = end
      while index < bytes.count, bytes[index].isWhiteSpace { index += 1 }
      if index < bytes.count, bytes[index] == UInt8(ascii: ">") {
        tokenStart = offset
        name = start..<end
        offset = index + 1
        names.pop()
        endElement()
        return .token(.endTag)
      }
    }
    // It is cut, or wrong, which is said when all of it is there.
    guard let behind = try tokenEnd(bytes, .tag, isLast) else { return .more }
    if nameless > 0 {
      nameless -= 1
      offset = behind
      return .token(.endTag)
    }
    if behind > end, names.topStands(at: start, in: bytes), isSpace(bytes, end..<(behind - 1)) { return .again }
    throw mismatch(bytes, start)
  }

  private func isSpace(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
    for index in range where !bytes[index].isWhiteSpace { return false }
    return true
  }

  mutating func endElement() {
    guard names.count == 0, !isFragment else { return }
    phase = .epilog
    hasMark = false
  }

  private func mismatch(_ bytes: borrowing Span<UInt8>, _ start: Int) -> XMLError {
    // A name that has not come as a whole is shown as far as it has.
    var end = bytes.count
    if case .at(let found) = XMLCharacters.nameEnd(bytes, start, encoding) { end = found }
    if end == start { return XMLError("expected a name after '</'", at: start) }
    let found = array(bytes, start..<end)
    let expected = names.topName(in: bytes)
    if expected == found { return XMLError("expected '>' after the name of an end tag", at: end) }
    return XMLError("expected </\(shortened(expected))>, found </\(shortened(found))>", at: start - 2)
  }
}
