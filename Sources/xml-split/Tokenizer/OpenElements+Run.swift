// The short way through the most common parts of a document: plain text and right tags. Anything else is left to the
// long way, which also knows the errors.

import FeedCore

extension OpenElements {
  /// What is wanted of a run.
  struct Wanted {
    /// Elements deeper than this are checked, but their tags are not returned.
    let deepest: Int
    /// Start tags with this name are returned at any depth.
    let name: [UInt8]

    @inline(__always)
    func isMet(by token: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>) -> Bool {
      token.depth <= deepest || (token.kind != .endTag && isName(bytes, token.name, name))
    }
  }

  /// Reads up to the next tag that is wanted, inside the root element.
  /// - Parameters:
  ///   - index: from where; then where it has stopped, after the tag, or where something else comes, or more bytes are
  ///     needed to decide.
  ///   - tag: the last start tag.
  /// - Returns: nil if it has stopped before such a tag.
  @inline(__always)
  mutating func run(
    _ bytes: borrowing Span<UInt8>, from index: inout Int, to wanted: borrowing Wanted, _ encoding: XMLEncoding,
    _ limits: XMLTokenizer.Limits, _ tag: inout StartTag, recording tape: inout ElementTape
  ) -> XMLTokenizer.Token? {
    while index + 3 < bytes.count {
      guard bytes[index] == UInt8(ascii: "<") else {
        index = XMLText.plainEnd(bytes, index)
        guard index < bytes.count, bytes[index] == UInt8(ascii: "<") else { return nil }
        continue
      }
      let token: XMLTokenizer.Token
      if bytes[index + 1] == UInt8(ascii: "/") {
        // The document ends with the root.
        guard named > 1 else { return nil }
        let name = (index + 2)..<(index + 2 + topCount)
        guard name.upperBound < bytes.count, bytes[name.upperBound] == UInt8(ascii: ">"),
          hasTopName(at: index + 2, in: bytes)
        else { return nil }
        token = XMLTokenizer.Token(kind: .endTag, range: index..<(name.upperBound + 1), name: name, depth: named)
        close()
        if tape.isRecording { tape.close(token.range) }
      } else {
        guard named < limits.maxDepth, let (end, isEmpty) = tag.plainEnd(bytes, at: index, encoding, limits) else {
          return nil
        }
        token = XMLTokenizer.Token(
          kind: isEmpty ? .emptyTag : .startTag, range: index..<end, name: tag.name, depth: named + 1)
        if !isEmpty { open(tag.name) }
        if tape.isRecording { tape.open(tag, token.range, isEmpty: isEmpty) }
      }
      index = token.range.upperBound
      if wanted.isMet(by: token, bytes) { return token }
    }
    return nil
  }
}
