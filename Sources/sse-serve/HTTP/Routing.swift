// The resources, and who may use them: paths, methods, the token.

import FeedCore

/// The result of a request.
enum Route: Equatable {
  /// The event stream, after an event id; empty means from now on.
  case stream(after: [UInt8])
  case snapshot
  case health
  /// The allowed methods, for a browser or anybody else.
  case methods
  case refused(Int, String)
}

struct Router {
  let token: [UInt8]?
  /// Whether the stream has no document.
  var isPlain = false
  /// The accepted host names; nil for any.
  var hosts: HostList?

  private static let misdirected = Route.refused(
    421, "unknown host: ask for localhost, or name the host with sse-serve --server-name")

  func route(_ request: ClientRequest) -> Route {
    // Checked first, so that a foreign page learns nothing. A request without a host (HTTP/1.0) is never from a
    // browser.
    if let hosts, let host = request.host, !hosts.contains(host) { return Self.misdirected }
    if request.method == .other { return .refused(405, "method not allowed") }
    if request.hasBody { return .refused(413, "a request body is not accepted") }
    let path = String(decoding: request.path, as: UTF8.self)
    // Browsers send no token with a preflight, and load balancers none with their checks.
    if request.method == .options { return .methods }
    if path == "/healthz" { return .health }
    guard isAuthorized(request.authorization) else { return .refused(401, "unauthorized") }
    switch path {
    case "/": return .stream(after: request.lastEventID)
    case "/snapshot": return .snapshot
    default: return .refused(404, "not found: there are " + (isPlain ? "/ and /healthz" : "/, /snapshot and /healthz"))
    }
  }

  private func isAuthorized(_ authorization: [UInt8]?) -> Bool {
    guard let token else { return true }
    guard let authorization else { return false }
    let parts = authorization.split(separator: UInt8(ascii: " "), maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased == Array("bearer".utf8) else { return false }
    return Self.isSame(Array(parts[1].drop { $0 == UInt8(ascii: " ") }), as: token)
  }

  /// Takes a time that depends only on the length of the secret, so that it cannot be guessed byte by byte.
  static func isSame(_ given: [UInt8], as secret: [UInt8]) -> Bool {
    var difference = given.count ^ secret.count
    for index in secret.indices { difference |= Int(secret[index] ^ (index < given.count ? given[index] : 0)) }
    return difference == 0
  }

  /// Whether an If-None-Match contains an entity tag (RFC 9110 §13.1.2, weak comparison).
  static func matches(_ field: [UInt8]?, _ tag: [UInt8]) -> Bool {
    guard let field else { return false }
    return field.split(separator: UInt8(ascii: ",")).contains { item in
      var item = item.trimmed(\.isBlank)
      if item.elementsEqual("*".utf8) { return true }
      if item.starts(with: "W/".utf8) { item = item.dropFirst(2) }
      return item.elementsEqual(tag)
    }
  }
}
