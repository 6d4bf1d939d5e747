// The resources, and who may use them: paths, methods, the token.

import FeedCore

/// The result of a request.
enum Route: Equatable {
  /// An event stream, after an event id; empty means from now on.
  /// - Parameter name: nil if there is only one.
  case stream([UInt8]?, after: [UInt8])
  case snapshot([UInt8]?)
  /// The names of the streams.
  case list
  case metrics
  case health
  /// The allowed methods, for a browser or anybody else.
  case methods
  case refused(Int, String)
}

struct Router {
  let token: [UInt8]?
  /// Whether the token may come in the query.
  var takesTokenFromQuery = false
  /// Whether the stream has no document.
  var isPlain = false
  /// Whether there are several streams.
  var isMany = false
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
    guard isAuthorized(request) else { return .refused(401, "unauthorized") }
    switch path {
    case "/": return isMany ? .list : .stream(nil, after: request.lastEventID)
    case "/snapshot" where !isMany: return .snapshot(nil)
    case "/metrics": return .metrics
    default: return isMany ? named(request) : notFound
    }
  }

  /// The resource of one of several streams. A slash in a name is percent-encoded (RFC 3986 §2.2).
  private func named(_ request: ClientRequest) -> Route {
    let parts = request.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[0].isEmpty, parts[1].elementsEqual("streams".utf8), !parts[2].isEmpty else {
      return notFound
    }
    let name = parts[2].pathDecoded
    if parts.count == 3 { return .stream(name, after: request.lastEventID) }
    return parts.count == 4 && parts[3].elementsEqual("snapshot".utf8) ? .snapshot(name) : notFound
  }

  private var notFound: Route {
    let streams = isMany ? "/, /streams/NAME" : "/"
    let snapshot = isPlain ? "" : isMany ? ", /streams/NAME/snapshot" : ", /snapshot"
    return .refused(404, "not found: there are \(streams)\(snapshot), /metrics and /healthz")
  }

  private func isAuthorized(_ request: ClientRequest) -> Bool {
    guard let token else { return true }
    // The parameter of RFC 6750 §2.3.
    if takesTokenFromQuery, let given = request.parameter("access_token") { return Self.isSame(given, as: token) }
    guard let authorization = request.authorization else { return false }
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
