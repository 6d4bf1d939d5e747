import FeedCore

/// The output for wanted elements: one type for each form that the options can choose.
protocol ElementSink {
  /// Whether it reads the contents of elements. If so, `write` gets the tree of the element.
  var needsTree: Bool { get }
  /// Whether elements are written as XML, which needs the namespace declarations around them.
  var isXML: Bool { get }
  /// Whether each record has the text of the element as it is, but without the declarations of the document.
  var copiesText: Bool { get }
  /// The depth of the outermost element whose namespace declarations an element inherits.
  var outermostInherited: Int { get }
  /// An error outside standard output.
  var failure: ToolFailure? { get }

  /// Writes what comes before all elements.
  func begin(_ output: inout ByteWriter)

  /// Begins a root element.
  mutating func beginDocument(
    _ root: XMLTokenizer.Token, _ document: DocumentContext, _ bytes: borrowing Span<UInt8>)

  mutating func write(
    _ element: borrowing FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) throws(XMLError)

  mutating func endDocument(_ output: inout ByteWriter)

  /// What the user should know of the elements written since the last call.
  mutating func takeNotes() -> [XMLError]

  /// What the user should know of all elements written.
  var lastNotes: [String] { get }

  /// Writes what is ready and was kept back, before a flush.
  mutating func settle(_ output: inout ByteWriter)

  /// Completes the output in progress.
  mutating func finish(_ output: inout ByteWriter)

  /// Writes what comes after all elements. Not called after an error that ends the run.
  func end(_ output: inout ByteWriter)
}

extension ElementSink {
  var needsTree: Bool { false }
  var isXML: Bool { false }
  var copiesText: Bool { false }
  var outermostInherited: Int { 1 }
  var failure: ToolFailure? { nil }

  func begin(_ output: inout ByteWriter) {}
  func beginDocument(_ root: XMLTokenizer.Token, _ document: DocumentContext, _ bytes: borrowing Span<UInt8>) {}
  func endDocument(_ output: inout ByteWriter) {}
  func takeNotes() -> [XMLError] { [] }
  var lastNotes: [String] { [] }
  func settle(_ output: inout ByteWriter) {}
  func finish(_ output: inout ByteWriter) {}
  func end(_ output: inout ByteWriter) {}
}

/// Writes elements unchanged.
struct VerbatimSink: ElementSink {
  let terminator: UInt8
  var isXML: Bool { true }

  func write(
    _ element: borrowing FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) {
    element.write(bytes, to: &output)
    output.endLine(terminator)
  }
}

/// Writes elements without line ends in them (--one-line). In text, a line end becomes a reference; in a CDATA section,
/// a reference between two halves of the section. In a tag it becomes a space, which means the same, also in attribute
/// values (§3.3.3). Comments and processing instructions cannot have references, so they get a space too.
struct OneLineSink: ElementSink {
  let terminator: UInt8
  var isXML: Bool { true }

  func write(
    _ element: borrowing FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
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

/// Writes only how many elements there are (--count). An error leaves it unknown.
struct CountSink: ElementSink {
  private var count = 0

  mutating func write(
    _ element: borrowing FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) {
    count += 1
  }

  func end(_ output: inout ByteWriter) {
    output.append(Array(String(count).utf8))
    output.endLine()
  }
}
