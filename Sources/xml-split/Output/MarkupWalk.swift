// A walk over an element that has been judged and is there as a whole, one piece of markup or text after another.

import FeedCore

struct MarkupWalk {
  enum Kind {
    case text
    /// A start tag, an end tag or an empty-element tag.
    case tag
    case cdata
    case comment
    case instruction
  }

  private var index = 0

  mutating func next(_ bytes: borrowing Span<UInt8>) -> (kind: Kind, range: Range<Int>)? {
    guard index < bytes.count else { return nil }
    let start = index
    let kind: Kind
    switch bytes[start] == UInt8(ascii: "<") && start + 1 < bytes.count ? bytes[start + 1] : 0 {
    case 0:
      kind = .text
      index = firstIndex(of: UInt8(ascii: "<"), in: bytes, (start + 1)..<bytes.count) ?? bytes.count
    case UInt8(ascii: "!"):
      kind = startsWith(bytes, "<!--", at: start) == .yes ? .comment : .cdata
      index =
        kind == .comment ? Self.end(of: "-->", bytes, from: start + 4) : Self.end(of: "]]>", bytes, from: start + 9)
    case UInt8(ascii: "?"):
      kind = .instruction
      index = Self.end(of: "?>", bytes, from: start + 2)
    default:
      kind = .tag
      var tag = BrokenTag(from: start + 1)
      if case .end(let end, _) = tag.run(bytes) { index = end } else { index = bytes.count }
    }
    return (kind, start..<index)
  }

  /// The offset behind the next `text`, which is there.
  static func end(of text: StaticString, _ bytes: borrowing Span<UInt8>, from start: Int) -> Int {
    var index = start
    while startsWith(bytes, text, at: index) == .no { index += 1 }
    return index + text.utf8CodeUnitCount
  }
}

extension MarkupWalk {
  /// The first reference in an element to an entity that must be declared, and where.
  static func firstEntity(
    _ bytes: borrowing Span<UInt8>, _ encoding: XMLEncoding
  ) -> (name: [UInt8], offset: Int)? {
    guard firstIndex(of: UInt8(ascii: "&"), in: bytes, 0..<bytes.count) != nil else { return nil }
    var walk = MarkupWalk()
    while let (kind, range) = walk.next(bytes) {
      guard kind == .text || kind == .tag else { continue }
      if let found = XMLText.firstEntity(bytes, range, encoding) { return found }
    }
    return nil
  }

  /// Writes an element without a line end in it (--one-line). In text it becomes a reference, and in a CDATA section one
  /// that is put between two halves. A tag, and what a parser makes of an attribute (§3.3.3), has a space just as well;
  /// comments and instructions know no references, and get one too.
  static func writeOnOneLine(_ bytes: borrowing Span<UInt8>, to output: inout ByteWriter) {
    let all = 0..<bytes.count
    if firstIndex(of: 0xA, in: bytes, all) == nil, firstIndex(of: 0xD, in: bytes, all) == nil {
      return output.append(bytes)
    }
    var walk = MarkupWalk()
    while let (kind, range) = walk.next(bytes) {
      let lineEnd: StaticString =
        switch kind {
        case .text: "&#10;"
        case .cdata: "]]>&#10;<![CDATA["
        case .tag, .comment, .instruction: " "
        }
      var start = range.lowerBound
      for index in range where bytes[index] == 0xA || bytes[index] == 0xD {
        output.append(bytes.extracting(start..<index))
        start = index + 1
        // A carriage return and a line feed are one line end (§2.11).
        if bytes[index] == 0xA || start == range.upperBound || bytes[start] != 0xA { output.append(lineEnd) }
      }
      output.append(bytes.extracting(start..<range.upperBound))
    }
  }
}
