import FeedCore

/// A wanted, complete element, as a range of the text.
struct FoundElement {
  let range: Range<Int>
  /// The offset after its name, where inherited declarations are inserted.
  let nameEnd: Int
  let depth: Int
  /// The namespace declarations that it inherits from the elements around it.
  let inherited: [[UInt8]]
  /// The last steps of the paths of PATH that its start tag matches, as bits.
  let matched: UInt64
  /// For an element that was in an encoding with one byte for each character.
  let table: SingleByteTable?
  /// Whether it may refer to entities that need a declaration.
  let mayHaveEntities: Bool

  init(
    _ element: consuming WantedElement, endingAt end: Int, in document: DocumentContext, _ table: SingleByteTable?
  ) {
    range = element.start..<end
    nameEnd = element.nameEnd
    depth = element.depth
    inherited = element.inherited
    self.table = table
    mayHaveEntities = document.referenceCount > element.referencesBefore
    matched = element.matched
  }

  /// Writes the element unchanged, except for the declarations that it inherits.
  func write(_ bytes: borrowing Span<UInt8>, to output: inout ByteWriter) {
    if let table { output.append(table.original(text(bytes).span)) } else { writeText(bytes, to: &output) }
  }

  /// The same, as an array.
  func original(_ bytes: borrowing Span<UInt8>) -> [UInt8] {
    table.map { $0.original(text(bytes).span) } ?? text(bytes)
  }

  /// Its text in UTF-8, with the declarations that it inherits.
  func text(_ bytes: borrowing Span<UInt8>) -> [UInt8] {
    var output = ByteWriter()
    writeText(bytes, to: &output)
    return output.take()
  }

  private func writeText(_ bytes: borrowing Span<UInt8>, to output: inout ByteWriter) {
    output.append(bytes.extracting(range.lowerBound..<nameEnd))
    for declaration in inherited {
      output.append(" ")
      output.append(declaration)
    }
    output.append(bytes.extracting(nameEnd..<range.upperBound))
  }
}
