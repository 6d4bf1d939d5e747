/// A glance at small JSON (RFC 8259): whether a text is one object or array that a record can embed as it is. It makes
/// no tape, so it costs a fraction of a scan. Where it is not sure, the answer is no, and a scan decides.
enum JSONGlance {
  /// Whether all of `range` is one container without white space between its tokens, at most 62 deep.
  /// - Parameters:
  ///   - text: valid UTF-8 in the range. Bytes after the range are read, which is faster, but they do not count.
  ///   - range: where the data is.
  static func isCompactContainer(_ text: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
    /// The open containers below a 1: a 1 for an object, a 0 for an array; the innermost is the lowest bit.
    var open: UInt64 = 1
    var index = range.lowerBound
    var word = paddedWord(text, at: index)
    guard word.byte(at: 0) == UInt8(ascii: "{") || word.byte(at: 0) == UInt8(ascii: "[") else { return false }
    while index < range.upperBound {
      value: do {
        switch word.byte(at: 0) {
        case UInt8(ascii: "\""):
          guard skipString(text, &index, range.upperBound) else { return false }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
          guard skipNumber(text, &index, word) else { return false }
        case UInt8(ascii: "{"):
          guard open.leadingZeroBitCount > 1 else { return false }
          open = open << 1 | 1
          index &+= 1
          word = paddedWord(text, at: index)
          if word.byte(at: 0) == UInt8(ascii: "}") { break value }
          guard skipName(text, &index, &word, range.upperBound) else { return false }
          continue
        case UInt8(ascii: "["):
          guard open.leadingZeroBitCount > 1 else { return false }
          open = open << 1
          index &+= 1
          word = paddedWord(text, at: index)
          if word.byte(at: 0) == UInt8(ascii: "]") { break value }
          continue
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
          let literal = Literal(beginningWith: word.byte(at: 0))
          guard literal.begins(word) else { return false }
          index &+= literal.count
        default: return false
        }
        word = paddedWord(text, at: index)
      }
      // The ends of containers, and a comma.
      while word.byte(at: 0) != UInt8(ascii: ",") {
        guard word.byte(at: 0) == (open & 1 == 1 ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return false }
        open >>= 1
        index &+= 1
        if open == 1 { return index == range.upperBound }
        word = paddedWord(text, at: index)
      }
      index &+= 1
      word = paddedWord(text, at: index)
      if open & 1 == 1, !skipName(text, &index, &word, range.upperBound) { return false }
    }
    return false
  }

  /// Skips a name and its colon.
  /// - Parameter word: at `index`, before and after.
  @inline(__always)
  private static func skipName(
    _ text: borrowing Span<UInt8>, _ index: inout Int, _ word: inout UInt64, _ end: Int
  ) -> Bool {
    guard word.byte(at: 0) == UInt8(ascii: "\""), skipString(text, &index, end) else { return false }
    word = paddedWord(text, at: index)
    guard word.byte(at: 0) == UInt8(ascii: ":") else { return false }
    index &+= 1
    word = paddedWord(text, at: index)
    return true
  }

  @inline(__always)
  private static func skipString(_ text: borrowing Span<UInt8>, _ index: inout Int, _ end: Int) -> Bool {
    index &+= 1
    while index < end {
      let word = paddedWord(text, at: index)
      let stops = escapeStops(word)
      if stops == 0 {
        index &+= 8
        continue
      }
      let place = stops.lowestPlace
      index &+= place &+ 1
      if word.byte(at: place) == UInt8(ascii: "\"") { return true }
      guard word.byte(at: place) == UInt8(ascii: "\\"), skipEscape(text, &index) else { return false }
    }
    return false
  }

  /// Skips the rest of an escape.
  @inline(never)
  private static func skipEscape(_ text: borrowing Span<UInt8>, _ index: inout Int) -> Bool {
    let word = paddedWord(text, at: index)
    switch word.byte(at: 0) {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      index &+= 1
      return true
    case UInt8(ascii: "u"):
      index &+= 5
      return (1...4).allSatisfy { word.byte(at: $0).hexValue != nil }
    default: return false
    }
  }

  /// Skips a number.
  @inline(__always)
  private static func skipNumber(_ text: borrowing Span<UInt8>, _ index: inout Int, _ first: UInt64) -> Bool {
    var word = first
    if word.byte(at: 0) == UInt8(ascii: "-") {
      index &+= 1
      word = paddedWord(text, at: index)
    }
    let begin = index
    let leads = word.byte(at: 0) == UInt8(ascii: "0")
    var next = skipDigits(text, &index, word, isPadded: true)
    guard index > begin, !(leads && index > begin &+ 1) else { return false }
    if next == UInt8(ascii: ".") {
      index &+= 1
      let fraction = index
      next = skipDigits(text, &index, paddedWord(text, at: index), isPadded: true)
      guard index > fraction else { return false }
    }
    return next | 0x20 != UInt8(ascii: "e") || skipExponent(text, &index)
  }

  @inline(never)
  private static func skipExponent(_ text: borrowing Span<UInt8>, _ index: inout Int) -> Bool {
    index &+= 1
    let sign = paddedWord(text, at: index).byte(at: 0)
    if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { index &+= 1 }
    let digits = index
    _ = skipDigits(text, &index, paddedWord(text, at: index), isPadded: true)
    return index > digits
  }
}
