// Which of the elements found are written, and in which form.

import FeedCore

struct ElementWriter {
  private var output: ByteWriter
  private var sink: any ElementSink
  /// An element must meet all of these to be written.
  private let conditions: [Field]
  /// Whether the contents of elements must be read.
  let needsTree: Bool
  private let keepsEntities: Bool
  /// How many elements were written.
  private(set) var count = 0

  init(_ options: Options, _ output: Descriptor) {
    self.output = ByteWriter(output, records: .filter)
    sink = options.form.sink(keepsEntities: options.keepsEntities)
    conditions = options.having
    needsTree = sink.needsTree || !conditions.isEmpty
    keepsEntities = options.keepsEntities
    sink.begin(&self.output)
  }

  // MARK: The output

  mutating func flush() throws(ToolFailure) {
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

  // MARK: Documents

  /// Begins a root element.
  mutating func beginDocument(
    _ root: XMLTokenizer.Token, _ document: DocumentContext, _ bytes: borrowing Span<UInt8>
  ) {
    sink.beginDocument(root, document, bytes)
  }

  mutating func endDocument() { sink.endDocument(&output) }

  // MARK: Elements

  /// - Parameter tree: its tree, if that is needed.
  mutating func write(
    _ element: FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>
  ) throws(XMLError) {
    if needsTree, element.mayHaveEntities, !keepsEntities { try checkEntities(element, bytes) }
    for condition in conditions where condition.value(in: tree) == nil { return }
    try sink.write(element, tree, bytes, to: &output)
    count += 1
  }

  /// Checks that all references have a meaning in the output.
  private func checkEntities(_ element: FoundElement, _ bytes: borrowing Span<UInt8>) throws(XMLError) {
    guard let found = ElementPiece.firstEntity(in: bytes.extracting(element.range), .utf8) else { return }
    throw XMLError.entity(found.name, at: element.range.lowerBound + found.offset)
  }
}

extension Form {
  /// - Parameter keepsEntities: whether files that are documents may contain references to undefined entities.
  fileprivate func sink(keepsEntities: Bool) -> any ElementSink {
    switch self {
    case .verbatim(let terminator): VerbatimSink(terminator: terminator)
    case .oneLine(let terminator): OneLineSink(terminator: terminator)
    case .json(let form): JSONSink(form: form)
    case .table(let fields, let hasHeader): TableSink(fields: fields, hasHeader: hasHeader)
    case .records(let id, let data, let stamp): RecordSink(id: id, data: data, stamp: stamp)
    case .files(let form, let terminator): FileSink(form, keepsEntities: keepsEntities, terminator: terminator)
    }
  }
}
