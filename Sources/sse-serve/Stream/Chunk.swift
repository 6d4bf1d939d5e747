/// A part of a body with its length before it (RFC 9112 §7.1), so that clients and proxies know that they have all of it.
struct Chunk {
  let bytes: [UInt8]
  /// Where the data is in `bytes`.
  let data: Range<Int>

  /// Ends the body.
  static let last = Array("0\r\n\r\n".utf8)

  /// - Parameter data: not empty, for an empty chunk ends the body.
  init(_ data: [UInt8]) {
    let head = Array((String(data.count, radix: 16) + "\r\n").utf8)
    bytes = head + data + [0x0D, 0x0A]
    self.data = head.count..<(bytes.count - 2)
  }

  /// Where the data of a chunk is.
  /// - Parameters:
  ///   - start: where the chunk begins.
  ///   - count: the number of its bytes, with the length and the line ends.
  static func data(_ start: Int, count: Int) -> Range<Int> {
    // The fewest digits that can tell the length of the rest.
    var digits = 1
    while (count - digits - 4) >> (4 * digits) > 0 { digits += 1 }
    return (start + digits + 2)..<(start + count - 2)
  }
}
