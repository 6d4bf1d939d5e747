// The forms in which an element is written once it has ended.

import FeedCore

/// An element that is wanted.
struct WantedElement {
  /// The offset of its start tag.
  var start: Int
  /// The offset behind its name, where declarations go that it inherits.
  var nameEnd: Int
  /// How many elements it and those around it are.
  let depth: Int
  let inherited: [[UInt8]]

  /// Writes the element, which ends at `end`, as it stands, with the declarations that it inherits.
  func write(_ bytes: borrowing Span<UInt8>, upTo end: Int, to output: inout ByteWriter) {
    output.append(bytes.extracting(start..<nameEnd))
    for declaration in inherited {
      output.append(" ")
      output.append(declaration)
    }
    output.append(bytes.extracting(nameEnd..<end))
  }

  /// The same, on its own.
  func text(_ bytes: borrowing Span<UInt8>, upTo end: Int) -> [UInt8] {
    var output = ByteWriter()
    write(bytes, upTo: end, to: &output)
    return output.take()
  }
}

struct RecordWriter {
  private let options: Options
  private var output: ByteWriter
  private var files: ElementFiles?
  /// What a file of elements out of this document has around them; nil before its root is known.
  private var wrapper: ElementFiles.Wrapper?
  /// How many elements were written.
  private(set) var count = 0

  init(_ options: Options, _ output: Descriptor) {
    self.options = options
    self.output = ByteWriter(output, records: .filter)
    files = options.files.map { ElementFiles($0, size: options.filesSize ?? 1) }
    if options.printsHeaderRow { self.output.append(TabSeparated.row(options.fields.map(\.text))) }
  }

  // MARK: The output

  mutating func flush() throws(ToolFailure) {
    try output.flushOutput()
    if let failure = files?.failure { throw failure }
  }

  /// Throws what went wrong in writing, without writing.
  func check() throws(ToolFailure) {
    try output.checkOutput()
    if let failure = files?.failure { throw failure }
  }

  /// Completes what is being written.
  mutating func finish() {
    if let name = files?.finish() { printName(name) }
  }

  private mutating func printName(_ name: [UInt8]) {
    output.append(name)
    output.endLine(options.terminator)
  }

  // MARK: Documents

  /// A root element has begun.
  mutating func beginDocument(_ tokenizer: XMLTokenizer, _ bytes: borrowing Span<UInt8>) {
    guard options.wrapsFiles else { return }
    let tag = array(bytes, tokenizer.tokenStart..<tokenizer.offset)
    let name = array(bytes, tokenizer.name)
    wrapper = ElementFiles.Wrapper(
      head: declaration(tokenizer) + SingleByte.utf8(tag, tokenizer.encoding) + [UInt8(ascii: "\n")],
      tail: Array("</".utf8) + SingleByte.utf8(name, tokenizer.encoding) + Array(">\n".utf8))
  }

  /// A document has ended, and so has a file that stands for a part of it.
  mutating func endDocument() {
    guard options.wrapsFiles else { return }
    finish()
    wrapper = nil
  }

  /// The XML declaration of a file, in UTF-8 where the text can be converted.
  private func declaration(_ tokenizer: XMLTokenizer) -> [UInt8] {
    let name = tokenizer.encoding.isOpaque ? tokenizer.encodingName : Array("UTF-8".utf8)
    return Array("<?xml version=\"1.0\" encoding=\"".utf8) + name + Array("\"?>\n".utf8)
  }

  // MARK: Elements

  /// Writes an element whose end tag has been read.
  mutating func write(
    _ element: WantedElement, _ tokenizer: XMLTokenizer, _ bytes: borrowing Span<UInt8>
  ) throws(XMLError) {
    let tree = options.needsTree ? try tree(of: element, tokenizer, bytes) : nil
    if let tree {
      for condition in options.having where condition.value(in: tree) == nil { return }
    }
    if files != nil {
      try writeFile(element, tree, tokenizer, bytes)
    } else if options.writesOneLine {
      let text = element.text(bytes, upTo: tokenizer.offset)
      MarkupWalk.writeOnOneLine(text.span, to: &output)
      output.endLine(options.terminator)
    } else if options.printsRecords, let tree {
      writeRecord(element, tree, tokenizer, bytes)
    } else if options.isJSON, let tree {
      writeJSON(tree)
      output.endLine()
    } else if !options.fields.isEmpty, let tree {
      output.append(TabSeparated.row(options.fields.map { $0.value(in: tree) ?? [] }))
      output.markRecord()
    } else {
      element.write(bytes, upTo: tokenizer.offset, to: &output)
      output.endLine(options.terminator)
    }
    count += 1
  }

  private mutating func writeFile(
    _ element: WantedElement, _ tree: ElementTree?, _ tokenizer: XMLTokenizer, _ bytes: borrowing Span<UInt8>
  ) throws(XMLError) {
    var text = element.text(bytes, upTo: tokenizer.offset) + [UInt8(ascii: "\n")]
    var wrapper = wrapper ?? ElementFiles.Wrapper()
    if options.isFileDocument {
      if !options.keepsEntities {
        let range = element.start..<tokenizer.offset
        if let found = MarkupWalk.firstEntity(bytes.extracting(range), tokenizer.encoding) {
          throw XMLError.entity(found.name, at: element.start + found.offset)
        }
        // What it inherits is of the elements around it.
        let around = wrapper.head + element.inherited.joined()
        if let found = XMLText.firstEntity(around.span, 0..<around.count, tokenizer.encoding) {
          throw XMLError.entity(found.name, at: element.start)
        }
      }
      if options.wrapsFiles, element.depth == 1 {
        throw XMLError("a root element cannot stand inside itself (--no-wrap)", at: element.start)
      }
      if !options.wrapsFiles { wrapper.head = declaration(tokenizer) }
      text = SingleByte.utf8(text, tokenizer.encoding)
    }
    if let name = try files?.append(text, tree, at: element.start, wrapper: wrapper) { printName(name) }
  }

  private func tree(
    of element: WantedElement, _ tokenizer: XMLTokenizer, _ bytes: borrowing Span<UInt8>
  ) throws(XMLError) -> ElementTree {
    if tokenizer.encoding.isOpaque {
      throw XMLError("the encoding of the document cannot be converted to UTF-8", at: element.start)
    }
    let text = SingleByte.utf8(array(bytes, element.start..<tokenizer.offset), tokenizer.encoding)
    do { return try ElementTree(text, keepsEntities: options.keepsEntities) } catch {
      // Of another encoding, the places are others in UTF-8.
      throw XMLError(error.message, at: element.start + (tokenizer.encoding == .utf8 ? error.offset : 0))
    }
  }

  private mutating func writeRecord(
    _ element: WantedElement, _ tree: ElementTree, _ tokenizer: XMLTokenizer, _ bytes: borrowing Span<UInt8>
  ) {
    let name = Array(tree.bytes[tree.nodes[0].name ?? 0..<0])
    let id = options.id?.value(in: tree) ?? []
    output.beginRecord(event: name.span, id: id.span)
    if options.isJSON {
      writeJSON(tree)
    } else {
      let text = element.text(bytes, upTo: tokenizer.offset)
      JSONString.write(SingleByte.utf8(text, tokenizer.encoding), to: &output)
    }
    output.endRecord()
  }

  private mutating func writeJSON(_ tree: ElementTree) {
    if options.fields.isEmpty { return options.json.write(tree, to: &output) }
    for (place, field) in options.fields.enumerated() {
      output.append(place == 0 ? "{" : ",")
      JSONString.write(field.text, to: &output)
      output.append(":")
      if let value = field.value(in: tree) { JSONString.write(value, to: &output) } else { output.append("null") }
    }
    output.append("}")
  }
}
