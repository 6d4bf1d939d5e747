// Prints what waits, so that nothing is printed twice and nothing is forgotten whenever the process ends.
//
// What is about to be written is noted, written, and noted as done; each note is on disk before the next step. A process
// that is killed in between leaves the note of one chunk behind, and whether that was written nobody can know: the next
// run calls it uncertain and leaves it alone. A write that fails is another matter: the system says how many bytes it
// took, so whole lines among them are done, the line that was cut is uncertain, and the rest waits for the next run.
//
// A reader that keeps its own place, in a checkpoint, gets all that was released after that; nothing of it is noted.

import FeedCore

struct FeedPrinter {
  enum End: Equatable {
    /// Nothing waits any more.
    case all
    /// As many items as were wanted have been printed.
    case enough
    case failed(SystemError)
  }

  var form = ItemForm.data
  /// How large a chunk is: what a kill can leave uncertain, and what two transactions are paid for.
  var chunkLines = 1000
  var chunkBytes = 64 * 1024
  /// How many items may still be printed; nil for any number.
  var remaining: Int?
  /// The number of the release up to which a reader has everything; nil where the store keeps the account.
  var place: Int?
  /// Takes lines, of which it is told where each ends; says how many bytes, and why not all (`RecordWrites.write`).
  var write: Write

  typealias Write = (borrowing Span<UInt8>, _ ends: [Int]) -> (accepted: Int, error: SystemError?)

  init(write: @escaping Write) { self.write = write }

  /// Prints what waits in a range of positions; or what a reader does not have yet.
  mutating func print(_ range: ClosedRange<Int>, of store: some FeedStorage) throws(StoreError) -> End {
    if let place { return try printReleased(after: place, of: store) }
    var printed: Int?
    while true {
      if remaining == 0 { return .enough }
      let items = try store.waiting(in: range, lines: min(chunkLines, remaining ?? .max), bytes: chunkBytes)
      guard let first = items.first, let last = items.last else { return .all }
      // Positions go up from chunk to chunk; a damaged index would have the same printed for ever.
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
      if let error { return .failed(error) }
      remaining = remaining.map { $0 - count }
    }
  }

  private mutating func printReleased(after place: Int, of store: some FeedStorage) throws(StoreError) -> End {
    var place = place
    while true {
      if remaining == 0 { return .enough }
      let items = try store.released(after: place, lines: min(chunkLines, remaining ?? .max), bytes: chunkBytes)
      guard let last = items.last else { return .all }
      let (lines, ends) = text(of: items)
      if let error = write(lines.span, ends).error { return .failed(error) }
      place = last.position
      self.place = place
      remaining = remaining.map { $0 - items.count }
    }
  }

  /// The lines, and where each ends.
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
