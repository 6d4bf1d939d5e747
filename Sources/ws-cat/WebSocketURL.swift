import FeedCore
import FeedHTTP

/// For libcurl, which connects, ws and wss URLs (RFC 6455 §3) are http and https URLs; messages show them as typed.
struct WebSocketURL: Equatable {
  let http: HTTPURL
  /// For messages: without user information and query.
  let display: String

  /// The URL of a reference such as the value of `Location`, as libcurl connects to it.
  static func resolved(_ reference: [UInt8], from url: HTTPURL) throws(HTTPURL.Invalid) -> HTTPURL {
    guard let scheme = HTTPURL.scheme(of: reference), let known = schemes[scheme] else {
      return try url.resolving(reference)
    }
    return try url.resolving(Array(known.utf8) + reference.dropFirst(scheme.utf8.count))
  }

  /// The same for messages, as the server wrote it; without a scheme it is a WebSocket URL too.
  static func display(of reference: [UInt8], from url: HTTPURL) throws(HTTPURL.Invalid) -> String {
    let target = try resolved(reference, from: url)
    let isWeb = HTTPURL.scheme(of: reference)?.hasPrefix("http") ?? false
    return isWeb ? target.display : WebSocketURL(target).display
  }

  private static let schemes = ["ws": "http", "wss": "https", "http": "http", "https": "https"]

  /// The URL of an open connection, for messages.
  init(_ url: HTTPURL) {
    http = url
    display = "ws" + url.display.dropFirst(4)
  }

  /// - Parameter operands: all operands.
  /// - Throws: a usage error, which quotes nothing: a URL may contain a password.
  init(operands: [[UInt8]]) throws(ToolFailure) {
    guard operands.count == 1 else { throw .usage("expected one URL, found \(operands.count) operands") }
    let operand = operands[0]
    guard let scheme = HTTPURL.scheme(of: operand) else {
      throw .usage("expected a URL that begins with ws:// or wss://")
    }
    guard let known = Self.schemes[scheme] else { throw .usage("cannot connect to a URL of scheme '\(scheme)'") }
    self.init(try HTTPURL(operand: Array(known.utf8) + operand.dropFirst(scheme.utf8.count)))
  }
}
