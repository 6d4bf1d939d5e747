// Where a walk may go. A server says where the next page is, and it may say anything. So the walk keeps to the origin
// (RFC 6454) of the first URL, and secrets are sent only there.

import FeedCore
import FeedHTTP

/// The value of `--allow-host` and `--send-auth-to`: a host, with a port if only that port is meant.
struct HostPattern: Equatable, Sendable {
  private let host: String
  private let port: String?

  /// - Parameter text: `example.com`, `example.com:8443`, `[::1]:8080`; nil for anything else.
  init?(_ text: [UInt8]) {
    // No wildcards: every host that gets anything must be named.
    if text.contains(UInt8(ascii: "*")) { return nil }
    let text = String(decoding: text, as: UTF8.self).lowercased()
    // The colons of an IPv6 address are in brackets.
    let end = text.lastIndex(of: "]") ?? text.startIndex
    let colon = text[end...].firstIndex(of: ":")
    host = String(text[..<(colon ?? text.endIndex)])
    port = colon.map { String(text[text.index(after: $0)...]) }
    let isHost = !host.isEmpty && !host.utf8.contains { $0.isSpaceOrControl || "/@?#\\".utf8.contains($0) }
    let isPort = port.map { !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) } ?? true
    guard isHost, isPort, !host.contains(":") || (host.hasPrefix("[") && host.hasSuffix("]")) else { return nil }
  }

  /// The URL's host is in lower case, as this one is, and its origin always has a port.
  func matches(_ url: HTTPURL) -> Bool { host == url.host && (port.map { url.origin.hasSuffix(":" + $0) } ?? true) }
}

/// The rules of a walk.
struct OriginRules: Equatable, Sendable {
  let home: HTTPURL
  /// Hosts that links may lead to.
  var allowed: [HostPattern] = []
  /// Hosts that also get credentials, cookies and headers. Links may lead to them too.
  var trusted: [HostPattern] = []

  /// The URL of a link on a page.
  /// - Throws: if it must not be followed. No message quotes it: it may contain a secret.
  func target(of reference: [UInt8], from page: HTTPURL) throws(NextError) -> HTTPURL {
    var next = try Self.url(reference, from: page)
    if let secure = next.isSecure ? nil : secured(next, from: page) { next = secure }
    if !next.isSecure, home.isSecure || page.isSecure {
      throw .response("the next link leads from https to http, which is refused")
    }
    if next.origin != home.origin, !(allowed + trusted).contains(where: { $0.matches(next) }) {
      // Without the scheme's default port.
      let port = next.isSecure ? ":443" : ":80"
      let shown = quoted(next.origin.utf8.dropLast(next.origin.hasSuffix(port) ? port.utf8.count : 0))
      let cause =
        page.origin == next.origin
        ? "a redirect led to another origin, \(shown), and the next link stays there"
        : "the next link leads to another origin, \(shown)"
      throw .response("\(cause), which is refused (--allow-host)")
    }
    return next
  }

  /// The same URL by https, if it is the page's but for that: a server behind a proxy that does TLS knows only http.
  private func secured(_ next: HTTPURL, from page: HTTPURL) -> HTTPURL? {
    let secure = try? HTTPURL(Array("https".utf8) + next.text.utf8.dropFirst("http".utf8.count))
    return secure?.origin == page.origin ? secure : nil
  }

  /// The URL of a link, on any host.
  /// - Parameter page: the URL that it is relative to; nil if it must be absolute.
  static func url(_ reference: [UInt8], from page: HTTPURL? = nil) throws(NextError) -> HTTPURL {
    let next: HTTPURL
    do throws(HTTPURL.Invalid) {
      if let page { next = try page.resolving(reference) } else { next = try HTTPURL(reference) }
    } catch {
      switch error {
      case .scheme(let name):
        throw .response("the next link is a URL of scheme '\(quoted(name.utf8))', which is refused")
      case .malformed(let why): throw .response("the next link is malformed: \(why)")
      }
    }
    if next.user != nil || next.password != nil {
      throw .response("the next link holds a user name or password, which is refused")
    }
    return next
  }

  /// Whether a request to `url` may carry secrets: credentials, cookies and the headers of `-H`.
  func sendsSecrets(to url: HTTPURL) -> Bool {
    url.origin == home.origin || (trusted.contains { $0.matches(url) } && (url.isSecure || !home.isSecure))
  }
}
