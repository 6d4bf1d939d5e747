import FeedCore

/// Where elements go that are wanted: one type for each `Form`.
protocol ElementSink {
  /// Whether it looks into elements. The tree that `write` gets is of the element then.
  var needsTree: Bool { get }
  /// What went wrong outside of the output.
  var failure: ToolFailure? { get }

  /// Writes what comes before all elements.
  func begin(_ output: inout ByteWriter)

  /// A root element has begun.
  mutating func beginDocument(
    _ root: XMLTokenizer.Token, _ document: DocumentContext, _ bytes: borrowing Span<UInt8>)

  mutating func write(
    _ element: FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) throws(XMLError)

  mutating func endDocument(_ output: inout ByteWriter)

  /// Completes what is being written.
  mutating func finish(_ output: inout ByteWriter)
}

extension ElementSink {
  var needsTree: Bool { false }
  var failure: ToolFailure? { nil }

  func begin(_ output: inout ByteWriter) {}
  func beginDocument(_ root: XMLTokenizer.Token, _ document: DocumentContext, _ bytes: borrowing Span<UInt8>) {}
  func endDocument(_ output: inout ByteWriter) {}
  func finish(_ output: inout ByteWriter) {}
}
