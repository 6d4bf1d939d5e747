// Runs of characters, eight a step.

import FeedCore

enum XMLText {
  /// The offset of the first byte that text must look at: `<`, `&`, `]`, a control character or no ASCII.
  @inline(__always)
  static func plainEnd(_ bytes: borrowing Span<UInt8>, _ start: Int) -> Int {
    plainEnd(bytes, start, stop: UInt8(ascii: "<"), orAt: UInt8(ascii: "&"), UInt8(ascii: "]"))
  }

  /// The offset of the first byte that is `stop` or one of two others, a control character but white space, or no ASCII.
  @inline(__always)
  static func plainEnd(
    _ bytes: borrowing Span<UInt8>, _ start: Int, stop: UInt8, orAt second: UInt8? = nil, _ third: UInt8? = nil
  ) -> Int {
    let (second, third) = (second ?? stop, third ?? stop)
    var index = start
    while true {
      while index + 8 <= bytes.count {
        let word = loadWord(bytes, at: index)
        let stops =
          word.places(of: stop) | word.places(of: second) | word.places(of: third) | controlPlaces(word)
          | word & .repeating(0x80)
        index += stops.lowestPlace
        if stops != 0 { break }
      }
      guard index < bytes.count else { return index }
      let byte = bytes[index]
      if byte == stop || byte == second || byte == third || byte >= 0x80 { return index }
      if byte < 0x20, !byte.isWhiteSpace { return index }
      index += 1
    }
  }

  /// The offset of the first byte that is one of three; that of the end where there is none.
  @inline(__always)
  static func firstOf(
    _ first: UInt8, _ second: UInt8, _ third: UInt8, in bytes: borrowing Span<UInt8>, from start: Int
  ) -> Int {
    var index = start
    while index + 8 <= bytes.count {
      let word = loadWord(bytes, at: index)
      let stops = word.places(of: first) | word.places(of: second) | word.places(of: third)
      index += stops.lowestPlace
      if stops != 0 { return index }
    }
    while index < bytes.count, bytes[index] != first, bytes[index] != second, bytes[index] != third { index += 1 }
    return index
  }

  /// The places of a word of ASCII that hold a control character other than a line feed, as which most of them are.
  @inline(__always)
  private static func controlPlaces(_ word: UInt64) -> UInt64 {
    // No sum is more than 0xFF, so that none carries into the next place.
    let low = word & .repeating(0x7F)
    return ~(low &+ .repeating(0x80 - 0x20)) & ((low ^ .repeating(0xA)) &+ .repeating(0x7F)) & .repeating(0x80)
  }

  /// A text as UTF-8, with the line ends of §2.11 and the references that need no declaration replaced; others stay as
  /// they are. Line ends come first: those that references stand for stay.
  static func decoded(_ text: [UInt8], _ encoding: XMLEncoding) -> [UInt8] {
    let text = withUnixLineEnds(SingleByte.utf8(text, encoding))
    let span = text.span
    var result: [UInt8] = []
    var index = 0
    while let start = firstIndex(of: UInt8(ascii: "&"), in: span, index..<span.count),
      let end = firstIndex(of: UInt8(ascii: ";"), in: span, start..<span.count)
    {
      result.append(span: span.extracting(index..<start))
      index = end + 1
      switch try? XMLReference(span, start..<index, .utf8) {
      case .character(let code): UTF8Sequence.append(code, to: &result)
      case .entity(let name):
        if let byte = XMLReference.predefined(name) { result.append(byte) } else { result += text[start..<index] }
      case nil: result += text[start..<index]
      }
    }
    result.append(span: span.extracting(index..<span.count))
    return result
  }

  /// The first reference in a text to an entity that must be declared, and where.
  static func firstEntity(
    _ bytes: borrowing Span<UInt8>, _ range: Range<Int>, _ encoding: XMLEncoding
  ) -> (name: [UInt8], offset: Int)? {
    let names = try? XMLReference.entities(in: bytes, range, encoding)
    return names?.first { XMLReference.predefined($0.name) == nil }
  }

  /// A text with its line ends as §2.11 has them: one line feed each.
  private static func withUnixLineEnds(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(0xD) else { return text }
    var result: [UInt8] = []
    for (index, byte) in text.enumerated() {
      if byte == 0xD {
        result.append(0xA)
      } else if byte != 0xA || index == 0 || text[index - 1] != 0xD {
        result.append(byte)
      }
    }
    return result
  }

  static func illegal(_ bytes: borrowing Span<UInt8>, _ index: Int, _ encoding: XMLEncoding) -> XMLError {
    let byte = bytes[index]
    if byte == 0xED, encoding == .utf8, index + 1 < bytes.count, bytes[index + 1] >= 0xA0 {
      return XMLError("half of a surrogate pair", at: index)
    }
    if byte >= 0x80, encoding == .ascii { return XMLError("a byte that is no US-ASCII", at: index) }
    if byte >= 0x80, encoding == .utf8, UTF8Sequence.length(in: bytes, at: index) == 0 {
      return XMLError("invalid UTF-8", at: index)
    }
    return XMLError("a character that XML does not allow", at: index)
  }
}
