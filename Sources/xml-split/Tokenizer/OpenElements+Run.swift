// The short way through the most common parts of a document: plain text and right tags. Anything else is left to the
// long way, which also knows the errors.

import FeedCore

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
        guard depth < limits.maxDepth, case .at(let nameEnd) = XMLName.end(bytes, start + 1),
          nameEnd > start + 1
        else { return nil }
        let name = (start + 1)..<nameEnd
        let isPlain = bytes[nameEnd] == UInt8(ascii: ">")
        var isEmpty = false
        if isPlain {
          guard nameEnd - start < limits.maxToken else { return nil }
          index = nameEnd + 1
          if tape.isRecording { tape.open(name, start..<index, bytes) }
        } else {
          guard let result = tag.plainEnd(bytes, at: start, nameEnd, limits) else { return nil }
          (index, isEmpty) = result
          if tape.isRecording { tape.open(name, tag.attributes, start..<index, isEmpty: isEmpty, bytes) }
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
