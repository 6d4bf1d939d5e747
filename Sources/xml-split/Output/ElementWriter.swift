import FeedCore

/// Which of the elements found are written, and in which form.
struct ElementWriter {
  private var output: ByteWriter
  private var sink: any ElementSink
  private let conditions: ElementConditions
  private let hasConditions: Bool
  /// Whether the contents of elements must be read.
  let needsTree: Bool
  /// The depth of the outermost element whose namespace declarations an element inherits.
  let outermostInherited: Int
  /// The texts of the entities of the document; nil if references are written as they are.
  private var entities: EntityTexts?
  /// How many elements were written.
  private(set) var count = 0

  /// - Parameters:
  ///   - conditions: which elements are written.
  init(_ sink: any ElementSink, _ conditions: ElementConditions, _ output: Descriptor) {
    self.output = ByteWriter(output, records: .filter)
    self.sink = sink
    outermostInherited = sink.outermostInherited
    self.conditions = conditions
    hasConditions = conditions.needsTree
    needsTree = sink.needsTree || hasConditions
    self.sink.begin(&self.output)
  }

  // MARK: The output

  mutating func flush() throws(ToolFailure) {
    sink.settle(&output)
    try output.flushOutput()
    if let failure = sink.failure { throw failure }
  }

  /// Throws an earlier write error, without writing.
  func check() throws(ToolFailure) {
    try output.checkOutput()
    if let failure = sink.failure { throw failure }
  }

  /// Completes the output in progress.
  mutating func finish() { sink.finish(&output) }

  /// Writes what comes after all elements.
  mutating func end() { sink.end(&output) }

  // MARK: Documents

  /// Begins a root element.
  mutating func beginDocument(
    _ root: XMLTokenizer.Token, _ document: DocumentContext, _ entities: EntityTexts?, _ bytes: borrowing Span<UInt8>
  ) {
    // A copy of an element cannot have the texts, and without the document nobody knows them.
    self.entities = entities != nil && sink.copiesText ? EntityTexts() : entities
    sink.beginDocument(root, document, bytes)
  }

  mutating func endDocument() { sink.endDocument(&output) }

  /// What the user should know of the elements written since the last call.
  mutating func takeNotes() -> [XMLError] { sink.takeNotes() }

  /// What the user should know of all elements.
  var lastNotes: [String] { count > 0 ? sink.lastNotes : [] }

  // MARK: Elements

  /// - Parameter tree: its tree, if that is needed.
  mutating func write(
    _ element: borrowing FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>
  ) throws(XMLError) {
    if needsTree, let other = try expanded(element, tree.namespaces, bytes) {
      return try write(element, other, bytes: bytes)
    }
    try write(element, tree, bytes: bytes)
  }

  private mutating func write(
    _ element: borrowing FoundElement, _ tree: ElementTree, bytes: borrowing Span<UInt8>
  ) throws(XMLError) {
    if hasConditions, !conditions.areMet(by: tree, element.matched) { return }
    try sink.write(element, tree, bytes, to: &output)
    count += 1
  }

  /// The tree of an element that has references to entities. Their texts take their place.
  /// - Returns: nil if its own tree is right.
  private mutating func expanded(
    _ element: borrowing FoundElement, _ namespaces: Namespaces, _ bytes: borrowing Span<UInt8>
  ) throws(XMLError) -> ElementTree? {
    guard element.mayHaveEntities, let entities else { return nil }
    do {
      guard let text = try entities.expanded(array(bytes, element.range)) else { return nil }
      return try XMLTokenizer.tree(of: text, in: namespaces)
    } catch {
      throw error.moved(by: element.range.lowerBound)
    }
  }
}
