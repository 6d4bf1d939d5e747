import FeedCore

/// How an item is printed, from a page or from a store.
enum ItemForm: Equatable, Sendable {
  /// As received.
  case data
  /// As an event record `item`.
  case record(RecordStamp)

  private static let event = Array("item".utf8)

  /// Writes an item of a page as a line.
  func write(_ item: FeedItem, to output: inout ByteWriter) {
    if case .record(let stamp) = self { return write(stamp, item.data, item.id, to: &output) }
    item.write(to: &output)
    output.endLine()
  }

  /// Writes an item that waited as a line.
  func write(_ item: WaitingItem, to output: inout ByteWriter) {
    if case .record(let stamp) = self {
      // Its id alone does not tell which of its releases this is.
      let extra = item.isAgain ? Array(",\"seq\":\(item.position)".utf8) : []
      return write(stamp, item.data, item.id, extra, to: &output)
    }
    item.write(to: &output)
    output.endLine()
  }

  private func write(
    _ stamp: RecordStamp, _ text: [UInt8], _ id: [UInt8], _ extra: [UInt8] = [], to output: inout ByteWriter
  ) {
    output.beginRecord(event: Self.event.span, id: id.span, extra: extra)
    // An item that is neither an object nor an array becomes a string that contains its text.
    if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") {
      output.append(text)
    } else {
      JSONString.write(text, to: &output)
    }
    output.endRecord(stamp)
  }
}
