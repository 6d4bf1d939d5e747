// A body in chunks (RFC 9112 §7.1). libcurl finds its end too, but it passes over what is not data without a limit: a
// chunk extension without end would look like silence. So libcurl hands on the body as received, and this finds the data.

import FeedCore

/// Finds the data in a chunked body that comes in pieces.
struct ChunkedBody {
  /// The largest size line of a chunk with its extensions, in bytes. No known server sends more than a signature, and
  /// other clients have limits of 4 to 16 KiB.
  static let longestLine = 16 * 1024
  /// The largest trailer in bytes: what is the limit for a head.
  static let longestTrailer = 300 * 1024
  static let malformed = HTTPError(.transient, "malformed chunk in the response")

  private enum ChunkState {
    case size, extensions, data, dataEnd, trailer, end
  }

  private var state = ChunkState.size
  /// The bytes of this chunk that have not come, or the digits' value while they come.
  private var left = 0
  /// The bytes of the size line, or of the trailer.
  private var count = 0
  /// Whether the line of the trailer is empty.
  private var isBlank = true

  /// Reads up to the end of the next data. What comes after the body is not looked at.
  /// - Parameter index: advanced past the bytes that are used.
  /// - Returns: the place of the data; nil if there is none in the rest.
  mutating func next(_ bytes: borrowing Span<UInt8>, from index: inout Int) throws(HTTPError) -> Range<Int>? {
    while index < bytes.count, state != .end {
      if state == .data {
        let start = index
        index += min(left, bytes.count - index)
        left -= index - start
        if left == 0 { state = .dataEnd }
        return start..<index
      }
      let byte = bytes[index]
      index += 1
      try take(byte)
    }
    return nil
  }

  /// Takes a byte that is not data. A line feed alone ends a line, as in libcurl.
  private mutating func take(_ byte: UInt8) throws(HTTPError) {
    let isLineFeed = byte == UInt8(ascii: "\n")
    switch state {
    case .size, .extensions:
      count += 1
      if count > Self.longestLine { throw HTTPError(.permanent, "a chunk extension of the response is too long") }
      if state == .size, let digit = byte.hexValue {
        guard left <= (Int.max - 15) / 16 else { throw Self.malformed }
        left = left * 16 + Int(digit)
        return
      }
      if count == 1 { throw Self.malformed }
      state = .extensions
      if isLineFeed {
        state = left == 0 ? .trailer : .data
        count = 0
      }
    case .dataEnd:
      if isLineFeed { state = .size } else if byte != UInt8(ascii: "\r") { throw Self.malformed }
    case .trailer:
      count += 1
      if count > Self.longestTrailer { throw HTTPError(.permanent, "the trailers of the response are too large") }
      if isLineFeed {
        if isBlank { state = .end }
        isBlank = true
      } else if byte != UInt8(ascii: "\r") {
        isBlank = false
      }
    case .data, .end: break
    }
  }
}
