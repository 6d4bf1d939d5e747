import FeedCore

/// Writes elements unchanged.
struct VerbatimSink: ElementSink {
  let terminator: UInt8

  func write(
    _ element: FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) {
    element.write(bytes, to: &output)
    output.endLine(terminator)
  }
}
