// The tokens with contents: strings and numbers. Each function continues at `index`, which may be in the middle of a
// token that began in an earlier chunk. It leaves `index` after the last byte that it has checked.

/// How the scan of a token ended.
enum TokenEnd: Equatable {
  /// The token is complete and `index` is after it.
  case complete
  /// The bytes ran out; continue at `index` when there are more.
  case outOfBytes
  case error(JSONError.Kind, at: Int)
}

/// Scans the rest of a string, up to and including its closing quote (RFC 8259 §7).
/// - Parameter escaped: set when a backslash is found.
func scanString(_ bytes: borrowing Span<UInt8>, _ index: inout Int, escaped: inout Bool) -> TokenEnd {
  while true {
    if skipPlain(bytes, &index) { return .complete }
    if let end = scanRarePart(bytes, &index, &escaped) { return end }
  }
}

/// Scans the plain part of a string: ASCII without escapes.
/// - Returns: whether that was the rest of the string, so that `index` is after its closing quote.
@inline(__always)
func skipPlain(_ bytes: borrowing Span<UInt8>, _ index: inout Int) -> Bool {
  var word = wordOrZero(bytes, at: index)
  var stops = stringStops(word)
  while stops == 0 {
    index &+= 8
    word = wordOrZero(bytes, at: index)
    stops = stringStops(word)
  }
  let place = stops.lowestPlace
  index &+= place
  guard word.byte(at: place) == UInt8(ascii: "\"") else { return false }
  index &+= 1
  return true
}

/// Marks, among others, the first byte that ends or interrupts a run of ASCII in a string: a quote, a backslash, a
/// control character, or a byte of a longer sequence. Bytes from 0x80 on are marked anyway, so that the differences
/// need not be exact for them.
@inline(__always)
private func stringStops(_ word: UInt64) -> UInt64 { (beforeStops(word) | word) & .repeating(0x80) }

/// The same without the bytes of longer sequences, for strings that are known to be UTF-8.
@inline(__always)
func escapeStops(_ word: UInt64) -> UInt64 { beforeStops(word) & ~word & .repeating(0x80) }

@inline(__always)
private func beforeStops(_ word: UInt64) -> UInt64 {
  // Exchanging 0x20 and 0x22 makes the quote the first byte after the control characters.
  let quotesAndControls = (word ^ .repeating(0x02)) &- .repeating(0x21)
  let backslashes = (word ^ .repeating(UInt8(ascii: "\\"))) &- .repeating(0x01)
  return quotesAndControls | backslashes
}

/// Scans an escape, a run of characters outside ASCII, or a byte close to the end of the input.
/// - Returns: nil if the string goes on.
@inline(never)
private func scanRarePart(_ bytes: borrowing Span<UInt8>, _ index: inout Int, _ escaped: inout Bool) -> TokenEnd? {
  let count = bytes.count
  guard index < count else { return .outOfBytes }
  let byte = bytes[index]
  if byte >= 0x80 {
    // Words in non-Latin scripts are runs of these.
    let start = index
    while true {
      let length = multiByteLength(wordOrZero(bytes, at: index))
      if length == 0 { break }
      index &+= length
    }
    if index > start { return nil }
    let (length, valid) = UTF8Sequence.prefix(in: bytes, at: index)
    guard valid == length else {
      return length > 0 && index + valid == count ? .outOfBytes : .error(.badUTF8, at: index)
    }
    index += length
  } else if byte == UInt8(ascii: "\\") {
    escaped = true
    guard index + 1 < count else { return .outOfBytes }
    switch bytes[index + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      index += 2
    case UInt8(ascii: "u"):
      for digit in (index + 2)..<(index + 6) {
        guard digit < count else { return .outOfBytes }
        if bytes[digit].hexValue == nil { return .error(.badEscape, at: index) }
      }
      index += 6
    default: return .error(.badEscape, at: index)
    }
  } else if byte < 0x20 {
    return .error(.controlInString, at: index)
  } else {
    index += 1
    if byte == UInt8(ascii: "\"") { return .complete }
  }
  return nil
}

/// The length of the UTF-8 sequence at the start of a word, if it is a common one of two or three bytes. 0 for those
/// that need a check of the second byte's range: `UTF8Sequence` does that.
@inline(__always)
private func multiByteLength(_ word: UInt64) -> Int {
  let lead = word & 0xFF
  if word & 0xC0E0 == 0x80C0 { return lead >= 0xC2 ? 2 : 0 }
  if word & 0xC0_C0F0 == 0x80_80E0 { return lead != 0xE0 && lead != 0xED ? 3 : 0 }
  return 0
}

/// The index after a number that begins at `index`; nil if it is malformed, or if its end is not certain.
@inline(__always)
func endOfNumber(_ bytes: borrowing Span<UInt8>, _ index: Int) -> Int? {
  var start = index
  var word = wordOrZero(bytes, at: index)
  if word.byte(at: 0) == UInt8(ascii: "-") {
    start &+= 1
    word = wordOrZero(bytes, at: start)
  }
  var end = start
  var next = skipDigits(bytes, &end, word)
  if end == start || (end > start &+ 1 && bytes[start] == UInt8(ascii: "0")) { return nil }
  if next == UInt8(ascii: ".") {
    end &+= 1
    start = end
    next = skipDigits(bytes, &end, wordOrZero(bytes, at: end))
    if end == start { return nil }
  }
  // Zero: too close to the end of the input.
  return next == 0 || next | 0x20 == UInt8(ascii: "e") ? nil : end
}

/// Moves `index` over digits.
/// - Parameters:
///   - word: the eight bytes at `index`.
///   - isPadded: whether zeros stand for the bytes after the end, so that the last seven are read too.
/// - Returns: the byte after the digits; 0 at the end of the input, or if it is too close.
@inline(__always)
func skipDigits(
  _ bytes: borrowing Span<UInt8>, _ index: inout Int, _ word: UInt64, isPadded: Bool = false
) -> UInt8 {
  var word = word
  while true {
    let place = word.placesOfNonDigits.lowestPlace
    index &+= place
    if place < 8 { return word.byte(at: place) }
    word = isPadded ? paddedWord(bytes, at: index) : wordOrZero(bytes, at: index)
  }
}

/// The position of the next byte in a number (RFC 8259 §6).
enum NumberState: UInt8 {
  case start, minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits

  var mayEnd: Bool { self == .zero || self == .integer || self == .fraction || self == .exponentDigits }
}

/// Scans the rest of a number. `.complete` if the next byte cannot belong to it.
@inline(__always)
func scanNumber(_ bytes: borrowing Span<UInt8>, _ index: inout Int, _ state: inout NumberState) -> TokenEnd {
  while index < bytes.count {
    let byte = bytes[index]
    let isDigit = byte.isDigit
    switch state {
    case .start:
      state = byte == UInt8(ascii: "-") ? .minus : byte == UInt8(ascii: "0") ? .zero : .integer
    case .minus:
      guard isDigit else { return .error(.expectedDigit, at: index) }
      state = byte == UInt8(ascii: "0") ? .zero : .integer
    case .zero, .integer:
      if isDigit {
        if state == .zero { return .error(.leadingZero, at: index) }
      } else if byte == UInt8(ascii: ".") {
        state = .point
      } else if byte | 0x20 == UInt8(ascii: "e") {
        state = .exponent
      } else {
        return .complete
      }
    case .point:
      guard isDigit else { return .error(.expectedDigit, at: index) }
      state = .fraction
    case .fraction:
      if byte | 0x20 == UInt8(ascii: "e") { state = .exponent } else if !isDigit { return .complete }
    case .exponent, .exponentSign:
      if isDigit {
        state = .exponentDigits
      } else if state == .exponent && (byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")) {
        state = .exponentSign
      } else {
        return .error(.expectedDigit, at: index)
      }
    case .exponentDigits:
      if !isDigit { return .complete }
    }
    index += 1
  }
  return .outOfBytes
}

/// The three literal names of RFC 8259 §3, with their letters in the bytes of a word.
struct Literal {
  let kind: JSONKind
  let letters: UInt64
  let count: Int

  private static let null = Literal(kind: .null, letters: 0x6C6C_756E, count: 4)
  private static let `true` = Literal(kind: .true, letters: 0x6575_7274, count: 4)
  private static let `false` = Literal(kind: .false, letters: 0x65_736C_6166, count: 5)

  @inline(__always)
  subscript(index: Int) -> UInt8 { UInt8(truncatingIfNeeded: letters >> UInt64(index * 8)) }

  /// Whether the eight bytes of a word begin with it.
  @inline(__always)
  func begins(_ word: UInt64) -> Bool { (word ^ letters) &<< UInt64(64 - count * 8) == 0 }
}

extension Literal {
  /// - Parameter letter: `t`, `f` or `n`.
  @inline(__always)
  init(beginningWith letter: UInt8) {
    self = letter == UInt8(ascii: "t") ? .true : letter == UInt8(ascii: "f") ? .false : .null
  }
}
