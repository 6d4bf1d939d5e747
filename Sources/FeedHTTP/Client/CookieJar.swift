// The cookies that servers set, kept in memory for the next requests of a client. `SetCookie` reads them, libcurl keeps
// them and knows how long (RFC 6265), and `pairs` says which request gets which.

import CCurl
import FeedCore

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
