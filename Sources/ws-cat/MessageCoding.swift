import FeedCore
import FeedHTTP

/// Compressed data in binary messages, as some exchanges send it, and its option, `--inflate`. This is not the
/// compression of the protocol (RFC 7692): the server just sends what gzip(1) or zlib wrote.
///
/// With `auto`, the data must show that it is compressed. The three first bytes of gzip are no accident, and zlib's
/// format has a checksum. Plain deflate has neither, and a few random bytes may be valid: so its text must look like JSON.
enum MessageCoding: String, CaseIterable, Sendable {
  /// Gzip or deflate, or not compressed.
  case auto
  /// One or more members of gzip (RFC 1952).
  case gzip
  /// Deflate in zlib's format (RFC 1950) or without it (RFC 1951).
  case deflate
}

/// What a binary message becomes whose bytes are UTF-8, and its option, `--binary-as`.
enum BinaryForm: String, CaseIterable, Sendable {
  /// A `binary` event, like every other binary message.
  case base64
  /// The same as a text message.
  case text
}

extension MessageCoding {
  /// The first bytes of gzip: its two magic bytes, and the only method that exists.
  private static let gzipStart: [UInt8] = [0x1F, 0x8B, 8]
  /// Room for the result at first; after that, as much again each time.
  private static let leastRoom = 1024

  /// Unpacks a binary message.
  /// - Parameter limit: the most bytes of the result. At most one more is unpacked.
  /// - Returns: nil if the message is not compressed, which is possible only with `auto`.
  func unpacked(_ message: [UInt8], limit: Int) throws(HTTPError) -> [UInt8]? {
    let text: [UInt8]?
    switch self {
    case .gzip: text = try Self.unpacked(message, .gzip, limit)
    case .deflate: text = try Self.unpacked(message, .deflate, limit)
    case .auto where message.starts(with: Self.gzipStart): text = try Self.unpacked(message, .gzip, limit)
    case .auto: text = try Self.guessed(message, limit)
    }
    if let text, text.count > limit {
      throw HTTPError(.permanent, ProtocolError.tooLarge(limit).message)
    }
    return text
  }

  /// - Returns: nil if the message is not deflate.
  private static func guessed(_ message: [UInt8], _ limit: Int) throws(HTTPError) -> [UInt8]? {
    guard let first = message.first else { return nil }
    let text: [UInt8]
    do { text = try unpacked(message, .deflate, limit) } catch {
      if error.kind == .local { throw error }
      return nil
    }
    return Inflater.hasChecksum(deflate: first) || looksLikeJSON(text) ? text : nil
  }

  private static func looksLikeJSON(_ text: [UInt8]) -> Bool {
    guard let first = text.first(where: { !$0.isWhiteSpace }) else { return false }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// - Returns: if there is more than `limit`, one byte more than that.
  private static func unpacked(
    _ message: [UInt8], _ coding: Inflater.Coding, _ limit: Int
  ) throws(HTTPError) -> [UInt8] {
    // The inflater would take it for the packed form of nothing, as it may be in a body.
    if message.isEmpty { throw HTTPError(.transient, "the message ends before the end of its compressed data") }
    let inflater = Inflater(coding, of: "message")
    var isGiven = false
    var text: [UInt8] = []
    var size = max(leastRoom, 4 * message.count)
    while true {
      size = min(size, limit < .max ? limit + 1 : limit)
      try inflater.unpack(to: &text, upTo: size) { input throws(HTTPError) in
        if isGiven { return false }
        isGiven = true
        input = message
        return true
      }
      if text.count > limit { return text }
      guard text.count == size else { break }
      size *= 2
    }
    try inflater.finish()
    return text
  }
}
