/// The "UTF-8 decode" of the Encoding standard, on bytes: invalid UTF-8 becomes U+FFFD, one for each maximal subpart.
/// Almost every text is valid, so the check must be fast: it skips ASCII by four words at a time, and copies nothing
/// before the first error.
package enum UTF8Repair {
  private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

  /// Makes `bytes` valid UTF-8.
  package static func repair(_ bytes: inout [UInt8]) {
    guard let bad = firstInvalid(bytes.span, from: 0) else { return }
    bytes = repaired(bytes.span, validUpTo: bad)
  }

  private static func repaired(_ bytes: borrowing Span<UInt8>, validUpTo bad: Int) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 16)
    var start = 0
    var next: Int? = bad
    while let bad = next {
      result.append(span: bytes.extracting(start..<bad))
      result += replacement
      start = bad + UTF8Sequence.prefix(in: bytes, at: bad).valid
      next = firstInvalid(bytes, from: start)
    }
    result.append(span: bytes.extracting(start..<bytes.count))
    return result
  }

  /// The index of the first byte that begins no well-formed sequence.
  static func firstInvalid(_ bytes: borrowing Span<UInt8>, from start: Int) -> Int? {
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
    while index < bytes.count, bytes[index] < 0x80 { index += 1 }
  }
}
