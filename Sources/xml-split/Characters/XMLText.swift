import FeedCore

/// Runs of characters, eight bytes at a time.
enum XMLText {
  /// The offset of the first byte that text must check: `<`, `&`, `]`, a control character or non-ASCII.
  @inline(__always)
  static func plainEnd(_ bytes: borrowing Span<UInt8>, _ start: Int) -> Int {
    plainEnd(bytes, start, stop: UInt8(ascii: "<"), orAt: UInt8(ascii: "&"), UInt8(ascii: "]"))
  }

  /// The offset of the first byte that is `stop`, one of two others, a control character except white space, or
  /// non-ASCII.
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

  /// The offset of the first byte that an attribute value must check: its quote, `<`, `&`, a control character except
  /// white space, or non-ASCII.
  @inline(__always)
  static func valueEnd(_ bytes: borrowing Span<UInt8>, _ start: Int, _ quote: UInt8) -> Int {
    // Each quote differs from `&` in one bit, so one test finds both.
    let mask: UInt64 = ~.repeating(quote ^ UInt8(ascii: "&"))
    let masked = quote & UInt8(ascii: "&")
    var index = start
    while true {
      while index + 8 <= bytes.count {
        let word = loadWord(bytes, at: index)
        let stops =
          (word & mask).places(of: masked) | word.places(of: UInt8(ascii: "<")) | word.places(below: 0x20)
          | word & .repeating(0x80)
        index += stops.lowestPlace
        if stops != 0 { break }
      }
      guard index < bytes.count else { return index }
      let byte = bytes[index]
      if byte == quote || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "<") || byte >= 0x80 { return index }
      if byte < 0x20, !byte.isWhiteSpace { return index }
      index += 1
    }
  }

  /// The offset after the white space that begins at `start`.
  @inline(__always)
  static func spaceEnd(_ bytes: borrowing Span<UInt8>, _ start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index].isWhiteSpace {
      index += 1
      // Blanks come in rows.
      while index + 8 <= bytes.count, loadWord(bytes, at: index) == .repeating(UInt8(ascii: " ")) { index += 8 }
    }
    return index
  }

  /// The offset of the first byte that is one of three; the end if there is none.
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

  /// Marks the bytes of an ASCII word that are control characters other than line feed, the most common one.
  @inline(__always)
  private static func controlPlaces(_ word: UInt64) -> UInt64 {
    // No sum exceeds 0xFF, so none carries into the next place.
    let low = word & .repeating(0x7F)
    return ~(low &+ .repeating(0x80 - 0x20)) & ((low ^ .repeating(0xA)) &+ .repeating(0x7F)) & .repeating(0x80)
  }

  /// The value of an attribute: decoded, with a space for white space, unless that is from a reference (§3.3.3).
  /// References to other entities are unchanged.
  /// - Parameter literal: what is between the quotes.
  static func value(_ literal: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    _ = decode(spaced(literal).span, from: 0, to: UInt8(ascii: "<"), into: &result)
    return result
  }

  /// Whether a text has white space that is no blank, which most values have not.
  static func hasControl(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
    var index = range.lowerBound
    while index + 8 <= range.upperBound {
      if loadWord(bytes, at: index).places(below: 0x20) != 0 { return true }
      index += 8
    }
    while index < range.upperBound {
      if bytes[index] < 0x20 { return true }
      index += 1
    }
    return false
  }

  /// The literal of an attribute value with a space for each character of white space, and for each line end.
  static func spaced(_ literal: [UInt8]) -> [UInt8] {
    guard hasControl(literal.span, literal.indices) else { return literal }
    var result: [UInt8] = []
    for (index, byte) in literal.enumerated() where byte != 0xA || index == 0 || literal[index - 1] != 0xD {
      result.append(byte < 0x20 ? UInt8(ascii: " ") : byte)
    }
    return result
  }

  /// Decodes well-formed character data and attribute values: a line end becomes a line feed (§2.11), unless it is from
  /// a reference, and references that need no declaration are replaced. Others are unchanged.
  /// - Parameter end: the byte after the text, which does not occur in it.
  /// - Returns: the offset of `end`.
  static func decode(
    _ bytes: borrowing Span<UInt8>, from start: Int, to end: UInt8, into result: inout [UInt8]
  ) -> Int {
    var index = start
    while true {
      let stop = firstOf(end, UInt8(ascii: "&"), 0xD, in: bytes, from: index)
      result.append(span: bytes.extracting(index..<stop))
      guard stop < bytes.count, bytes[stop] != end else { return stop }
      if bytes[stop] == 0xD {
        result.append(0xA)
        index = stop + 1
        if index < bytes.count, bytes[index] == 0xA { index += 1 }
      } else if let (code, end) = XMLReference.simple(bytes, at: stop) {
        // Most are ASCII.
        if code < 0x80 {
          result.append(UInt8(truncatingIfNeeded: code))
        } else {
          UTF8Sequence.append(code, to: &result)
        }
        index = end
      } else {
        index = (firstIndex(of: UInt8(ascii: ";"), in: bytes, stop..<bytes.count) ?? bytes.count - 1) + 1
        switch try? XMLReference(bytes, stop..<index) {
        case .character(let code): UTF8Sequence.append(code, to: &result)
        case .entity(let name):
          if let byte = XMLReference.predefined(name) {
            result.append(byte)
            continue
          }
          fallthrough
        case nil: result.append(span: bytes.extracting(stop..<index))
        }
      }
    }
  }

  static func illegal(_ bytes: borrowing Span<UInt8>, _ index: Int) -> XMLError {
    let byte = bytes[index]
    if byte == 0xED, index + 1 < bytes.count, bytes[index + 1] >= 0xA0 {
      return XMLError("half of a surrogate pair", at: index)
    }
    if byte >= 0x80, UTF8Sequence.length(in: bytes, at: index) == 0 {
      return XMLError("invalid UTF-8", at: index)
    }
    return XMLError("a character that XML does not allow", at: index)
  }
}
