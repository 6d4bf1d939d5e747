// Lines out of an input that comes in pieces. A byte is looked at once, and copied once, into its line.

import FeedCore

struct LineReader {
  private var buffer: [UInt8] = []
  /// Where in the buffer the next line begins, and up to where it has no end.
  private var start = 0
  private var searched = 0
  /// Which line it is, from 1.
  private(set) var number = 1

  /// Takes more bytes in.
  /// - Returns: false at the end of the input.
  mutating func read(from descriptor: Descriptor) throws(SystemError) -> Bool {
    if start > 0, start >= buffer.count / 2 {
      buffer.removeFirst(start)
      searched -= start
      start = 0
    }
    return try descriptor.read(upTo: ByteReader.chunkSize, into: &buffer) > 0
  }

  /// How many bytes there are of a line that has not ended.
  var pendingCount: Int { buffer.count - start }

  /// The next line without its end, LF; nil where none has come as a whole.
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

  /// What follows the last line end.
  mutating func rest() -> [UInt8] {
    defer {
      start = buffer.count
      searched = start
    }
    return Array(buffer[start...])
  }
}
