/// Reads a descriptor in pieces of up to 64 KiB, and tells beforehand whether a read would wait.
///
/// A filter's loop is: flush when there is nothing to read, read, work on `chunk`.
public struct ByteReader {
  /// One pipe's worth: what a single read can return from a full Linux pipe.
  public static let chunkSize = 64 * 1024

  public let descriptor: Descriptor
  /// The bytes of the last read.
  public private(set) var chunk: [UInt8] = []

  public init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
    chunk.reserveCapacity(Self.chunkSize)
  }

  /// Whether `next` would return at once.
  public var isReady: Bool { get throws(SystemError) { try descriptor.hasInput } }

  /// Replaces `chunk` by the next bytes.
  /// - Returns: false at the end of the input.
  public mutating func next() throws(SystemError) -> Bool {
    chunk.removeAll(keepingCapacity: true)
    return try descriptor.read(upTo: Self.chunkSize, into: &chunk) > 0
  }

  /// Everything up to the end of the input.
  /// - Parameter limit: throws `EFBIG` when more than so many bytes come.
  public static func readAll(_ descriptor: Descriptor, limit: Int) throws(SystemError) -> [UInt8] {
    let size = descriptor.fileSize
    if let size, size > limit { throw SystemError.tooLarge }
    var bytes: [UInt8] = []
    // One byte more than the size, so that the read that finds the end needs no new room.
    bytes.reserveCapacity((size ?? chunkSize - 1) + 1)
    while true {
      // Asking for more than the room that is there would move everything, just to find the end.
      let free = bytes.capacity - bytes.count
      if try descriptor.read(upTo: free > 0 ? free : chunkSize, into: &bytes) == 0 { return bytes }
      if bytes.count > limit { throw SystemError.tooLarge }
    }
  }
}
