// How records reach an output that other processes may be writing to as well (feedutils(7), "Fan-in").
//
// A regular file: a record is always within one write(2), however long. The kernel lets one write into a file at a time,
// so `tool >>file & tool >>file` tears nothing.
//
// A pipe: only a write of at most PIPE_BUF bytes is never mixed with others (POSIX, write). The tools that read a network
// keep to it, since several of them into one pipe are the way to merge feeds; records that are longer go alone, and may
// be torn. The plain filters write up to 64 KiB at a time, which also end at a record.

/// How much is written at a time.
package struct RecordWrites: Sendable {
  /// What makes the records.
  package enum Source: Sendable {
    /// A tool that works on its input.
    case filter
    /// A tool that reads a network, and may be one of several whose records go into one pipe.
    case network
  }

  /// The most bytes that several records may take in one write; `Int.max` where there is no bound.
  let limit: Int

  /// From this size on a piece of a record is written without waiting for the rest of the record.
  var largePiece: Int { limit == .max ? .max : ByteWriter.capacity }

  init(limit: Int) { self.limit = limit }

  package init(to output: Descriptor, of source: Source) {
    limit =
      switch (output.kind, source) {
      case (.file, _): .max
      case (.pipe, .network): Int(PIPE_BUF)
      case (.pipe, .filter), (.other, _): ByteWriter.capacity
      }
  }

  /// How many bytes of a full buffer to write now, so that no record is cut that could be whole.
  /// - Parameter ends: where in the buffer each complete record ends, in order.
  func writable(of count: Int, _ ends: [Int]) -> Int {
    if limit == .max { return ends.last ?? 0 }
    // A record that alone is more than the buffer is cut anyway.
    guard let last = ends.last else { return count }
    // The last group of records may still grow.
    var start = 0
    var previous = 0
    for end in ends {
      if end - start > limit, previous > start { start = previous }
      previous = end
    }
    return start > 0 ? start : last
  }

  /// Writes whole records, as many at a time as the limit allows; a longer one goes alone.
  /// - Parameter ends: where in `bytes` each record ends, in order. What follows the last is written too.
  /// - Returns: how many bytes were accepted, with the error that stopped it, if any.
  package func write(
    _ bytes: borrowing Span<UInt8>, _ ends: [Int], to output: Descriptor
  ) -> (accepted: Int, error: SystemError?) {
    var start = 0
    while start < bytes.count {
      let end = limit == .max ? bytes.count : groupEnd(from: start, ends, bytes.count)
      let (accepted, error) = output.write(bytes.extracting(start..<end))
      if let error { return (start + accepted, error) }
      start = end
    }
    return (start, nil)
  }

  /// Where the records end that go out together with the one at `start`.
  private func groupEnd(from start: Int, _ ends: [Int], _ count: Int) -> Int {
    // The first record that ends past the limit, by bisection.
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] - start > limit { high = middle } else { low = middle + 1 }
    }
    if low > 0, ends[low - 1] > start { return min(ends[low - 1], count) }
    // One that is longer than the limit, or what has no end yet.
    return low < ends.count ? min(ends[low], count) : count
  }
}
