// Output: a buffer in front of a descriptor, or just the buffer.
//
// Appending never throws, so that writers of JSON and of event streams read as what they write. The first error
// is kept instead, as stdio does, and everything after it is dropped; `flush` throws it. A tool flushes before it
// waits and before it ends, and asks `check` where it could go on for long without either.

/// Collects bytes and writes them to a descriptor when 64 KiB are there or `flush` is called.
public struct ByteWriter {
  static let capacity = 64 * 1024
  /// From so many bytes on a piece goes out as it is.
  private static let largePiece = capacity / 4

  /// What has not been written yet; everything, when there is no descriptor.
  public private(set) var buffer: [UInt8] = []
  /// How many bytes the descriptor has accepted.
  public private(set) var accepted = 0
  private let descriptor: Descriptor?
  private var failure: SystemError?

  public init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
    buffer.reserveCapacity(Self.capacity + Self.largePiece)
  }

  /// A writer that only collects, for a part of an output or a test.
  public init() { descriptor = nil }

  /// How many bytes have been appended in all.
  public var count: Int { accepted + buffer.count }

  public mutating func append(_ byte: UInt8) {
    buffer.append(byte)
    if buffer.count >= Self.capacity { spill() }
  }

  public mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append(Span(_unsafeElements: $0)) }
  }

  public mutating func append(_ text: String) { append(Array(text.utf8)) }

  public mutating func append(_ bytes: [UInt8]) { append(bytes.span) }

  public mutating func append(_ bytes: [UInt8], _ range: Range<Int>) { append(bytes.span.extracting(range)) }

  public mutating func append(_ bytes: borrowing Span<UInt8>) {
    guard descriptor != nil, bytes.count >= Self.largePiece else {
      unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
      if buffer.count >= Self.capacity { spill() }
      return
    }
    // A large piece goes out as it is: copying it would cost more than the second system call.
    spill()
    write(bytes)
  }

  /// Writes what is buffered.
  /// - Throws: the first error of any write so far.
  public mutating func flush() throws(SystemError) {
    spill()
    try check()
  }

  /// - Throws: the first error of any write so far, without writing.
  public func check() throws(SystemError) {
    if let failure { throw failure }
  }

  /// Takes the collected bytes out, leaving none.
  public mutating func take() -> [UInt8] {
    defer { buffer = [] }
    return buffer
  }

  private mutating func spill() {
    guard descriptor != nil, !buffer.isEmpty else { return }
    // Never two owners, or emptying it would make a new one.
    var full: [UInt8] = []
    swap(&full, &buffer)
    write(full.span)
    full.removeAll(keepingCapacity: true)
    swap(&full, &buffer)
  }

  private mutating func write(_ bytes: borrowing Span<UInt8>) {
    guard let descriptor, failure == nil else { return }
    let (count, error) = descriptor.write(bytes)
    accepted += count
    failure = error
  }
}
