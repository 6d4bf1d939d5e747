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
    _ request: HTTPRequest, subprotocols: [[UInt8]], origin: [UInt8]?, compression: PerMessageDeflate? = nil,
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
    if let origin { request.set("Origin", origin) }
    self.request = request
  }

  private static func nonce() -> [UInt8] { (0..<16).map { _ in .random(in: .min ... .max) } }

  /// The value by which the server proves that it has read the key (§4.2.2, 5.4).
  static func accept(for key: [UInt8]) -> [UInt8] {
    Base64.encoded(SHA1.digest(key + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
  }
}
