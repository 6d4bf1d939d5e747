import FeedCore
import FeedHTTP

/// The server's response to the opening: a head that is read exactly up to its end, because frames follow it, and checked
/// by RFC 6455 §4.1. An invalid response is refused as soon as possible.
struct OpeningResponse {
  /// The largest head; servers accept 8 to 64 KiB.
  static let longestHead = 64 * 1024

  /// The result of the head.
  enum HeadResult: Equatable {
    /// Frames follow, as the server has chosen.
    case open(ChosenOffers)
    /// The server does not switch protocols: the body may say why.
    case refused
  }

  /// What the server has chosen of our offers; nil for nothing.
  struct ChosenOffers: Equatable {
    var subprotocol: [UInt8]?
    var compression: PerMessageDeflate?
  }

  private(set) var head = HTTPHead()
  /// The minor version of HTTP/1, as a digit.
  private var version = UInt8(ascii: "1")
  private var line: [UInt8] = []
  private var count = 0

  /// Continues with a chunk.
  /// - Parameter index: advanced past the used bytes.
  /// - Returns: whether the head is complete.
  mutating func take(_ chunk: borrowing Span<UInt8>, from index: inout Int) throws(HTTPError) -> Bool {
    while index < chunk.count {
      let byte = chunk[index]
      index += 1
      count += 1
      if count > Self.longestHead { throw HTTPError(.permanent, "the headers of the response are too large") }
      line.append(byte)
      let isFirst = head.status == 0
      if isFirst, !isStatusLine { throw HTTPError(.permanent, "the response is not HTTP") }
      guard byte == UInt8(ascii: "\n") else { continue }
      // No field name begins like this.
      if !isFirst, line.starts(with: "HTTP/".utf8) { throw HTTPError(.permanent, "the response is not HTTP") }
      if isFirst, line.count > 7 { version = line[7] }
      defer { line.removeAll(keepingCapacity: true) }
      // A final head ends here, and with it HTTP; after a 100 or 103 another head follows.
      let isEmpty = line.allSatisfy(\.isLineEnd)
      if isEmpty, head.status == 101 { return true }
      if head.take(line) { return true }
      if isEmpty { head = HTTPHead() }
    }
    return false
  }

  /// Whether the line can be a status line (RFC 9112 §4).
  private var isStatusLine: Bool {
    let pattern = Array("HTTP/1.x 999".utf8)
    return zip(line, pattern).enumerated().allSatisfy { place, pair in
      switch place {
      case 7, 9...11: pair.0.isDigit
      default: pair.0 == pair.1
      }
    }
  }

  /// Checks a complete head.
  /// - Throws: if the server claims to switch protocols, but does it wrongly.
  func verdict(_ opening: OpeningRequest) throws(HTTPError) -> HeadResult {
    guard head.status == 101 else { return .refused }
    func bad(_ message: String) -> HTTPError { HTTPError(.permanent, "the handshake is malformed: " + message) }
    guard version > UInt8(ascii: "0") else { throw bad("HTTP/1.0") }
    guard tokens("upgrade").contains("websocket") else { throw bad("no 'Upgrade: websocket'") }
    guard tokens("connection").contains("upgrade") else { throw bad("no 'Connection: Upgrade'") }
    guard values("sec-websocket-accept") == [OpeningRequest.accept(for: opening.key)] else {
      throw bad("missing or wrong Sec-WebSocket-Accept")
    }
    var choice = ChosenOffers()
    do throws(PerMessageDeflate.WrongOffer) {
      choice.compression = try .choice(values("sec-websocket-extensions"), offer: opening.compression)
    } catch {
      throw bad(error.message)
    }
    let chosen = values("sec-websocket-protocol")
    guard chosen.count <= 1, chosen.allSatisfy(opening.subprotocols.contains) else {
      throw bad("the server chose a subprotocol that was not offered (--subprotocol)")
    }
    choice.subprotocol = chosen.first
    return .open(choice)
  }

  private func values(_ name: String) -> [[UInt8]] { head.fields.filter { $0.name == name }.map(\.value) }

  /// The words of a list, in lower case.
  private func tokens(_ name: String) -> [String] {
    values(name).flatMap { $0.split(separator: UInt8(ascii: ",")) }.map { word in
      String(decoding: word.trimmed(), as: UTF8.self).lowercased()
    }
  }

  // MARK: Refusals

  /// Whether `body` already has what a message needs.
  func isEnough(_ body: [UInt8]) -> Bool {
    if let length = head.value(of: "content-length").flatMap({ Int(decimal: $0) }), body.count >= length { return true }
    return Refusal.isEnough(text(body))
  }

  /// A body without the size of its first chunk.
  func text(_ body: [UInt8]) -> [UInt8] {
    guard head.value(of: "transfer-encoding") != nil else { return body }
    return Array(body.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
  }

  /// The meaning of the status.
  /// - Parameter url: the requested URL, to resolve a redirect for the message. Redirects are not followed by default,
  ///   as in browsers, because nobody asked for their target.
  func problem(_ url: HTTPURL) -> String {
    let text = "HTTP \(head.status)"
    guard (300..<400).contains(head.status), let location = head.location,
      let target = try? WebSocketURL.display(of: location, from: url)
    else { return text }
    // When redirects are followed, only those arrive here that cannot be.
    return text + ", to \(quoted(target.utf8))" + (Redirects.canFollow(head) ? " (--follow-redirects)" : "")
  }
}
