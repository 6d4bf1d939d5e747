import FeedCore

/// Who may use the resources, and how: the host, the method and the token of a request.
struct ClientAccess {
  /// The bearer token that clients must send; nil if they need none.
  let token: [UInt8]?
  /// Whether the token may come in the query.
  var takesTokenFromQuery = false
  /// The accepted host names; nil for any.
  var hosts: HostList?

  private static let misdirected = "unknown host: ask for localhost, or name the host with sse-serve --server-name"

  /// - Parameter needsToken: whether the path is only for clients with the token.
  /// - Throws: why the request is refused.
  func check(_ request: ClientRequest, needsToken: Bool = true) throws(RequestParser.RequestProblem) {
    // Checked first, so that a foreign page learns nothing. A request without a host (HTTP/1.0) is never from a
    // browser.
    if let hosts, let host = request.host, !hosts.contains(host) {
      throw .init(status: 421, reason: Self.misdirected)
    }
    if request.method == .other { throw .init(status: 405, reason: "method not allowed") }
    if request.hasBody { throw .init(status: 413, reason: "a request body is not accepted") }
    // Browsers send no token with a preflight.
    guard needsToken, request.method != .options, let token else { return }
    guard let given = self.token(of: request), Self.isSame(given, as: token) else {
      throw .init(status: 401, reason: "unauthorized")
    }
  }

  private func token(of request: ClientRequest) -> [UInt8]? {
    // The parameter of RFC 6750 §2.3.
    if takesTokenFromQuery, let given = request.parameter("access_token") { return given }
    let parts = (request.authorization ?? []).split(separator: UInt8(ascii: " "), maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased == Array("bearer".utf8) else { return nil }
    return Array(parts[1].drop { $0 == UInt8(ascii: " ") })
  }

  /// What a refused client must send (RFC 6750 §3).
  func challenge(to request: ClientRequest) -> String {
    let isGiven = request.authorization != nil || takesTokenFromQuery && request.parameter("access_token") != nil
    return isGiven ? "Bearer error=\"invalid_token\"" : "Bearer"
  }

  /// Takes a time that depends only on the length of the secret, so that it cannot be guessed byte by byte.
  private static func isSame(_ given: [UInt8], as secret: [UInt8]) -> Bool {
    var difference = given.count ^ secret.count
    for index in secret.indices { difference |= Int(secret[index] ^ (index < given.count ? given[index] : 0)) }
    return difference == 0
  }
}
