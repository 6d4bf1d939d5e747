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
@inline(__always)
func scanString(_ bytes: borrowing Span<UInt8>, _ index: inout Int, escaped: inout Bool) -> TokenEnd {
  let count = bytes.count
  while true {
    while index + 8 <= count {
      let word = loadWord(bytes, at: index)
      let stops =
        word.places(of: UInt8(ascii: "\"")) | word.places(of: UInt8(ascii: "\\")) | word.places(below: 0x20)
        | word & .repeating(0x80)
      if stops != 0 {
        index += stops.lowestPlace
        break
      }
      index += 8
    }
    guard index < count else { return .outOfBytes }
    let byte = bytes[index]
    if byte == UInt8(ascii: "\"") {
      index += 1
      return .complete
    } else if byte >= 0x80 {
      // Words in non-Latin scripts are runs of these.
      let start = index
      while index + 8 <= count {
        let length = multiByteLength(loadWord(bytes, at: index))
        if length == 0 { break }
        index += length
      }
      if index > start { continue }
      let (length, valid) = UTF8Sequence.prefix(in: bytes, at: index)
      if valid == length {
        index += length
      } else {
        return length > 0 && index + valid == count ? .outOfBytes : .error(.badUTF8, at: index)
      }
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
    }
  }
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
