/// UTF-8 as RFC 3629 §4 defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
package enum UTF8Sequence {
  /// The length of the well-formed sequence at `index`: 1 to 4; 0 if there is none.
  @inline(__always)
  package static func length(in bytes: borrowing Span<UInt8>, at index: Int) -> Int {
    let lead = bytes[index]
    if lead < 0x80 { return 1 }
    let (length, valid) = prefix(in: bytes, at: index)
    return valid == length ? length : 0
  }

  /// The length that the sequence at `index` should have by its lead byte, and how many of its bytes are there and
  /// right.
  ///
  /// The second is the length of the *maximal subpart*, which Unicode §3.9 and the Encoding standard replace by one
  /// U+FFFD; it is at least 1. The first is 0 for a byte that cannot lead.
  package static func prefix(in bytes: borrowing Span<UInt8>, at index: Int) -> (length: Int, valid: Int) {
    let lead = bytes[index]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0x00...0x7F: return (1, 1)
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF:
      length = 3
      if lead == 0xE0 { second = 0xA0...0xBF }
      if lead == 0xED { second = 0x80...0x9F }
    case 0xF0...0xF4:
      length = 4
      if lead == 0xF0 { second = 0x90...0xBF }
      if lead == 0xF4 { second = 0x80...0x8F }
    default: return (0, 1)
    }
    var valid = 1
    while valid < length, index + valid < bytes.count,
      (valid == 1 ? second : 0x80...0xBF).contains(bytes[index + valid])
    {
      valid += 1
    }
    return (length, valid)
  }

  /// Appends a code point in UTF-8. A surrogate is written in three bytes in the same way (WTF-8). Only comparison
  /// needs that: a lone `\ud800` must equal itself and nothing else.
  package static func append(_ codePoint: UInt32, to bytes: inout [UInt8]) {
    switch codePoint {
    case 0..<0x80: bytes.append(UInt8(codePoint))
    case 0x80..<0x800:
      bytes.append(UInt8(0xC0 | codePoint >> 6))
      bytes.append(UInt8(0x80 | codePoint & 0x3F))
    case 0x800..<0x10000:
      bytes.append(UInt8(0xE0 | codePoint >> 12))
      bytes.append(UInt8(0x80 | codePoint >> 6 & 0x3F))
      bytes.append(UInt8(0x80 | codePoint & 0x3F))
    default:
      bytes.append(UInt8(0xF0 | codePoint >> 18))
      bytes.append(UInt8(0x80 | codePoint >> 12 & 0x3F))
      bytes.append(UInt8(0x80 | codePoint >> 6 & 0x3F))
      bytes.append(UInt8(0x80 | codePoint & 0x3F))
    }
  }
}

/// Checks that a text in pieces is UTF-8. An error is reported as early as possible: at the first byte that no
/// well-formed text can have there (RFC 3629 §4), not at the end of the piece or of the text.
package struct UTF8Check: Sendable {
  /// The beginning of a sequence that the last piece cut in two; at most three bytes.
  private var begun: [UInt8] = []

  package init() {}

  /// Whether the text could end here.
  package var isComplete: Bool { begun.isEmpty }

  /// Checks the next piece.
  /// - Returns: nil if it is well-formed so far. Otherwise the index in `bytes` of the byte that cannot be there. If
  ///   its sequence begins in this piece, the index of the sequence's first byte.
  package mutating func take(_ bytes: borrowing Span<UInt8>) -> Int? {
    var index = 0
    while !begun.isEmpty, index < bytes.count {
      begun.append(bytes[index])
      let (length, valid) = UTF8Sequence.prefix(in: begun.span, at: 0)
      if valid < begun.count { return index }
      index += 1
      if valid == length { begun.removeAll(keepingCapacity: true) }
    }
    guard let bad = Self.firstInvalid(bytes, from: index) else { return nil }
    let (length, valid) = UTF8Sequence.prefix(in: bytes, at: bad)
    guard length > 0, bad + valid == bytes.count else { return bad }
    for place in bad..<bytes.count { begun.append(bytes[place]) }
    return nil
  }

  /// The index of the first byte that begins no well-formed sequence; nil if `bytes` is UTF-8 from `start` on.
  ///
  /// Almost every text is valid, so this must be fast: it skips ASCII by four words at a time.
  package static func firstInvalid(_ bytes: borrowing Span<UInt8>, from start: Int = 0) -> Int? {
    var index = start
    while true {
      skipASCII(bytes, &index)
      // Text of one script usually continues in it, so the search for ASCII words waits for an ASCII byte.
      while index < bytes.count, bytes[index] >= 0x80 {
        let length = UTF8Sequence.length(in: bytes, at: index)
        if length == 0 { return index }
        index += length
      }
      if index >= bytes.count { return nil }
    }
  }

  @inline(__always)
  private static func skipASCII(_ bytes: borrowing Span<UInt8>, _ index: inout Int) {
    let high = UInt64.repeating(0x80)
    while index + 32 <= bytes.count {
      let words =
        loadWord(bytes, at: index) | loadWord(bytes, at: index + 8) | loadWord(bytes, at: index + 16)
        | loadWord(bytes, at: index + 24)
      if words & high != 0 { break }
      index += 32
    }
    while index + 8 <= bytes.count {
      let marked = loadWord(bytes, at: index) & high
      if marked != 0 {
        index += marked.lowestPlace
        return
      }
      index += 8
    }
    index += (paddedWord(bytes, at: index) & high).lowestPlace
    index = min(index, bytes.count)
  }
}

extension [UInt8] {
  package var isUTF8: Bool { UTF8Check.firstInvalid(span) == nil }

  /// Makes the bytes valid UTF-8, as the "UTF-8 decode" of the Encoding standard: U+FFFD replaces each maximal subpart
  /// of an invalid sequence. Valid bytes are not copied.
  package mutating func repairUTF8() {
    guard let bad = UTF8Check.firstInvalid(span) else { return }
    self = Self.repaired(span, validUpTo: bad)
  }

  private static func repaired(_ bytes: borrowing Span<UInt8>, validUpTo bad: Int) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 16)
    var start = 0
    var next: Int? = bad
    while let bad = next {
      result.append(span: bytes.extracting(start..<bad))
      result += [0xEF, 0xBF, 0xBD]
      start = bad + UTF8Sequence.prefix(in: bytes, at: bad).valid
      next = UTF8Check.firstInvalid(bytes, from: start)
    }
    result.append(span: bytes.extracting(start..<bytes.count))
    return result
  }
}
