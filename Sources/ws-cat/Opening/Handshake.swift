import FeedCore
import FeedHTTP

/// The request that opens a WebSocket (RFC 6455 §4.1): a GET that asks to switch protocols.
struct OpeningRequest {
  /// Headers that belong to the handshake. Options set the other headers; these would break it.
  static let reserved = ["connection", "upgrade"]
  static let reservedPrefix = "sec-websocket-"

  let key: [UInt8]
  let subprotocols: [[UInt8]]
  /// The offer of compression; nil for none.
  let compression: PerMessageDeflate?
  let request: HTTPRequest

  /// - Parameters:
  ///   - compression: the offer; nil for none.
  ///   - nonce: 16 random bytes; a test passes its own.
  init(
    _ request: HTTPRequest, subprotocols: [[UInt8]], compression: PerMessageDeflate? = nil,
    nonce: [UInt8] = Self.nonce()
  ) {
    key = Base64.encoded(nonce)
    self.subprotocols = subprotocols
    self.compression = compression
    var request = request
    request.takeNetrc()
    request.set("Upgrade", Array("websocket".utf8))
    request.set("Connection", Array("Upgrade".utf8))
    request.set("Sec-WebSocket-Key", key)
    request.set("Sec-WebSocket-Version", Array("13".utf8))
    if !subprotocols.isEmpty {
      request.set("Sec-WebSocket-Protocol", Array(subprotocols.joined(separator: Array(", ".utf8))))
    }
    if let compression { request.set("Sec-WebSocket-Extensions", compression.offer) }
    self.request = request
  }

  private static func nonce() -> [UInt8] { (0..<16).map { _ in .random(in: .min ... .max) } }

  /// The value by which the server proves that it has read the key (§4.2.2, 5.4).
  static func accept(for key: [UInt8]) -> [UInt8] {
    Base64.encoded(SHA1.digest(key + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
  }
}

/// The server's response to the opening: a head that is read exactly up to its end, because frames follow it, and checked
/// by RFC 6455 §4.1. An invalid response is refused as soon as possible.
struct OpeningResponse {
  /// The largest head; servers accept 8 to 64 KiB.
  static let longestHead = 64 * 1024

  /// What the server has chosen of our offers; nil for nothing.
  typealias ChosenOffers = (subprotocol: [UInt8]?, compression: PerMessageDeflate?)

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
  /// - Returns: what the server has chosen, and then frames follow; nil if it does not switch protocols: the body may
  ///   say why.
  /// - Throws: if the server claims to switch protocols, but does it wrongly.
  func choice(_ opening: OpeningRequest) throws(HTTPError) -> ChosenOffers? {
    guard head.status == 101 else { return nil }
    guard version > UInt8(ascii: "0") else { throw .handshake("HTTP/1.0") }
    guard tokens("upgrade").contains("websocket") else { throw .handshake("no 'Upgrade: websocket'") }
    guard tokens("connection").contains("upgrade") else { throw .handshake("no 'Connection: Upgrade'") }
    guard values("sec-websocket-accept") == [OpeningRequest.accept(for: opening.key)] else {
      throw .handshake("missing or wrong Sec-WebSocket-Accept")
    }
    let compression = try PerMessageDeflate.choice(values("sec-websocket-extensions"), offer: opening.compression)
    let chosen = values("sec-websocket-protocol")
    guard chosen.count <= 1, chosen.allSatisfy(opening.subprotocols.contains) else {
      throw .handshake("the server chose a subprotocol that was not offered (--subprotocol)")
    }
    return (chosen.first, compression)
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
    return text + ", to \(quoted(target.utf8))" + (head.redirects ? " (--location)" : "")
  }
}

extension HTTPError {
  static func handshake(_ message: String) -> HTTPError {
    HTTPError(.permanent, "the handshake is malformed: " + message)
  }
}
