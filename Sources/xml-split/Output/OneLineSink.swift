import FeedCore

/// Writes elements without line ends in them (--one-line). In text, a line end becomes a reference; in a CDATA section,
/// a reference between two halves of the section. In a tag it becomes a space, which means the same, also in attribute
/// values (§3.3.3). Comments and processing instructions cannot have references, so they get a space too.
struct OneLineSink: ElementSink {
  let terminator: UInt8

  func write(
    _ element: FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) {
    Self.write(element.original(bytes).span, to: &output)
    output.endLine(terminator)
  }

  private static func write(_ bytes: borrowing Span<UInt8>, to output: inout ByteWriter) {
    let all = 0..<bytes.count
    if firstIndex(of: 0xA, in: bytes, all) == nil, firstIndex(of: 0xD, in: bytes, all) == nil {
      return output.append(bytes)
    }
    var index = 0
    while index < bytes.count {
      let piece = ElementPiece(bytes, at: index)
      let end = piece.end(bytes, from: index)
      write(bytes, index..<end, lineEnd: lineEnd(in: piece), to: &output)
      index = end
    }
  }

  private static func lineEnd(in piece: ElementPiece) -> StaticString {
    switch piece {
    case .text: "&#10;"
    case .delimited(.cdataSection): "]]>&#10;<![CDATA["
    case .startTag, .endTag, .delimited(.comment), .delimited(.processingInstruction): " "
    }
  }

  private static func write(
    _ bytes: borrowing Span<UInt8>, _ range: Range<Int>, lineEnd: StaticString, to output: inout ByteWriter
  ) {
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
