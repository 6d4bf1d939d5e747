import FeedCore

/// A wanted element that has not ended.
struct WantedElement {
  /// The offset of its start tag.
  var start: Int
  /// The offset after its name.
  var nameEnd: Int
  /// The number of elements around it, including itself.
  let depth: Int
  let inherited: [[UInt8]]
  /// What is in scope in it.
  let namespaces: Namespaces
  /// The last steps of the paths of PATH that its start tag matches, as bits.
  let matched: UInt64
}

/// A wanted, complete element, as a range of the text.
struct FoundElement {
  let range: Range<Int>
  /// The offset after its name, where inherited declarations are inserted.
  let nameEnd: Int
  let depth: Int
  /// The namespace declarations that it inherits from the elements around it.
  let inherited: [[UInt8]]
  /// What is in scope in it.
  let namespaces: Namespaces
  /// The last steps of the paths of PATH that its start tag matches, as bits.
  let matched: UInt64
  let encoding: XMLEncoding

  init(_ element: WantedElement, endingAt end: Int, _ encoding: XMLEncoding) {
    range = element.start..<end
    nameEnd = element.nameEnd
    depth = element.depth
    inherited = element.inherited
    namespaces = element.namespaces
    matched = element.matched
    self.encoding = encoding
  }

  /// Writes the element unchanged, except for the declarations that it inherits.
  func write(_ bytes: borrowing Span<UInt8>, to output: inout ByteWriter) {
    output.append(bytes.extracting(range.lowerBound..<nameEnd))
    for declaration in inherited {
      output.append(" ")
      output.append(declaration)
    }
    output.append(bytes.extracting(nameEnd..<range.upperBound))
  }

  /// The same text, as an array.
  func text(_ bytes: borrowing Span<UInt8>) -> [UInt8] {
    var output = ByteWriter()
    write(bytes, to: &output)
    return output.take()
  }
}
