import FeedCore

/// Writes only how many elements there are (--count), at the end.
struct CountSink: ElementSink {
  private var count: Int? = 0

  mutating func write(
    _ element: FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) {
    count? += 1
  }

  mutating func finish(_ output: inout ByteWriter) {
    guard let count else { return }
    self.count = nil
    output.append(Array(String(count).utf8))
    output.endLine()
  }
}
