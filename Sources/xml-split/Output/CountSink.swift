import FeedCore

/// Writes only how many elements there are (--count). An error leaves it unknown.
struct CountSink: ElementSink {
  private var count = 0

  mutating func write(
    _ element: FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) {
    count += 1
  }

  func end(_ output: inout ByteWriter) {
    output.append(Array(String(count).utf8))
    output.endLine()
  }
}
