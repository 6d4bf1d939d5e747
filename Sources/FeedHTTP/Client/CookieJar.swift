// The cookies that servers set, kept in memory for the next requests of a client. `SetCookie` reads them, libcurl keeps
// them and knows how long (RFC 6265), and `pairs` says which request gets which.

import CCurl
import FeedCore

/// The cookies of a client, for all its requests.
@safe
final class CookieJar {
  /// A server that sets more cookies than this sets new ones without end, so all are deleted.
  static let limit = 500

  /// A cookie in the columns of Netscape's file format, as libcurl lists it.
  struct Cookie: Equatable {
    /// With a leading dot if subdomains are included.
    let domain: [UInt8]
    let path: [UInt8]
    let isSecure: Bool
    /// Seconds since 1970; 0 for the end of the session.
    let expires: Int
    let name: [UInt8]
    let value: [UInt8]

    /// - Returns: nil if the line is not a cookie.
    init?(_ line: [UInt8]) {
      let mark = Array("#HttpOnly_".utf8)
      let columns = line.dropFirst(line.starts(with: mark) ? mark.count : 0)
        .split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map(Array.init)
      guard columns.count == 7 else { return nil }
      (domain, isSecure) = (columns[0], columns[3] == Array("TRUE".utf8))
      // libcurl lists a path for each cookie that it got with one.
      path = columns[2].first == UInt8(ascii: "/") ? columns[2] : [UInt8(ascii: "/")]
      (expires, name, value) = (Int(decimal: columns[4]) ?? 0, columns[5], columns[6])
    }
  }

  private let share: UnsafeMutableRawPointer
  /// It makes no transfer; it only lists the jar.
  private let easy: UnsafeMutableRawPointer

  init() throws(ToolFailure) {
    guard let share = unsafe curl_share_init(), unsafe feed_share_cookies(share) == CURLSHE_OK,
      let easy = unsafe curl_easy_init(), unsafe feed_set_pointer(easy, CURLOPT_SHARE, share) == CURLE_OK
    else { throw .failed(.error, "libcurl cannot keep cookies") }
    unsafe self.share = share
    unsafe self.easy = easy
  }

  deinit {
    unsafe curl_easy_cleanup(easy)
    unsafe curl_share_cleanup(share)
  }

  /// All cookies; libcurl deletes an expired one when the next one comes.
  var cookies: [Cookie] {
    var list: UnsafeMutablePointer<curl_slist>?
    guard unsafe feed_get_list(easy, CURLINFO_COOKIELIST, &list) == CURLE_OK else { return [] }
    defer { unsafe curl_slist_free_all(list) }
    var cookies: [Cookie] = []
    var next = unsafe list
    while let item = unsafe next {
      if let text = unsafe item.pointee.data, let cookie = unsafe Cookie([UInt8](cString: text)) {
        cookies.append(cookie)
      }
      unsafe next = item.pointee.next
    }
    return cookies
  }

  /// Stores the cookies of a response.
  /// - Parameter url: the URL that answered.
  func take(_ head: HTTPHead, from url: HTTPURL) {
    guard head.fields.contains(where: { $0.name == "set-cookie" }) else { return }
    forgetTooMany()
    run(
      head.fields.filter { $0.name == "set-cookie" }.compactMap { SetCookie($0.value, from: url) }
        .map { Array("Set-Cookie: ".utf8) + $0.text })
  }

  /// The most cookies of a request and their most bytes, as in libcurl's own requests. More would be a request that
  /// servers refuse.
  private static let (mostSent, mostBytes) = (150, 8190)

  /// The cookies for a URL, each as `NAME=VALUE`; those with longer paths come first (RFC 6265 §5.4).
  func pairs(for url: HTTPURL) -> [[UInt8]] {
    let meant = cookies.filter { $0.isMeant(for: url) }.enumerated()
      .sorted { ($1.element.path.count, $0.offset) < ($0.element.path.count, $1.offset) }
    var left = Self.mostBytes
    return meant.prefix(Self.mostSent).map { SetCookie.name($0.element.name) + [UInt8(ascii: "=")] + $0.element.value }
      .filter { pair in
        guard pair.count + 2 <= left else { return false }
        left -= pair.count + 2
        return true
      }
  }

  private func forgetTooMany() { if cookies.count > Self.limit { run([Array("ALL".utf8)]) } }

  /// Changes the jar, with a new handle each time: libcurl accepts only 50 cookies by handle, as if from one response.
  private func run(_ commands: [[UInt8]]) {
    guard !commands.isEmpty, let easy = unsafe curl_easy_init() else { return }
    defer { unsafe curl_easy_cleanup(easy) }
    unsafe feed_set_pointer(easy, CURLOPT_SHARE, share)
    // The empty file name turns cookies on: without it, libcurl drops session cookies.
    unsafe feed_set_string(easy, CURLOPT_COOKIEFILE, "")
    for command in [Array("RELOAD".utf8)] + commands {
      unsafe (command + [0]).withUnsafeBytes { raw in
        _ = unsafe feed_set_string(easy, CURLOPT_COOKIELIST, raw.bindMemory(to: CChar.self).baseAddress)
      }
    }
  }
}

extension CookieJar.Cookie {
  /// Whether a request for `url` may carry the cookie (RFC 6265 §5.4).
  /// - Parameter now: seconds since 1970.
  func isMeant(for url: HTTPURL, now: Int64 = Clock.now() / 1_000_000) -> Bool {
    if expires > 0, expires <= now { return false }
    let path = Array(url.target.utf8.prefix { $0 != UInt8(ascii: "?") })
    guard path.starts(with: self.path) else { return false }
    let isWholeStep = self.path.last == UInt8(ascii: "/") || path.count == self.path.count
    guard isWholeStep || path[self.path.count] == UInt8(ascii: "/"), url.isSecure || !isSecure else { return false }
    return SetCookie.isMeant(domain.drop { $0 == UInt8(ascii: ".") }.lowercased, for: Array(url.host.utf8))
  }
}

extension HTTPClient {
  /// Stores the cookies of a response.
  /// - Parameter url: the URL that answered.
  package func keepCookies(of head: HTTPHead, from url: HTTPURL) { jar?.take(head, from: url) }

  /// The cookies, each as `NAME=VALUE`, to add to a request.
  package func cookies(for url: HTTPURL) -> [[UInt8]] { jar?.pairs(for: url) ?? [] }
}

// MARK: - Set-Cookie

/// A Set-Cookie field, read here for all tools. libcurl keeps the cookies, but it does not check for whom one is that
/// it has not received itself: it knows no URL of it. So the field is checked here, and gets a domain and a path (RFC 6265
/// §5.3).
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
