import FeedCore

/// Divides input that comes in pieces into lines. Each byte is examined once, and copied once into its line.
struct LineReader {
  private var buffer: [UInt8] = []
  /// The start of the next line in the buffer, and how far the search for its end got.
  private var start = 0
  private var searched = 0
  /// The number of the line, from 1.
  private(set) var number = 1

  /// Reads more bytes.
  /// - Returns: false at the end of the input.
  mutating func read(from descriptor: Descriptor) throws(SystemError) -> Bool {
    if start > 0, start >= buffer.count / 2 {
      buffer.removeFirst(start)
      searched -= start
      start = 0
    }
    return try descriptor.read(upTo: ByteReader.chunkSize, into: &buffer) > 0
  }

  /// The number of bytes of an unfinished line.
  var pendingCount: Int { buffer.count - start }

  /// The next line without its end, LF; nil if no line is complete.
  mutating func next() -> [UInt8]? {
    guard let end = firstIndex(of: UInt8(ascii: "\n"), in: buffer.span, searched..<buffer.count) else {
      searched = buffer.count
      return nil
    }
    defer {
      start = end + 1
      searched = start
      number += 1
    }
    return Array(buffer[start..<end])
  }

  /// The bytes after the last line end.
  mutating func rest() -> [UInt8] {
    defer {
      start = buffer.count
      searched = start
    }
    return Array(buffer[start...])
  }
}
