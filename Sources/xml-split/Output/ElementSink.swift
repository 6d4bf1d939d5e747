import FeedCore

/// The output for wanted elements: one type for each `Form`.
protocol ElementSink {
  /// Whether it reads the contents of elements. If so, `write` gets the tree of the element.
  var needsTree: Bool { get }
  /// Whether it needs to know which children have the same name.
  var needsSiblings: Bool { get }
  /// An error outside standard output.
  var failure: ToolFailure? { get }

  /// Writes what comes before all elements.
  func begin(_ output: inout ByteWriter)

  /// Begins a root element.
  mutating func beginDocument(
    _ root: XMLTokenizer.Token, _ document: DocumentContext, _ bytes: borrowing Span<UInt8>)

  mutating func write(
    _ element: FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
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
  var needsSiblings: Bool { false }
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
