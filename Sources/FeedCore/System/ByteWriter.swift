// Output: a buffer with a descriptor, or just the buffer.
//
// Appending never throws, so code that writes JSON or event streams stays readable. As in stdio, the first error is
// kept and everything after it is dropped; `flush` throws it. A tool flushes before it waits and before it ends. In
// long work without either it calls `check`.
//
// Standard output may have other writers (`tool >>file & tool >>file`), so its data is cut only between records:
// `RecordWrites` has the rule. Code that writes records marks their ends by `markRecord`.

/// Collects bytes, and writes them to a descriptor at 64 KiB or when `flush` is called.
package struct ByteWriter {
  static let capacity = 64 * 1024
  private static let largePiece = capacity / 4

  /// The bytes not written yet; all bytes if there is no descriptor.
  package private(set) var buffer: [UInt8] = []
  /// How many bytes the descriptor has accepted.
  package private(set) var accepted = 0
  private let descriptor: Descriptor?
  /// How records are written; nil if the file has no other writer.
  private let records: RecordWrites?
  /// Pieces of at least this size are written directly, unless that would cut a record that could be whole.
  private let pieceLimit: Int
  /// The end in the buffer of each complete record.
  private var ends: [Int] = []
  private var failure: SystemError?

  /// A writer of a file that has no other writer.
  package init(_ descriptor: Descriptor) { self.init(descriptor, nil) }

  /// A writer of records on standard output. A terminal or a device needs no protection against other writers.
  package init(_ descriptor: Descriptor, records: RecordWrites.Maker) {
    self.init(descriptor, descriptor.isShared ? RecordWrites(to: descriptor, of: records) : nil)
  }

  init(_ descriptor: Descriptor, _ records: RecordWrites?) {
    self.descriptor = descriptor
    self.records = records
    pieceLimit = records?.largePiece ?? Self.largePiece
    buffer.reserveCapacity(Self.capacity + Self.largePiece)
  }

  /// A writer that only collects, for a part of an output or for a test.
  /// - Parameter expected: how many bytes are expected, if that is known.
  package init(expecting expected: Int = 0) {
    descriptor = nil
    records = nil
    pieceLimit = .max
    if expected > 0 { buffer.reserveCapacity(expected) }
  }

  /// How many bytes have been appended in total.
  package var count: Int { accepted + buffer.count }

  package mutating func append(_ byte: UInt8) {
    buffer.append(byte)
    if buffer.count >= Self.capacity { spill() }
  }

  package mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append(Span(_unsafeElements: $0)) }
  }

  /// Not for literals, which would make a `String` first.
  @_disfavoredOverload
  package mutating func append(_ text: String) { append(Array(text.utf8)) }

  package mutating func append(_ bytes: [UInt8]) { append(bytes.span) }

  package mutating func append(_ bytes: [UInt8], _ range: Range<Int>) { append(bytes.span.extracting(range)) }

  package mutating func append(_ bytes: borrowing Span<UInt8>) {
    guard bytes.count >= pieceLimit else {
      buffer.append(span: bytes)
      if buffer.count >= Self.capacity { spill() }
      return
    }
    // A large piece is written directly: copying it would cost more than the second system call.
    writeAll()
    write(bytes, [])
  }

  /// Appends a prefix and bytes in quotes, with a byte before the first quote and after the last one.
  package mutating func append(
    quoted bytes: borrowing Span<UInt8>, prefix: [UInt8] = [], after first: UInt8? = nil, before last: UInt8? = nil
  ) {
    guard bytes.count < Self.largePiece else {
      if let first { append(first) }
      append(UInt8(ascii: "\""))
      append(prefix)
      append(bytes)
      append(UInt8(ascii: "\""))
      if let last { append(last) }
      return
    }
    buffer.append(quoted: bytes, prefix: prefix.span, after: first, before: last)
    if buffer.count >= Self.capacity { spill() }
  }

  /// Appends what `body` writes into free space.
  /// - Parameter room: how many bytes of it there are.
  package mutating func append(upTo room: Int, _ body: (inout OutputSpan<UInt8>) -> Void) {
    buffer.append(addingCapacity: room, initializingWith: body)
    if buffer.count >= Self.capacity { spill() }
  }

  /// Says that the bytes so far are complete records.
  package mutating func markRecord() {
    guard records != nil else { return }
    if buffer.count > ends.last ?? 0 { ends.append(buffer.count) }
    if buffer.count >= Self.capacity { spill() }
  }

  /// Ends a record that is a line, or that ends with another terminator.
  package mutating func endLine(_ terminator: UInt8 = UInt8(ascii: "\n")) {
    buffer.append(terminator)
    markRecord()
    if buffer.count >= Self.capacity { spill() }
  }

  /// Writes what is buffered.
  /// - Throws: the first error of any write so far.
  package mutating func flush() throws(SystemError) {
    writeAll()
    try check()
  }

  /// - Throws: the first error of any write so far, without writing.
  package func check() throws(SystemError) {
    if let failure { throw failure }
  }

  /// Returns the collected bytes and empties the buffer.
  package mutating func take() -> [UInt8] {
    defer { buffer = [] }
    return buffer
  }

  /// Frees buffer space: writes everything that need not wait for the rest of its record.
  private mutating func spill() {
    guard descriptor != nil else { return }
    guard let records else { return writeAll() }
    let count = records.writable(of: buffer.count, ends)
    if count > 0 { write(upTo: count) }
  }

  private mutating func writeAll() {
    if descriptor != nil, !buffer.isEmpty { write(upTo: buffer.count) }
  }

  /// Writes the first `count` bytes of the buffer, which keeps its memory.
  private mutating func write(upTo count: Int) {
    var full: [UInt8] = []
    swap(&full, &buffer)
    write(full.span.extracting(0..<count), ends)
    if count == full.count { full.removeAll(keepingCapacity: true) } else { full.removeFirst(count) }
    ends.removeAll { $0 <= count }
    for index in ends.indices { ends[index] -= count }
    swap(&full, &buffer)
  }

  private mutating func write(_ bytes: borrowing Span<UInt8>, _ ends: [Int]) {
    guard let descriptor, failure == nil else { return }
    let (count, error) = records?.write(bytes, ends, to: descriptor) ?? descriptor.write(bytes)
    accepted += count
    failure = error
  }
}

/// Bytes that are collected until they are complete: in memory while they are few, then in a file without a name, which
/// disappears however the process ends.
package struct Spool {
  /// From this many bytes on, they are kept in a file.
  static let threshold = 1 << 20

  private let path: [UInt8]
  private var writer = ByteWriter()
  private var file: Descriptor?

  /// - Parameter path: the file that the bytes are for. The spool file is made in the same folder, so that both use the
  ///   same disk.
  package init(beside path: [UInt8]) { self.path = path }

  package mutating func append(_ bytes: [UInt8]) throws(SystemError) {
    writer.append(bytes)
    if file == nil, writer.count >= Self.threshold {
      let opened = try Descriptor.createNameless(beside: path)
      let memory = writer.take()
      file = opened
      writer = ByteWriter(opened)
      writer.append(memory)
    }
    try writer.check()
  }

  /// Writes all collected bytes.
  package mutating func copy(to output: inout ByteWriter) throws(SystemError) {
    guard let file else { return output.append(writer.buffer) }
    try writer.flush()
    try file.rewind()
    var chunk: [UInt8] = []
    while try file.read(upTo: ByteReader.chunkSize, into: &chunk) > 0 {
      output.append(chunk)
      try output.check()
      chunk.removeAll(keepingCapacity: true)
    }
  }

  /// Frees the memory and the file.
  package mutating func close() {
    file?.closeQuietly()
    file = nil
    writer = ByteWriter()
  }
}

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
      switch (output.fileType, source) {
      case (S_IFREG, _): .max
      case (S_IFIFO, .network): Int(PIPE_BUF)
      default: ByteWriter.capacity
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
    while case let end = groupEnd(from: start, ends, last), end < last { start = end }
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
