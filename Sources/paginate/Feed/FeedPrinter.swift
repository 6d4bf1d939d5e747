import FeedCore

/// Prints the waiting items, so that none is printed twice or lost, whenever the process ends.
///
/// First the store records that a chunk will be written; then the chunk is written; then the store records that it is
/// done. Each record is on disk before the next step. After a kill in between, nobody can know whether that one chunk
/// was written: the next run reports it as uncertain and does not print it. If a write fails, the system says how many
/// bytes it took. Whole lines among them are done, the line that was cut is uncertain, and the rest waits for the next
/// run.
///
/// A reader with its own place, in a checkpoint, gets everything released after it; the store records nothing for it.
struct FeedPrinter {
  var form = ItemForm.data
  /// The size of a chunk. A kill can leave one chunk uncertain, and each chunk costs two transactions.
  var chunkLines = 1000
  var chunkBytes = 64 * 1024
  /// How many items may still be printed; nil for no limit.
  var remaining: Int?
  /// The release number up to which the reader has everything; nil if the store records what was printed.
  var place: Int?
  /// Writes lines, given the end of each. Returns how many bytes were written, and why not all (`RecordWrites.write`).
  var write: Write

  typealias Write = (borrowing Span<UInt8>, _ ends: [Int]) -> (accepted: Int, error: SystemError?)

  init(write: @escaping Write) { self.write = write }

  /// Prints the waiting items in a range of positions, or those that the reader does not have yet.
  /// - Returns: why the output took no more; nil if no item waits any more, or as many as were wanted are printed.
  mutating func print(_ range: ClosedRange<Int>, of store: any FeedStorage) throws(StoreError) -> SystemError? {
    if let place { return try printReleased(after: place, of: store) }
    var printed: Int?
    while remaining != 0 {
      let items = try store.waiting(in: range, lines: min(chunkLines, remaining ?? .max), bytes: chunkBytes)
      guard let first = items.first, let last = items.last else { break }
      // Positions increase from chunk to chunk. With a damaged index, the same items could be printed for ever.
      if let printed, first.position <= printed { throw .damaged("what was printed still waits") }
      printed = last.position
      try store.recordIntent(first.position...last.position)

      let (lines, ends) = text(of: items)
      let (accepted, error) = write(lines.span, ends)

      let count = ends.count { $0 <= accepted }
      let isTorn = count < items.count && accepted > (count == 0 ? 0 : ends[count - 1])
      try store.recordPrinted(
        count == 0 ? nil : first.position...items[count - 1].position, count: count,
        torn: isTorn ? items[count].position : nil)
      if let error { return error }
      remaining = remaining.map { max($0 - items[..<count].reduce(0) { $0 + $1.count }, 0) }
    }
    return nil
  }

  private mutating func printReleased(after place: Int, of store: any FeedStorage) throws(StoreError) -> SystemError? {
    var place = place
    while remaining != 0 {
      let items = try store.released(after: place, lines: min(chunkLines, remaining ?? .max), bytes: chunkBytes)
      guard let last = items.last else { break }
      let (lines, ends) = text(of: items)
      if let error = write(lines.span, ends).error { return error }
      place = last.position
      self.place = place
      remaining = remaining.map { $0 - items.count }
    }
    return nil
  }

  /// The lines, and the end of each.
  private func text(of items: [WaitingItem]) -> ([UInt8], [Int]) {
    var writer = ByteWriter()
    var ends: [Int] = []
    ends.reserveCapacity(items.count)
    for item in items {
      form.write(item, to: &writer)
      ends.append(writer.count)
    }
    return (writer.take(), ends)
  }
}

/// How an item is printed, from a page or from a store.
enum ItemForm: Equatable, Sendable {
  /// As received.
  case data
  /// As an event record `item`.
  case record(RecordStamp)

  private static let event = Array("item".utf8)

  /// Writes an item as a line.
  func write(_ item: WaitingItem, to output: inout ByteWriter) {
    guard case .record(let stamp) = self else {
      item.write(to: &output)
      return output.endLine()
    }
    // Its id alone does not tell which of its releases this is.
    let extra = item.isAgain ? Array(",\"seq\":\(item.position)".utf8) : []
    output.beginRecord(event: Self.event.span, id: item.id.span, extra: extra)
    // An item that is neither an object nor an array becomes a string that contains its text.
    let text = item.data
    if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") {
      output.append(text)
    } else {
      JSONString.write(text, to: &output)
    }
    output.endRecord(stamp)
  }
}
