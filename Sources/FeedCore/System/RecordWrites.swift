// How records are written to an output that may have other writers (feedutils(7), "Fan-in").
//
// A regular file: a record is always written by one write(2), whatever its length. The kernel does one write to a file
// at a time, so with `tool >>file & tool >>file` no record is torn.
//
// A pipe: only writes of at most PIPE_BUF bytes are never mixed with others (POSIX, write). The tools that read a
// network keep to that, because feeds are merged by running several of them into one pipe. Longer records are written
// alone, and may be torn. The other tools write up to 64 KiB at a time, also cut between records.

/// How much is written by one call.
package struct RecordWrites: Sendable {
  /// What makes the records.
  package enum Maker: Sendable {
    /// A tool that processes its input.
    case filter
    /// A tool that reads a network. It may be one of several that write to one pipe.
    case network
  }

  /// The limit in bytes for several records in one write; `Int.max` for none.
  let limit: Int

  /// A piece of a record of at least this size is written before the rest of the record comes.
  var largePiece: Int { limit == .max ? .max : ByteWriter.capacity }

  init(limit: Int) { self.limit = limit }

  package init(to output: Descriptor, of source: Maker) {
    limit =
      switch (output.kind, source) {
      case (.file, _): .max
      case (.pipe, .network): Int(PIPE_BUF)
      case (.pipe, .filter), (.other, _): ByteWriter.capacity
      }
  }

  /// How many bytes of a full buffer to write now without cutting a record that could be whole.
  /// - Parameter ends: the end in the buffer of each complete record, in order.
  func writable(of count: Int, _ ends: [Int]) -> Int {
    if limit == .max { return ends.last ?? 0 }
    // A record larger than the buffer is cut in any case.
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

  /// Writes whole records, as many at a time as the limit allows; a longer one is written alone.
  /// - Parameter ends: the end in `bytes` of each record, in order. Bytes after the last end are written too.
  /// - Returns: how many bytes were accepted, and the error that stopped it, if any.
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

  /// The end of the group of records that are written together with the one at `start`.
  private func groupEnd(from start: Int, _ ends: [Int], _ count: Int) -> Int {
    // Find the first record that ends past the limit, by bisection.
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] - start > limit { high = middle } else { low = middle + 1 }
    }
    if low > 0, ends[low - 1] > start { return min(ends[low - 1], count) }
    // A record longer than the limit, or one that is incomplete.
    return low < ends.count ? min(ends[low], count) : count
  }
}
