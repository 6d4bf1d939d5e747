import FeedCore

/// A Set-Cookie field, read here for all tools. libcurl keeps the cookies, but it does not check for whom one is that it
/// has not received itself, and knows no URL that it belongs to. So the field is checked here, and gets a domain and a path (RFC 6265 §5.3).
struct SetCookie {
  /// The last labels of the domain of a cookie for one host only. libcurl lists no cookie without a domain, and accepts
  /// no domain without a dot.
  private static let oneHost = Array(".own-host.invalid".utf8)

  /// Hides a prefix of a name from libcurl, which would refuse the domain.
  private static let cover = Array("own-host.".utf8)
  private static let hostPrefix = Array("__host-".utf8)

  /// The field for libcurl, with a domain and a path.
  let text: [UInt8]

  /// - Parameter url: the URL of the response.
  /// - Returns: nil if a server at this URL may not set the cookie.
  init?(_ field: [UInt8], from url: HTTPURL) {
    let parts = field.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    guard let pair = parts.first else { return nil }
    var attributes: [ArraySlice<UInt8>] = []
    var (domain, path): ([UInt8]?, [UInt8]?)
    var isSecure = false
    for part in parts.dropFirst() {
      let equals = part.firstIndex(of: UInt8(ascii: "="))
      let name = Array(part[..<(equals ?? part.endIndex)].trimmed()).lowercased
      let value = equals.map { Array(part[($0 + 1)...].trimmed()) } ?? []
      switch String(decoding: name, as: UTF8.self) {
      case "domain": if !value.isEmpty { domain = value }
      case "path": path = value.first == UInt8(ascii: "/") ? value : nil
      // As in libcurl's transfers: somebody on the way could have set it.
      case "secure" where !url.isSecure: return nil
      case "secure":
        // Its value is ignored (§5.2.5), but libcurl would ignore an attribute with a value.
        isSecure = true
        attributes.append(part[..<(equals ?? part.endIndex)])
      default: attributes.append(part)
      }
    }
    var own = [Array(pair)]
    if Array(pair.trimmed()).lowercased.starts(with: Self.hostPrefix) {
      guard isSecure, domain == nil, path == [UInt8(ascii: "/")] else { return nil }
      own = [Self.cover + pair.trimmed()]
    }
    let host = Array(url.host.utf8)
    if let domain, !Self.isDomain(Array(domain.drop { $0 == UInt8(ascii: ".") }).lowercased, of: host) { return nil }
    // There is no list of public suffixes, such as `co.uk`. So a cookie goes to hosts below the one that set it, if it
    // says so, but not to hosts beside it.
    if let given = domain, Array(given.drop { $0 == UInt8(ascii: ".") }).lowercased != host { domain = nil }
    // They come first: some bytes make libcurl ignore the rest of a field.
    own += [
      Array(" Domain=".utf8) + (domain ?? host + Self.oneHost),
      Array(" Path=".utf8) + (path ?? Self.defaultPath(of: url)),
    ]
    text = Array((own + attributes.map { Array($0) }).joined(separator: [UInt8(ascii: ";")]))
  }

  /// The name of a cookie that libcurl lists.
  static func name(_ listed: [UInt8]) -> [UInt8] {
    listed.starts(with: cover) ? Array(listed.dropFirst(cover.count)) : listed
  }

  /// Whether a cookie with this domain is for `host` (RFC 6265 §5.1.3).
  /// - Parameter domain: as libcurl lists it, in lower case and without the leading dot.
  static func isMeant(_ domain: [UInt8], for host: [UInt8]) -> Bool {
    domain.suffix(oneHost.count).elementsEqual(oneHost) ? domain == host + oneHost : isDomain(domain, of: host)
  }

  private static func isDomain(_ domain: [UInt8], of host: [UInt8]) -> Bool {
    if host == domain { return !domain.isEmpty }
    // The end of an address is no domain.
    let isAddress = host.first == UInt8(ascii: "[") || host.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
    return !isAddress && !domain.isEmpty && host.reversed().starts(with: domain.reversed() + [UInt8(ascii: ".")])
  }

  /// The folder of the URL (RFC 6265 §5.1.4). Nothing in it ends an attribute.
  private static func defaultPath(of url: HTTPURL) -> [UInt8] {
    let path = url.target.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: ";") }
    let folder = Array(path)[..<(Array(path).lastIndex(of: UInt8(ascii: "/")) ?? 0)]
    return folder.isEmpty ? [UInt8(ascii: "/")] : Array(folder)
  }
}
