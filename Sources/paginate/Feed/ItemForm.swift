// How an item is printed, from a page or from a store.

import FeedCore

enum ItemForm: Equatable, Sendable {
  /// As received.
  case data
  /// As an event record `item`.
  case record(RecordStamp)

  private static let event = Array("item".utf8)

  /// Writes an item as a line.
  /// - Parameter release: its number, if it is not the first of the item.
  func write(_ item: FeedItem, release: Int? = nil, to output: inout ByteWriter) {
    guard case .record(let stamp) = self else {
      item.write(to: &output)
      return output.endLine()
    }
    let text = item.data
    // Its id alone does not tell which of its releases this is.
    let extra = release.map { Array(",\"seq\":\($0)".utf8) } ?? []
    output.beginRecord(event: Self.event.span, id: item.id.span, extra: extra)
    // An item that is neither an object nor an array becomes a string that contains its text.
    if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") {
      output.append(text)
    } else {
      JSONString.write(text, to: &output)
    }
    output.endRecord(stamp)
  }

  /// Writes an item of a store as a line.
  func write(_ item: WaitingItem, to output: inout ByteWriter) {
    write(item.item, release: item.isAgain ? item.position : nil, to: &output)
  }
}
