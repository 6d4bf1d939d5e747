import FeedCore

/// Decodes a body in pieces: first the transfer codings (RFC 9112 §7), which we do not ask for, then the content codings
/// (RFC 9110 §8.4). The chunks have been taken apart before (ChunkedBody).
final class BodyDecoder {
  /// The codings that we ask for.
  static let accepted = Array("gzip, deflate".utf8)
  /// The most bytes that one `unpack` returns.
  static let pieceSize = 64 * 1024
  /// The most codings of a body. Each further coding can make the same bytes take a thousand times as long to unpack.
  private static let mostCodings = 2

  /// In decoding order.
  private let inflaters: [Inflater]

  /// - Parameter head: the head of a response with a body.
  /// - Returns: nil if the body needs no decoding.
  /// - Throws: for an unknown coding; asking again would not help.
  init?(_ head: HTTPHead) throws(HTTPError) {
    let codings = head.codings
    if codings.isEmpty { return nil }
    if codings.count > Self.mostCodings {
      throw HTTPError(.permanent, "expected \(Self.mostCodings) content codings at most, found \(codings.count)")
    }
    var inflaters: [Inflater] = []
    for name in codings.reversed() {
      switch name {
      case "gzip", "x-gzip": inflaters.append(Inflater(.gzip))
      case "deflate": inflaters.append(Inflater(.deflate))
      default:
        throw HTTPError(.permanent, "expected a response in gzip or deflate, found '\(quoted(name.utf8))'")
      }
    }
    self.inflaters = inflaters
  }

  /// Replaces `chunk` by the next bytes of the body.
  /// - Parameter refill: replaces its argument by the next bytes as received; false if there are none now.
  /// - Returns: false if more input is needed.
  /// - Throws: if the data is damaged or continues after its end, after returning everything before the error.
  func unpack(into chunk: inout [UInt8], refill: (inout [UInt8]) -> Bool) throws(HTTPError) -> Bool {
    try unpack(inflaters.count - 1, into: &chunk, refill)
  }

  /// Ends the body.
  /// - Throws: if its data is incomplete.
  func finish() throws(HTTPError) {
    for inflater in inflaters { try inflater.finish() }
  }

  /// Asks one inflater, which asks the one before it for input.
  private func unpack(
    _ index: Int, into chunk: inout [UInt8], _ refill: (inout [UInt8]) -> Bool
  ) throws(HTTPError) -> Bool {
    chunk.removeAll(keepingCapacity: true)
    try inflaters[index].unpack(to: &chunk, upTo: Self.pieceSize) { input throws(HTTPError) in
      index == 0 ? refill(&input) : try unpack(index - 1, into: &input, refill)
    }
    return !chunk.isEmpty
  }
}

extension HTTPHead {
  /// The codings of IANA's register, and other names of compression.
  private static let known: Set<String> = [
    "gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd", "dcb", "dcz", "exi", "pack200-gzip",
    "aes128gcm",
    "bzip2", "x-bzip2", "xz", "lzma", "lz4", "snappy",
  ]

  /// The codings of the body in the order in which they were applied, in lower case; without `chunked` and codings that
  /// change nothing.
  var codings: [String] {
    // Some servers send what is no content coding: `none`, a character set, `aws-chunked`. The body is what it is.
    // A transfer coding is how the body stands on the connection, so an unknown one is refused.
    names(in: "content-encoding").filter(Self.known.contains)
      + names(in: "transfer-encoding").filter { !["", "chunked", "identity"].contains($0) }
  }

  private func names(in field: String) -> [String] {
    fields.filter { $0.name == field }.flatMap { $0.value.split(separator: UInt8(ascii: ",")) }
      .map { String(decoding: $0.trimmed(), as: UTF8.self).lowercased() }
  }

  /// Whether a response with this head to a request has a body (RFC 9112 §6.3).
  package func hasBody(to request: HTTPRequest) -> Bool { request.method != "HEAD" && status != 204 && status != 304 }
}
