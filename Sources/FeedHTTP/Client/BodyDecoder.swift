// Takes all codings off a body, by pieces: those of the content (RFC 9110 §8.4), and those of the transfer (RFC 9112 §7),
// which we do not ask for. libcurl does the chunks alone.

import FeedCore

final class BodyDecoder {
  /// What we ask for.
  static let accepted = Array("gzip, deflate".utf8)
  /// The most bytes that one `unpack` brings.
  static let pieceSize = 64 * 1024
  /// The most codings of a body. With each one more, the same bytes can take a thousand times as long to unpack.
  private static let mostCodings = 2

  /// In the order in which they are taken off.
  private let inflaters: [Inflater]

  /// - Parameter head: of an answer that has a body.
  /// - Returns: nil when the body is what it is.
  /// - Throws: for a coding that is not known. That it was applied will not change by asking again.
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
        throw HTTPError(.permanent, "expected an answer in gzip or deflate, found '\(quoted(name.utf8))'")
      }
    }
    self.inflaters = inflaters
  }

  /// Replaces `chunk` by the next bytes of the body.
  /// - Parameter refill: replaces its argument by the next bytes as they came; false when there are none now.
  /// - Returns: false when there is nothing before more has come.
  /// - Throws: when the data is damaged, or goes on after its end, after all that came before has been given out.
  func unpack(into chunk: inout [UInt8], refill: (inout [UInt8]) -> Bool) throws(HTTPError) -> Bool {
    try unpack(inflaters.count - 1, into: &chunk, refill)
  }

  /// The body has come to its end.
  /// - Throws: when its data has not.
  func finish() throws(HTTPError) {
    for inflater in inflaters { try inflater.finish() }
  }

  /// Asks one inflater, which asks the one before it when it needs more.
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
  /// The codings of the body in the order in which they were applied, in lower case; without chunks, and without those
  /// that do nothing.
  var codings: [String] {
    let values = ["content-encoding", "transfer-encoding"].flatMap { name in fields.filter { $0.name == name } }
    let names = values.flatMap { $0.value.split(separator: UInt8(ascii: ",")) }
      .map { String(decoding: $0.trimmed(), as: UTF8.self).lowercased() }
    // `none` is no coding, but said by servers that mean `identity`.
    return names.filter { !["", "chunked", "identity", "none"].contains($0) }
  }

  /// Whether an answer with this head to a request has a body (RFC 9112 §6.3).
  func hasBody(to request: HTTPRequest) -> Bool { request.method != "HEAD" && status != 204 && status != 304 }
}
