import FeedCore

/// An element that is wanted and has not ended.
struct WantedElement {
  /// The offset of its start tag.
  var start: Int
  /// The offset after its name.
  var nameEnd: Int
  /// How many elements it and those around it are.
  let depth: Int
  let inherited: [[UInt8]]
}

/// An element that is wanted and has come as a whole, as a place in the text.
struct FoundElement {
  let range: Range<Int>
  /// The offset after its name, where declarations go that it inherits.
  let nameEnd: Int
  let depth: Int
  /// The namespace declarations that it takes along from the elements around it.
  let inherited: [[UInt8]]
  let encoding: XMLEncoding

  init(_ element: WantedElement, endingAt end: Int, _ encoding: XMLEncoding) {
    range = element.start..<end
    nameEnd = element.nameEnd
    depth = element.depth
    inherited = element.inherited
    self.encoding = encoding
  }

  /// Writes the element as it is, with the declarations that it inherits.
  func write(_ bytes: borrowing Span<UInt8>, to output: inout ByteWriter) {
    output.append(bytes.extracting(range.lowerBound..<nameEnd))
    for declaration in inherited {
      output.append(" ")
      output.append(declaration)
    }
    output.append(bytes.extracting(nameEnd..<range.upperBound))
  }

  /// The same, on its own.
  func text(_ bytes: borrowing Span<UInt8>) -> [UInt8] {
    var output = ByteWriter()
    write(bytes, to: &output)
    return output.take()
  }
}
