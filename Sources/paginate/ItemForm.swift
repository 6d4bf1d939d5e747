// How an item is printed, from a page or from a store.

import FeedCore

enum ItemForm: Equatable, Sendable {
  /// As received.
  case data
  /// As an event record `item`.
  case record(RecordStamp)

  private static let event = Array("item".utf8)

  /// Writes an item of a page as a line.
  func write(_ item: FeedItem, to output: inout ByteWriter) {
    guard case .data = self else { return write(item.data, id: item.id, to: &output) }
    item.write(to: &output)
    output.endLine()
  }

  /// Writes an item of a store as a line.
  func write(_ item: WaitingItem, to output: inout ByteWriter) {
    guard case .data = self else {
      // Its id alone does not tell which of its releases this is.
      let extra = item.isAgain ? Array(",\"seq\":\(item.position)".utf8) : []
      return write(item.data, id: item.id, extra: extra, to: &output)
    }
    item.write(to: &output)
    output.endLine()
  }

  /// Writes the text of an item as a line.
  private func write(_ text: [UInt8], id: [UInt8], extra: [UInt8] = [], to output: inout ByteWriter) {
    switch self {
    case .data:
      output.append(text)
      output.endLine()
    case .record(let stamp):
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
}
