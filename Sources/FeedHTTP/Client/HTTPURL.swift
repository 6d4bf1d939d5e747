// URLs, by libcurl's own parser, so that the URL that we compare is the one that libcurl connects to.

import CCurl
import FeedCore

/// An absolute `http` or `https` URL.
package struct HTTPURL: Equatable, Sendable {
  /// Why a text is not the URL of a request.
  package enum Invalid: Error, Equatable, Sendable {
    /// The name of another scheme.
    case scheme(String)
    /// The error in libcurl's words.
    case malformed(String)
  }

  /// The URL to request, without user information and fragment. Its host is in ASCII (`xn--…`).
  package let text: String
  /// Scheme, host and port, which decide where credentials may be sent (RFC 6454).
  package let origin: String
  /// The user information, percent-decoded.
  package private(set) var user: [UInt8]?
  package private(set) var password: [UInt8]?
  /// The URL for messages: also without the query, where many APIs expect their key.
  package let display: String

  /// In lower case; an IPv6 address in brackets.
  package var host: String {
    let authority = origin.dropFirst(isSecure ? 8 : 7)
    return String(authority[..<(authority.lastIndex(of: ":") ?? authority.endIndex)])
  }

  package var isSecure: Bool { text.hasPrefix("https:") }

  /// Host and port as in the Host header: the port only if it is not the scheme's default.
  package var authority: String {
    let rest = text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
    let authority = String(decoding: rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }, as: UTF8.self)
    let own = isSecure ? ":443" : ":80"
    return authority.hasSuffix(own) ? String(authority.dropLast(own.count)) : authority
  }

  /// Path and query (RFC 9112 §3.2.1).
  package var target: String {
    let rest = text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
      .drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    let path = String(decoding: rest, as: UTF8.self)
    return path.hasPrefix("/") ? path : "/" + path
  }

  /// Whether `operand` is meant as a URL to connect to: it begins with `http://` or `https://`.
  package static func isURL(_ operand: [UInt8]) -> Bool {
    ["http", "https"].contains(scheme(of: operand) ?? "")
  }

  /// The scheme of a text like `scheme://…`, in lower case.
  package static func scheme(of operand: [UInt8]) -> String? {
    guard let colon = operand.firstIndex(of: UInt8(ascii: ":")), colon > 0,
      operand[(colon + 1)...].starts(with: "//".utf8)
    else { return nil }
    let name = String(decoding: operand[..<colon], as: UTF8.self).lowercased()
    let isName = name.utf8.enumerated().allSatisfy { index, byte in
      byte.isLetter || index > 0 && (byte.isDigit || "+-.".utf8.contains(byte))
    }
    return isName ? name : nil
  }

  /// - Parameter bytes: an absolute URL as typed; spaces and bytes outside ASCII are encoded.
  package init(_ bytes: [UInt8]) throws(Invalid) { try self.init(bytes, relativeTo: nil) }

  /// Resolves a reference such as the value of `Location` (RFC 3986 §5).
  package func resolving(_ reference: [UInt8]) throws(Invalid) -> HTTPURL {
    // A reference of only a fragment means the same document with its query (§5.2.2), but libcurl drops the query.
    let isSame = reference.isEmpty || reference.first == UInt8(ascii: "#")
    return try HTTPURL(isSame ? Array(text.utf8) : reference, relativeTo: text)
  }

  /// The same URL with an addition to its query, after a `&` if the query is not empty.
  package func adding(query more: [UInt8]) throws(Invalid) -> HTTPURL {
    let mark = text.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
    // A `#` would begin a fragment.
    let query = more.flatMap { $0 == UInt8(ascii: "#") ? Array("%23".utf8) : [$0] }
    var url = try HTTPURL(Array((text + mark).utf8) + query)
    (url.user, url.password) = (user, password)
    return url
  }

  private init(_ bytes: [UInt8], relativeTo base: String?) throws(Invalid) {
    guard !bytes.contains(0), let handle = unsafe curl_url() else { throw .malformed("malformed URL") }
    defer { unsafe curl_url_cleanup(handle) }

    func get(_ part: CURLUPart, _ flags: Int32 = 0) -> [UInt8]? {
      var text: UnsafeMutablePointer<CChar>?
      let code = unsafe curl_url_get(handle, part, &text, UInt32(flags))
      guard code == CURLUE_OK, let found = unsafe text else { return nil }
      defer { unsafe curl_free(found) }
      return unsafe [UInt8](cString: found)
    }
    func string(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
      get(part, flags).map { String(decoding: $0, as: UTF8.self) }
    }
    func set(_ bytes: [UInt8]) throws(Invalid) {
      // Spaces and non-ASCII bytes are encoded, as in the address bar of a browser.
      let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE)
      let code = unsafe (bytes + [0]).withUnsafeBytes { raw in
        unsafe curl_url_set(handle, CURLUPART_URL, raw.bindMemory(to: CChar.self).baseAddress, flags)
      }
      guard code == CURLUE_OK else {
        throw .malformed(unsafe String(cString: curl_url_strerror(code)).lowercasedFirst)
      }
    }

    if let base { try set(Array(base.utf8)) }
    try set(bytes)
    let scheme = (string(CURLUPART_SCHEME) ?? "").lowercased()
    guard scheme == "http" || scheme == "https" else { throw .scheme(scheme) }
    guard let given = get(CURLUPART_HOST), !given.isEmpty else { throw .malformed("no host in the URL") }
    let isASCII = given.allSatisfy { $0 < 0x80 }
    if !isASCII { feed_use_utf8() }
    let punycode = isASCII ? 0 : Int32(feed_punycode())
    guard let host = string(CURLUPART_HOST, punycode)?.lowercased(), host.utf8.allSatisfy({ $0 < 0x80 })
    else {
      throw .malformed("the host name cannot be written in ASCII (xn--...)")
    }
    let port = string(CURLUPART_PORT, CURLU_DEFAULT_PORT) ?? ""
    origin = "\(scheme)://\(host):\(port)"
    user = get(CURLUPART_USER, CURLU_URLDECODE)
    password = get(CURLUPART_PASSWORD, CURLU_URLDECODE)
    let hasQuery = get(CURLUPART_QUERY) != nil
    for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_FRAGMENT] { unsafe curl_url_set(handle, part, nil, 0) }
    text = string(CURLUPART_URL, punycode) ?? ""
    // What is shown is the URL without its query, with the host as it was typed.
    if isASCII, !hasQuery {
      display = text
      return
    }
    unsafe curl_url_set(handle, CURLUPART_QUERY, nil, 0)
    display = (string(CURLUPART_URL) ?? "") + (hasQuery ? "?…" : "")
  }
}
