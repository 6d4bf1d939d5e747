// Output: a buffer with a descriptor, or just the buffer.
//
// Appending never throws, so code that writes JSON or event streams stays readable. As in stdio, the first error is
// kept and everything after it is dropped; `flush` throws it. A tool flushes before it waits and before it ends. In
// long work without either it calls `check`.
//
// Standard output may have other writers (`tool >>file & tool >>file`), so its data is cut only between records:
// RecordWrites.swift has the rule. Code that writes records marks their ends by `markRecord`.

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
    self.init(descriptor, descriptor.kind == .other ? nil : RecordWrites(to: descriptor, of: records))
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
