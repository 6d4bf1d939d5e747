/// Reads a descriptor in pieces of up to 64 KiB, and knows beforehand whether a read would wait.
///
/// The loop of a filter is: flush if there is nothing to read, read, work on `chunk`.
package struct ByteReader {
  /// The size of a full Linux pipe, which a single read can return.
  package static let chunkSize = 64 * 1024

  /// What `readAll` asks for at once: little enough for somebody who watches.
  private static let stepSize = 16 << 20

  /// What is read; its owner closes it.
  package let descriptor: Descriptor
  /// The bytes of the last read.
  package private(set) var chunk: [UInt8] = []

  package init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
    chunk.reserveCapacity(Self.chunkSize)
  }

  /// Whether `next` would return at once.
  package var isReady: Bool { get throws(SystemError) { try descriptor.hasInput } }

  /// Replaces `chunk` by the next bytes.
  /// - Returns: false at the end of the input.
  package mutating func next() throws(SystemError) -> Bool {
    chunk.removeAll(keepingCapacity: true)
    return try descriptor.read(upTo: Self.chunkSize, into: &chunk) > 0
  }

  /// Everything up to the end of the input.
  /// - Parameters:
  ///   - limit: throws `EFBIG` when more bytes than this come.
  ///   - old: bytes that may come again. If exactly these come, they are returned, and nothing is kept twice.
  ///   - isWorthReading: whether to go on, asked with what has come so far, the first time with a little; if not, that is
  ///     all there is. What comes again is not asked about.
  package static func readAll(
    _ descriptor: Descriptor, limit: Int, like old: [UInt8] = [], isWorthReading: ([UInt8]) -> Bool = { _ in true }
  ) throws(SystemError) -> [UInt8] {
    let size = descriptor.fileSize
    if let size, size > limit { throw SystemError.tooLarge }
    // One byte more than the size, so that the read that finds the end needs no more memory.
    let expected = (size ?? 0) + 1
    var bytes: [UInt8] = []
    // A file may report a larger size than it has, or than fits in memory; so read the first bytes before reserving.
    var count = try descriptor.read(upTo: chunkSize, into: &bytes)
    let most = min(old.count, limit)
    var same = 0
    while count > 0, same + count <= most, sameBytes(old.span.extracting(same..<(same + count)), bytes.span) {
      same += count
      bytes.removeAll(keepingCapacity: true)
      count = try descriptor.read(upTo: chunkSize, into: &bytes)
    }
    if same > 0 {
      if count == 0, same == old.count { return old }
      try reserve(max(expected, same + count), in: &bytes)
      bytes.insert(contentsOf: old[..<same], at: 0)
    }
    while true {
      if bytes.count > limit { throw SystemError.tooLarge }
      if count == 0 || !isWorthReading(bytes) { return bytes }
      if bytes.capacity < expected {
        try reserve(expected, in: &bytes)
      } else if bytes.count == bytes.capacity {
        try reserve(2 * bytes.count, in: &bytes)
      }
      // Asking for more than the free capacity would move everything, only to find the end.
      let free = min(bytes.capacity - bytes.count, stepSize)
      count = try descriptor.read(upTo: free > 0 ? free : chunkSize, into: &bytes)
    }
  }

  /// Smaller requests are not checked: if they failed, the process could not even report it.
  private static let smallRequest = 1 << 20

  /// Reserves capacity for `count` bytes in total, by a call that can fail. So a document that does not fit is an error
  /// with a name, not the end of the process. (If Swift's own requests fail, the tool ends with a message:
  /// CStart/memory.c.)
  /// - Throws: `ENOMEM` if there is not enough memory.
  private static func reserve(_ count: Int, in bytes: inout [UInt8]) throws(SystemError) {
    if count > smallRequest {
      // Untouched pages cost nothing. (The compiler may remove malloc with free, and a failing malloc ends the tool.)
      let room = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
      guard unsafe room != MAP_FAILED else { throw SystemError(code: ENOMEM) }
      unsafe munmap(room, count)
    }
    bytes.reserveCapacity(count)
  }
}
