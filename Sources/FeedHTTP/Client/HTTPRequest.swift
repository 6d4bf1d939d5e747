// A request as a value, the one rule for what a redirect may keep of it, and its head as bytes for protocols on a bare
// HTTPConnection.

import FeedCore

/// A request to a server, and the route to the server.
package struct HTTPRequest: Sendable {
  /// One header line as `-H` takes it: `Name: value`, `Name;` for an empty value, `Name:` to send none.
  package struct Header: Equatable, Sendable {
    /// As written: names are compared without regard to case.
    package let name: String
    package let line: [UInt8]

    /// An empty value is sent as one: `Name;`.
    package init(_ name: String, _ value: [UInt8]) {
      self.name = name
      line = Array(name.utf8) + (value.isEmpty ? Array(";".utf8) : Array(": ".utf8) + value)
    }

    /// `Name: value`, `Name;` (sent with an empty value) or `Name:` (not sent at all), as in curl.
    /// - Returns: nil if the line is not a header.
    init?(line: [UInt8]) {
      let name = line.prefix(while: \.isTokenByte)
      guard !name.isEmpty, name.endIndex < line.endIndex, isSendable(line) else { return nil }
      let mark = line[name.endIndex]
      let isEmptyForm = mark == UInt8(ascii: ";") && name.endIndex == line.endIndex - 1
      guard mark == UInt8(ascii: ":") || isEmptyForm else { return nil }
      self.name = String(decoding: name, as: UTF8.self)
      self.line = line
    }
  }

  /// What proves our identity. It belongs to one origin.
  package struct Credentials: Equatable, Sendable {
    /// Name and password, of `-u`, of the URL or of ~/.netrc.
    package var user: [UInt8]?
    package var password: [UInt8]?
    /// RFC 7616, in place of Basic. libcurl answers the challenge of the server.
    var usesDigest = false
    /// Signature Version 4 of AWS, in place of Basic, by libcurl: the value of CURLOPT_AWS_SIGV4.
    var provider: [UInt8]?
    /// A token (RFC 6750). A header `Authorization` replaces it.
    package var bearer: [UInt8]?
    /// Each as `NAME=VALUE`.
    package var cookies: [[UInt8]] = []
    /// The files of the client certificate and of its private key.
    package var certificate: [UInt8]?
    package var key: [UInt8]?

    package init() {}
  }

  /// The route to the server, the same for every hop.
  package struct ServerRoute: Sendable {
    /// The versions of HTTP that may be used.
    package enum Version: Sendable { case any, http1, http2 }
    /// A URL as curl's `-x` takes it; nil for that of the environment.
    package var proxy: [UInt8]?
    /// Whether any certificate is accepted.
    package var isInsecure = false
    /// A file of certificates, which are trusted in place of the system's.
    package var authorities: [UInt8]?
    /// Each as `HOST:PORT:ADDRESS`.
    package var resolve: [[UInt8]] = []
    /// Whether a name may be resolved to such addresses only.
    var (usesIPv4, usesIPv6) = (false, false)
    /// The socket to connect to, in place of the URL's host.
    package var unixSocket: [UInt8]?
    /// In seconds.
    package var connectTimeout = 30.0
    package var version = Version.any
    /// Look the host up in ~/.netrc.
    package var usesNetrc = false

    package init() {}
  }

  package var url: HTTPURL
  /// A token (RFC 9110 §9), as typed.
  package var method = "GET"
  /// Nil for none; an empty body is sent with its length.
  package var body: [UInt8]?
  /// The body to send to another origin, if `body` contains secrets; nil if it does not.
  package var bodyWithoutSecrets: [UInt8]?
  package var userAgent: [UInt8]
  /// Those of the user come first, then our own.
  package var headers: [Header] = []
  /// What makes a GET conditional (RFC 9110 §13.1). It is sent only to the URL that gave the validators: after a
  /// redirect the URL may be another resource with the same tags.
  package var condition: (url: HTTPURL, headers: [Header])?
  package var credentials = Credentials()
  package var route = ServerRoute()
  /// Whether the request changes nothing, whatever its method, or the user has said that it may be repeated.
  package var mayRepeat = false
  /// Whether a redirect to another origin gets everything that the first one gets (`--location-trusted`).
  package var trustsRedirects = false
  /// Where the head of the response is written, and those of responses that redirect.
  package var headerDump: HeaderDump?
  /// The values of cookies that servers have set. A client that keeps cookies sends them by itself.
  var keptCookies: [[UInt8]] = []
  /// The secrets and the URLs of the requests that were redirected to this one. Messages must not quote them either.
  var earlierSecrets: [[UInt8]] = []
  var earlierURLs: [HTTPURL] = []

  /// Sets a header, unless the user has set one of this name, or turned it off.
  package mutating func setDefault(_ name: String, _ value: [UInt8]) {
    if !has(name) { headers.append(Header(name, value)) }
  }

  /// Sets a header and replaces any other of this name.
  package mutating func set(_ name: String, _ value: [UInt8]) {
    headers.removeAll { $0.name.lowercased() == name.lowercased() }
    headers.append(Header(name, value))
  }

  /// All headers of this hop, with those of the condition if it is for this URL.
  var sentHeaders: [Header] {
    guard let condition, condition.url.text == url.text, method == "GET" else { return headers }
    return headers + condition.headers.filter { !has($0.name) }
  }

  /// Whether it may be repeated after it was sent (RFC 9110 §9.2.1).
  package var isRepeatable: Bool { mayRepeat || ["GET", "HEAD", "OPTIONS", "QUERY"].contains(method) }

  /// Whether the response may be 304.
  package var isConditional: Bool {
    sentHeaders.contains { ["if-none-match", "if-modified-since"].contains($0.name.lowercased()) }
  }

  /// Whether there is a header of this name, even one that turns it off.
  package func has(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name.lowercased() } }

  /// The most redirects in a row: browsers follow as many.
  private static let mostRedirects = 20

  /// The request for the target of a redirect. HTTPTransfer follows redirects, and so does a handshake over an
  /// HTTPConnection; both count and refuse in the same way.
  /// - Parameter resolve: makes a URL of the value of `Location`, relative to the URL of this request.
  /// - Returns: nil if the response is not a redirect.
  /// - Throws: if the target is not a URL that can be requested, and after too many redirects.
  package func following(
    _ head: HTTPHead,
    resolve: ([UInt8], HTTPURL) throws(HTTPURL.Invalid) -> HTTPURL = { (reference, url) throws(HTTPURL.Invalid) in
      try url.resolving(reference)
    }
  ) throws(HTTPError) -> HTTPRequest? {
    guard head.redirects, let location = head.location else { return nil }
    let target: HTTPURL
    do throws(HTTPURL.Invalid) { target = try resolve(location, url) } catch {
      switch error {
      case .scheme(let name):
        let isSecret = unquoted.contains { $0.lowercased.elementsEqual(name.utf8) }
        throw HTTPError(.permanent, "redirected to a URL of scheme '\(isSecret ? "***" : quoted(name.utf8))'")
      case .malformed: throw HTTPError(.permanent, "redirected to a malformed URL")
      }
    }
    if earlierURLs.count >= Self.mostRedirects {
      throw HTTPError(.permanent, "more than \(Self.mostRedirects) redirects")
    }
    return redirected(to: target, status: head.status)
  }

  /// The request for the target of a redirect (RFC 9110 §15.4).
  ///
  /// Unless redirects are trusted, another origin than the first gets nothing that could be a secret: no credentials,
  /// and only those headers that are never secret.
  func redirected(to target: HTTPURL, status: Int) -> HTTPRequest {
    var next = self
    next.url = target
    next.hideSecrets(of: self)
    if (status == 303 && method != "HEAD") || ((status == 301 || status == 302) && method == "POST") {
      next.method = "GET"
      next.body = nil
      next.bodyWithoutSecrets = nil
      next.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
    }
    if target.origin != url.origin {
      if trustsRedirects {
        next.headers.removeAll { $0.name.lowercased() == "host" }  // the first host's
      } else {
        next.removeSecrets()
      }
    }
    return next
  }

  /// Removes everything that could be a secret: credentials, secrets in the body, and all headers that may be secret.
  package mutating func removeSecrets() {
    credentials = Credentials()
    body = bodyWithoutSecrets ?? body
    route.usesNetrc = false  // it has entries by host, whatever the port or scheme
    headers.removeAll { !Self.isHarmless($0.name.lowercased()) }
  }

  /// Makes messages about this request hide also the secrets of the request that was redirected to it.
  package mutating func hideSecrets(of earlier: HTTPRequest) {
    earlierSecrets = earlier.secrets
    earlierURLs = earlier.earlierURLs + [earlier.url]
  }

  /// The secret values. No message may quote them.
  package var secrets: [[UInt8]] {
    let words = headers.filter { !Self.isHarmless($0.name.lowercased()) }.flatMap(\.secrets)
    let cookies = credentials.cookies.map { Array($0.drop { $0 != UInt8(ascii: "=") }.dropFirst()) }
    let own = [credentials.password, credentials.login, credentials.bearer].compactMap(\.self)
    return earlierSecrets + words + cookies + keptCookies + own
  }

  /// What no message may quote of a server's words: the secrets, and the URL's query, which our messages hide too.
  var unquoted: [[UInt8]] {
    secrets
      + (earlierURLs + [url]).flatMap { url in
        let query = Array(url.text.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst())
        let values = query.split(separator: UInt8(ascii: "&")).map { $0.drop { $0 != UInt8(ascii: "=") }.dropFirst() }
        return [query] + values.flatMap { [Array($0), $0.percentDecoded] }
      }
  }

  static func isHarmless(_ name: String) -> Bool {
    name.hasPrefix("accept")
      || ["origin", "user-agent", "cache-control", "pragma", "last-event-id", "content-type", "content-language"]
        .contains(name)
  }
}

// MARK: - Without libcurl

extension HTTPRequest {
  /// The request line and all headers, and the blank line after them (RFC 9112 §3). As in libcurl, a header of the user
  /// replaces our own.
  package func head() -> [UInt8] {
    var request = self
    request.setDefault("Host", Array(url.authority.utf8))
    request.setDefault("User-Agent", userAgent)
    if let token = credentials.bearer { request.setDefault("Authorization", Array("Bearer ".utf8) + token) }
    if let login = credentials.login { request.setDefault("Authorization", Array("Basic ".utf8) + login) }
    if !credentials.cookies.isEmpty { request.setDefault("Cookie", credentials.cookieText) }
    // The host comes first, as RFC 9110 §7.2 recommends.
    let hosts = request.headers.filter { $0.name.lowercased() == "host" }
    let others = request.headers.filter { $0.name.lowercased() != "host" }
    let all = [Array("\(method) \(url.target) HTTP/1.1".utf8)] + (hosts + others).compactMap(\.sent)
    return Array(all.map { $0 + Array("\r\n".utf8) }.joined()) + Array("\r\n".utf8)
  }
}

extension HTTPRequest.Credentials {
  /// Name and password as Basic sends them (RFC 7617 §2); nil without a name.
  fileprivate var login: [UInt8]? { user.map { Base64.encoded($0 + [UInt8(ascii: ":")] + (password ?? [])) } }

  /// The value of a `Cookie` field.
  var cookieText: [UInt8] { Array(cookies.joined(separator: Array("; ".utf8))) }
}

extension HTTPRequest.Header {
  /// The line to send: `Name;` is a header with an empty value; `Name:` is not sent.
  fileprivate var sent: [UInt8]? {
    if line.last == UInt8(ascii: ";"), line.count == name.utf8.count + 1 { return Array(name.utf8) + Array(":".utf8) }
    let value = line.dropFirst(name.utf8.count + 1).trimmed()
    return value.isEmpty ? nil : Array(name.utf8) + Array(": ".utf8) + value
  }

  /// The parts of the value that can be secret: all of it, its words, and the values of parameters (`Digest
  /// response="…"`), but not the name of a scheme.
  fileprivate var secrets: [[UInt8]] {
    let value = line.dropFirst(name.utf8.count + 1).trimmed()
    func bare(_ word: ArraySlice<UInt8>) -> [UInt8] { word.filter { $0 != UInt8(ascii: "\"") } }
    let words = value.split { $0.isSpaceOrControl || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }
    let isScheme = words.count > 1 && !words[0].contains(UInt8(ascii: "="))
    let secret = words.dropFirst(isScheme ? 1 : 0)
    return [Array(value)] + secret.map(bare) + secret.map { bare($0.drop { $0 != UInt8(ascii: "=") }.dropFirst()) }
  }
}

/// Whether a header can contain the bytes (RFC 9110 §5.5: no control characters except the tab).
@Sendable
package func isSendable(_ value: [UInt8]) -> Bool {
  value.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
}
