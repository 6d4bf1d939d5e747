/// Strings (RFC 8259 §7): decoded only to compare or show them, and escaped when written.
package enum JSONString {
  /// The code points of a string value as UTF-8. A lone surrogate escape becomes its three WTF-8 bytes, so that
  /// it equals itself.
  package static func decoded(_ value: JSONValue) -> [UInt8] {
    let range = value.range
    let inside = (range.lowerBound + 1)..<(range.upperBound - 1)
    guard value.kind == .escapedString else { return Array(value.document.bytes[inside]) }
    var result: [UInt8] = []
    result.reserveCapacity(inside.count)
    let document = value.document.bytes
    decode(document.span, inside, into: &result)
    return result
  }

  /// Whether two strings have the same code points; no normalisation.
  package static func equal(_ left: JSONValue, _ right: JSONValue) -> Bool {
    if left.kind == .string && right.kind == .string {
      // Without escapes the text is the value. Both texts end with a quote, which cannot occur inside.
      return left.hasSameText(as: right)
    }
    return decoded(left) == decoded(right)
  }

  /// Whether a string has the given decoded bytes.
  package static func equals(_ value: JSONValue, _ bytes: ArraySlice<UInt8>) -> Bool {
    MemberName(bytes).isString(at: value.position, of: value.document)
  }

  /// Decodes what the scanner has checked. A pair of surrogates becomes one character; a lone one stays alone.
  private static func decode(_ text: borrowing Span<UInt8>, _ range: Range<Int>, into result: inout [UInt8]) {
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = text[index]
      guard byte == UInt8(ascii: "\\") else {
        result.append(byte)
        index += 1
        continue
      }
      let letter = text[index + 1]
      index += 2
      switch letter {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "r"): result.append(UInt8(ascii: "\r"))
      case UInt8(ascii: "t"): result.append(UInt8(ascii: "\t"))
      case UInt8(ascii: "u"):
        var codePoint = fourDigits(text, index)
        index += 4
        if (0xD800..<0xDC00).contains(codePoint), index + 6 <= range.upperBound,
          text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "u")
        {
          let low = fourDigits(text, index + 2)
          if (0xDC00..<0xE000).contains(low) {
            codePoint = 0x10000 + (codePoint - 0xD800) << 10 + (low - 0xDC00)
            index += 6
          }
        }
        UTF8Sequence.append(codePoint, to: &result)
      default: result.append(letter)
      }
    }
  }

  private static func fourDigits(_ text: borrowing Span<UInt8>, _ index: Int) -> UInt32 {
    var value: UInt32 = 0
    for place in index..<(index + 4) { value = value << 4 | UInt32(text[place].hexValue ?? 0) }
    return value
  }

  // MARK: Writing

  /// Writes `bytes` as a JSON string with its quotes. It escapes only what JSON requires (quote, backslash, controls),
  /// and the lone surrogates that `decoded` returns, because UTF-8 cannot hold them.
  /// - Parameter bytes: UTF-8, or a result of `decoded`.
  package static func write(_ bytes: borrowing Span<UInt8>, to output: inout ByteWriter) {
    write(bytes, 0..<bytes.count, to: &output)
  }

  /// The same for a part of `bytes`. It is faster for short parts, because it may read past their end.
  package static func write(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>, to output: inout ByteWriter) {
    let plain = firstToEscape(bytes, range)
    if plain == range.upperBound { return output.append(quoted: bytes.extracting(range)) }
    output.append(UInt8(ascii: "\""))
    output.append(bytes.extracting(range.lowerBound..<plain))
    writeContents(bytes, plain..<range.upperBound, to: &output)
    output.append(UInt8(ascii: "\""))
  }

  /// The same without the quotes: a part of a string.
  package static func writeContents(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>, to output: inout ByteWriter) {
    var start = range.lowerBound
    while true {
      var index = firstToEscape(bytes, start..<range.upperBound)
      output.append(bytes.extracting(start..<index))
      guard index < range.upperBound else { return }
      if bytes[index] == 0xED {
        writeSurrogate(bytes[index + 1], bytes[index + 2], to: &output)
        index += 3
      } else {
        writeEscape(of: bytes[index], to: &output)
        index += 1
      }
      start = index
    }
  }

  package static func write(_ bytes: [UInt8], to output: inout ByteWriter) { write(bytes.span, to: &output) }

  /// Whether nothing in `bytes` must be escaped.
  static func isPlain(_ bytes: borrowing Span<UInt8>) -> Bool {
    firstToEscape(bytes, 0..<bytes.count) == bytes.count
  }

  /// The first byte in the range that must be escaped; the end of the range if none must. Looks at eight at a time.
  private static func firstToEscape(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Int {
    var index = range.lowerBound
    let end = range.upperBound
    while index < end {
      if index + 8 <= bytes.count {
        let word = loadWord(bytes, at: index)
        var stops = escapeStops(word)
        if word & .repeating(0x80) != 0 { stops |= word.places(of: 0xED) }
        index += stops.lowestPlace
        if stops == 0 { continue }
        if index >= end { break }
      }
      let byte = bytes[index]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || isSurrogate(bytes, index..<end) {
        return index
      }
      index += 1
    }
    return end
  }

  /// Whether the range begins with a surrogate in three bytes: UTF-8 goes from ED 9F BF to EE 80 80.
  private static func isSurrogate(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
    bytes[range.lowerBound] == 0xED && range.count > 2 && bytes[range.lowerBound + 1] >= 0xA0
  }

  private static func writeSurrogate(_ second: UInt8, _ third: UInt8, to output: inout ByteWriter) {
    output.append("\\u")
    output.append((0xD000 | UInt16(second & 0x3F) << 6 | UInt16(third & 0x3F)).hexDigits)
  }

  /// Writes a byte that JSON must escape.
  package static func writeEscape(of byte: UInt8, to output: inout ByteWriter) {
    output.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: output.append(UInt8(ascii: "b"))
    case UInt8(ascii: "\t"): output.append(UInt8(ascii: "t"))
    case UInt8(ascii: "\n"): output.append(UInt8(ascii: "n"))
    case 0x0C: output.append(UInt8(ascii: "f"))
    case UInt8(ascii: "\r"): output.append(UInt8(ascii: "r"))
    case 0x00..<0x20:
      output.append("u00")
      output.append(byte.hexDigits)
    default: output.append(byte)
    }
  }
}
