// For libcurl, which connects, ws and wss URLs (RFC 6455 §3) are http and https URLs; messages show them as typed.

import FeedCore
import FeedHTTP

struct WebSocketURL: Equatable {
  let http: HTTPURL
  /// For messages: without user information and query.
  let display: String

  /// The URL of a reference such as the value of `Location`, for messages; without a scheme it is a WebSocket URL too.
  static func display(of reference: [UInt8], from url: HTTPURL) throws(HTTPURL.Invalid) -> String {
    guard let scheme = HTTPURL.scheme(of: reference) else {
      return "ws" + (try url.resolving(reference)).display.dropFirst(4)
    }
    guard scheme.hasPrefix("ws"), let known = schemes[scheme] else { return try url.resolving(reference).display }
    let target = try url.resolving(Array(known.utf8) + reference.dropFirst(scheme.utf8.count))
    return "ws" + target.display.dropFirst(4)
  }

  private static let schemes = ["ws": "http", "wss": "https", "http": "http", "https": "https"]

  /// - Parameter operands: all operands.
  /// - Throws: a usage error, which quotes nothing: a URL may contain a password.
  init(operands: [[UInt8]]) throws(ToolFailure) {
    guard operands.count == 1 else { throw .usage("expected one URL, found \(operands.count) operands") }
    let operand = operands[0]
    guard let scheme = HTTPURL.scheme(of: operand) else {
      throw .usage("expected a URL that begins with ws:// or wss://")
    }
    guard let known = Self.schemes[scheme] else { throw .usage("cannot connect to a URL of scheme '\(scheme)'") }
    http = try HTTPURL(operand: Array(known.utf8) + operand.dropFirst(scheme.utf8.count))
    display = "ws" + http.display.dropFirst(4)
  }
}
