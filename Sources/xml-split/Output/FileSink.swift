import FeedCore

/// Writes elements to files (--files), and prints the names of the files.
struct FileSink: ElementSink {
  private let form: FileForm
  private let keepsEntities: Bool
  private let terminator: UInt8
  private var files: ElementFiles
  /// The text around the elements in a file that begins in this document.
  private var wrapper = ElementFiles.Wrapper()

  init(_ form: FileForm, keepsEntities: Bool, terminator: UInt8) {
    self.form = form
    self.keepsEntities = keepsEntities
    self.terminator = terminator
    files = ElementFiles(form)
  }

  var needsTree: Bool { form.pattern.usesValues }
  var failure: ToolFailure? { files.failure }

  mutating func beginDocument(
    _ root: XMLTokenizer.Token, _ document: DocumentContext, _ bytes: borrowing Span<UInt8>
  ) {
    let declaration = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".utf8)
    switch form.content {
    case .bare: break
    case .document: wrapper.head = declaration
    case .wrapped:
      wrapper.head = declaration + array(bytes, root.range) + [UInt8(ascii: "\n")]
      wrapper.tail = Array("</".utf8) + array(bytes, root.name) + Array(">\n".utf8)
    }
  }

  mutating func write(
    _ element: borrowing FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) throws(XMLError) {
    let text: [UInt8]
    switch form.content {
    case .bare: text = element.original(bytes)
    case .document, .wrapped:
      try checkEntities(element, bytes)
      if case .wrapped = form.content, element.depth == 1 {
        throw XMLError("a root element cannot stand inside itself (--no-wrap)", at: element.range.lowerBound)
      }
      text = element.text(bytes)
    }
    try files.append(text + [UInt8(ascii: "\n")], tree, at: element.range.lowerBound, wrapper: wrapper)
    if files.hasMany { settle(&output) }
  }

  /// A separate document must not refer to entities declared elsewhere.
  private func checkEntities(_ element: borrowing FoundElement, _ bytes: borrowing Span<UInt8>) throws(XMLError) {
    if keepsEntities { return }
    let start = element.range.lowerBound
    if let found = ElementPiece.firstEntity(in: bytes.extracting(element.range)) {
      throw XMLError.entity(found.name, at: start + found.offset)
    }
    // The rest of the document comes from around the element.
    let around = wrapper.head + element.inherited.joined()
    if let found = XMLText.firstEntity(around.span, 0..<around.count) {
      throw XMLError.entity(found.name, at: start)
    }
  }

  /// A file with a part of the document ends when the document ends.
  mutating func endDocument(_ output: inout ByteWriter) {
    if case .wrapped = form.content { files.finish() }
  }

  mutating func finish(_ output: inout ByteWriter) { files.finish() }

  /// Prints the names of the files that are complete. A power cut after that takes none of them away.
  mutating func settle(_ output: inout ByteWriter) {
    for name in files.takeSynced() {
      output.append(name)
      output.endLine(terminator)
    }
  }
}
