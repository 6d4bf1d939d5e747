import FeedCore

/// Text and attribute values of a tree, as written in the element: with references and line ends, and text also with
/// comments, instructions and CDATA sections in it. All are decoded on the way to where they are wanted.
enum ElementText {
  /// Whether a byte of a text begins a reference or other markup.
  @inline(__always)
  static func isMarkup(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "&") || byte == UInt8(ascii: "<") }

  // MARK: As bytes

  /// - Parameter range: it ends before a tag or a quote.
  static func decode(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>, into result: inout [UInt8]) {
    var index = range.lowerBound
    if result.isEmpty { result.reserveCapacity(range.count) }
    while index < range.upperBound {
      // The writer has refused references to unknown entities, or they are wanted as they are.
      index = XMLText.decode(bytes, from: index, to: bytes[range.upperBound], into: &result)
      guard index < range.upperBound else { break }
      let (section, end) = markup(bytes, at: index)
      decode(section: bytes, section, into: &result)
      index = end
    }
  }

  private static func decode(
    section bytes: borrowing Span<UInt8>, _ range: Range<Int>, into result: inout [UInt8]
  ) {
    var index = range.lowerBound
    while let end = firstIndex(of: 0xD, in: bytes, index..<range.upperBound) {
      result.append(span: bytes.extracting(index..<end))
      result.append(0xA)
      index = afterReturn(bytes, end)
    }
    result.append(span: bytes.extracting(index..<range.upperBound))
  }

  /// The offset after a line end that begins with a carriage return: with the line feed, it is one line end (§2.11).
  @inline(__always)
  private static func afterReturn(_ bytes: borrowing Span<UInt8>, _ index: Int) -> Int {
    bytes[index + 1] == 0xA ? index + 2 : index + 1
  }

  /// The content of the CDATA section at `start`, and the offset after it; for other markup, no content.
  private static func markup(_ bytes: borrowing Span<UInt8>, at start: Int) -> (section: Range<Int>, end: Int) {
    guard case .delimited(let markup) = ElementPiece(bytes, at: start) else { return (start..<start, start + 1) }
    let content = markup.content(in: bytes, at: start)
    let end = content.upperBound + markup.end.utf8CodeUnitCount
    return (markup == .cdataSection ? content : end..<end, end)
  }

  // MARK: As JSON

  /// Whether a text is the same in JSON.
  static func isPlain(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
    specialPlace(bytes, range) == range.upperBound
  }

  /// Writes a JSON string.
  static func write(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>, to output: inout ByteWriter) {
    let end = specialPlace(bytes, range)
    if end == range.upperBound { return output.append(quoted: bytes.extracting(range)) }
    output.append(UInt8(ascii: "\""))
    writeContents(bytes, range, to: &output)
    output.append(UInt8(ascii: "\""))
  }

  /// Writes the value of an attribute as a JSON string.
  /// - Parameter range: what is between the quotes.
  static func write(value bytes: borrowing Span<UInt8>, _ range: Range<Int>, to output: inout ByteWriter) {
    let index = specialPlace(bytes, range)
    if index == range.upperBound { return output.append(quoted: bytes.extracting(range)) }
    if !XMLText.hasControl(bytes, index..<range.upperBound) { return write(bytes, range, to: &output) }
    let spaced = XMLText.spaced(array(bytes, range.lowerBound..<(range.upperBound + 1)))
    write(spaced.span, 0..<(spaced.count - 1), to: &output)
  }

  /// The same without the quotes.
  static func writeContents(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>, to output: inout ByteWriter) {
    var start = range.lowerBound
    while true {
      let place = specialPlace(bytes, start..<range.upperBound)
      if place > start { output.append(bytes.extracting(start..<place)) }
      guard place < range.upperBound else { return }
      switch bytes[place] {
      case UInt8(ascii: "&"): start = writeReference(bytes, at: place, before: range.upperBound, to: &output)
      case UInt8(ascii: "<"):
        let (section, end) = markup(bytes, at: place)
        write(section: bytes, section, to: &output)
        start = end
      default: start = writeEscape(bytes, at: place, to: &output)
      }
    }
  }

  private static func write(
    section bytes: borrowing Span<UInt8>, _ range: Range<Int>, to output: inout ByteWriter
  ) {
    var (start, index) = (range.lowerBound, range.lowerBound)
    while true {
      index = specialPlace(bytes, index..<range.upperBound)
      if index < range.upperBound, isMarkup(bytes[index]) {
        index += 1
        continue
      }
      output.append(bytes.extracting(start..<index))
      guard index < range.upperBound else { return }
      index = writeEscape(bytes, at: index, to: &output)
      start = index
    }
  }

  /// Writes a byte that JSON must escape.
  /// - Returns: the offset after it.
  private static func writeEscape(_ bytes: borrowing Span<UInt8>, at index: Int, to output: inout ByteWriter) -> Int {
    let isReturn = bytes[index] == 0xD
    JSONString.writeEscape(of: isReturn ? 0xA : bytes[index], to: &output)
    return isReturn ? afterReturn(bytes, index) : index + 1
  }

  /// Writes the character of a reference, or if it is not a simple one, all text up to other markup.
  /// - Returns: the offset after that.
  private static func writeReference(
    _ bytes: borrowing Span<UInt8>, at start: Int, before end: Int, to output: inout ByteWriter
  ) -> Int {
    if let (code, end) = XMLReference.simple(bytes, at: start), let character = Unicode.Scalar(code) {
      write(character, to: &output)
      return end
    }
    var text: [UInt8] = []
    let stop = XMLText.decode(bytes, from: start, to: bytes[end], into: &text)
    JSONString.writeContents(text.span, 0..<text.count, to: &output)
    return stop
  }

  private static func write(_ character: Unicode.Scalar, to output: inout ByteWriter) {
    for byte in UTF8.encode(character) ?? UTF8.encodedReplacementCharacter {
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        JSONString.writeEscape(of: byte, to: &output)
      } else {
        output.append(byte)
      }
    }
  }

  /// The offset of the first byte that is not written as it is, or that begins markup; the end if there is none.
  @inline(__always)
  private static func specialPlace(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Int {
    var index = range.lowerBound
    while index < range.upperBound {
      if index + 8 <= bytes.count {
        let word = loadWord(bytes, at: index)
        // `"` and `&` differ in one bit, `\` and `<` in two. With them goes `|`, which is no such byte.
        let stops =
          (word & .repeating(0xFB)).places(of: UInt8(ascii: "\"")) | (word & .repeating(0x9F)).places(of: 0x1C)
          | word.places(below: 0x20)
        index += stops.lowestPlace
        if stops == 0 { continue }
        if index >= range.upperBound { break }
      }
      let byte = bytes[index]
      if byte < 0x20 || isMarkup(byte) || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
      index += 1
    }
    return range.upperBound
  }
}
