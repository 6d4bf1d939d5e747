// The head of a request as bytes, for protocols on a bare HTTPConnection. It follows libcurl's rules: a header of the
// user replaces our own.

import FeedCore

extension HTTPURL {
  /// Host and port as in the Host header: the port only if it is not the scheme's default.
  package var authority: String {
    let rest = text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
    let authority = String(decoding: rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }, as: UTF8.self)
    let own = text.hasPrefix("https:") ? ":443" : ":80"
    return authority.hasSuffix(own) ? String(authority.dropLast(own.count)) : authority
  }

  /// Path and query (RFC 9112 §3.2.1).
  package var target: String {
    let rest = text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
      .drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    let path = String(decoding: rest, as: UTF8.self)
    return path.hasPrefix("/") ? path : "/" + path
  }
}

extension HTTPRequest {
  /// The request line and all headers, and the blank line after them (RFC 9112 §3).
  package func head() -> [UInt8] {
    var request = self
    request.setDefault("Host", Array(url.authority.utf8))
    request.setDefault("User-Agent", userAgent)
    if let token = credentials.bearer { request.setDefault("Authorization", Array("Bearer ".utf8) + token) }
    if let user = credentials.user {
      let pair = user + Array(":".utf8) + (credentials.password ?? [])
      request.setDefault("Authorization", Array("Basic ".utf8) + Base64.encoded(pair))
    }
    if !credentials.cookies.isEmpty {
      request.setDefault("Cookie", Array(credentials.cookies.joined(separator: Array("; ".utf8))))
    }
    // The host comes first, as RFC 9110 §7.2 recommends.
    let hosts = request.headers.filter { $0.name.lowercased() == "host" }
    let others = request.headers.filter { $0.name.lowercased() != "host" }
    let all = [Array("\(method) \(url.target) HTTP/1.1".utf8)] + (hosts + others).compactMap(\.sent)
    return Array(all.map { $0 + Array("\r\n".utf8) }.joined()) + Array("\r\n".utf8)
  }

  /// Takes name and password for the host from `~/.netrc`, as `--netrc` asks, unless the request has credentials.
  package mutating func takeNetrc() {
    guard route.usesNetrc, credentials.user == nil, let home = Process.environment("HOME"),
      let file = try? Descriptor.open(reading: home + Array("/.netrc".utf8))
    else { return }
    defer { file.closeQuietly() }
    // The origin always has a port, but entries there do not.
    let origin = Array(url.origin.utf8)
    let host = Array(origin[..<(origin.lastIndex(of: UInt8(ascii: ":")) ?? 0)].split(separator: UInt8(ascii: "/"))[1])
    guard let text = try? ByteReader.readAll(file, limit: 1 << 20), let entry = Netrc.entry(for: host, in: text)
    else { return }
    credentials.user = entry.login
    credentials.password = entry.password
  }
}

extension HTTPRequest.Header {
  /// The line to send: `Name;` is a header with an empty value; `Name:` is not sent.
  fileprivate var sent: [UInt8]? {
    if line.last == UInt8(ascii: ";"), line.count == name.utf8.count + 1 { return Array(name.utf8) + Array(":".utf8) }
    let value = line.dropFirst(name.utf8.count + 1).trimmed()
    return value.isEmpty ? nil : Array(name.utf8) + Array(": ".utf8) + value
  }
}
