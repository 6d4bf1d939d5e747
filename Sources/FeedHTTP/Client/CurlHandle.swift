// One easy handle of libcurl, with everything that all its uses share: how it is made, its route to the server, and its
// errors.

import CCurl
import FeedCore

/// A handle for one transfer, or for one bare connection.
@safe
class CurlHandle {
  let easy: UnsafeMutableRawPointer
  /// How the transfer ended; nil while it runs.
  var result: CURLcode?
  private var lists: [UnsafeMutablePointer<curl_slist>] = unsafe []
  /// The Unix socket to connect to, in place of the URL's host.
  private var socket: String?
  private let errorText: UnsafeMutablePointer<CChar>
  /// The error number of opening the socket; 0 while there is none.
  private let socketError: UnsafeMutablePointer<Int32>

  init(_ request: HTTPRequest) throws(HTTPError) {
    guard let easy = unsafe curl_easy_init() else { throw HTTPError(.local, "libcurl cannot start") }
    unsafe self.easy = easy
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    unsafe socketError = .allocate(capacity: 1)
    unsafe socketError.initialize(to: 0)
    try unsafe check(feed_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText))
    try unsafe check(feed_keep_socket_error(easy, socketError))
    // libcurl must not touch signals. Only a libcurl without a resolver thread would use SIGALRM. HTTPClient ignores
    // SIGPIPE once, so libcurl need not do it at each call.
    try set(CURLOPT_NOSIGNAL, 1)
    try unsafe check(feed_set_http_only(easy))
    try set(CURLOPT_URL, Array(request.url.text.utf8))
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // The kernel detects a peer that vanished silently, at no cost for us.
    try set(CURLOPT_TCP_KEEPALIVE, 1)
    // The address of a host may change, so connections older than ten minutes are not used again.
    try unsafe check(feed_limit_age(easy, 600))
    try set(CURLOPT_USERAGENT, request.userAgent)
    try configure(request.route)
    if let file = request.credentials.certificate { try set(CURLOPT_SSLCERT, file) }
    if let file = request.credentials.key { try set(CURLOPT_SSLKEY, file) }
  }

  deinit {
    unsafe curl_easy_cleanup(easy)
    while let list = unsafe lists.popLast() { unsafe curl_slist_free_all(list) }
    unsafe errorText.deallocate()
    unsafe socketError.deallocate()
  }

  /// Whether any of the request was sent, or handed to the system to send.
  var wasSent: Bool {
    var size = 0
    unsafe feed_get_long(easy, CURLINFO_REQUEST_SIZE, &size)
    return size > 0
  }

  /// The failure that the transfer ended with, if any.
  var failure: HTTPError? {
    guard let result, result != CURLE_OK else { return nil }
    return error(result)
  }

  /// The error of a call that returned `code`.
  func error(_ code: CURLcode) -> HTTPError {
    if let descriptorError = descriptorError(code) { return descriptorError }
    var response = 0
    unsafe feed_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &response)
    if response >= 300 { return HTTPError(.proxy(response), "the proxy answered \(response)") }
    var systemError = 0
    unsafe feed_get_long(easy, CURLINFO_OS_ERRNO, &systemError)
    if systemError == 0 { systemError = unsafe Int(socketError.pointee) }
    // Some of libcurl's texts end in a blank.
    let detail = unsafe String(decoding: Array(String(cString: errorText).utf8).trimmed(), as: UTF8.self)
    let error = HTTPError.make(code, systemError: Int32(truncatingIfNeeded: systemError), detail: detail)
    guard code == CURLE_COULDNT_CONNECT, let socket else { return error }
    return HTTPError(error.kind, "\(socket): \(error.message)")
  }

  /// The process may have too many files open. libcurl then only says that a name was not found, a file not read or a
  /// socket not made.
  private func descriptorError(_ code: CURLcode) -> HTTPError? {
    let mayBe = [
      CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_CERTPROBLEM, CURLE_FAILED_INIT,
    ]
    guard mayBe.contains(code) else { return nil }
    let error = unsafe SystemError(code: socketError.pointee)
    if error.isExhaustion { return HTTPError(.local, error.message) }
    do { try Descriptor.open(reading: Array("/dev/null".utf8)).closeQuietly() } catch {
      if error.isExhaustion { return HTTPError(.local, error.message) }
    }
    return nil
  }

  // MARK: Options

  private func configure(_ route: HTTPRequest.ServerRoute) throws(HTTPError) {
    socket = route.unixSocket.map(quoted)
    try set(CURLOPT_CONNECTTIMEOUT_MS, Int(route.connectTimeout * 1000))
    if let proxy = route.proxy { try set(CURLOPT_PROXY, proxy) }
    if route.isInsecure {
      try set(CURLOPT_SSL_VERIFYPEER, 0)
      try set(CURLOPT_SSL_VERIFYHOST, 0)
    } else {
      try configure(Authorities(option: route.authorities))
    }
    if !route.resolve.isEmpty { try set(CURLOPT_RESOLVE, list: route.resolve) }
    if route.usesIPv4 { try set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4)) }
    if route.usesIPv6 { try set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6)) }
    if let path = route.unixSocket { try set(CURLOPT_UNIX_SOCKET_PATH, path) }
    switch route.version {
    case .any: break
    case .http1: try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    case .http2: try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2_0))
    }
  }

  private func configure(_ authorities: Authorities) throws(HTTPError) {
    if let file = authorities.file { try set(CURLOPT_CAINFO, file) }
    if authorities.excludesSystem { try unsafe check(feed_set_pointer(easy, CURLOPT_CAPATH, nil)) }
    guard let folder = authorities.folder else { return }
    try set(CURLOPT_CAPATH, folder)
    try set(CURLOPT_PROXY_CAPATH, folder)
  }

  func set(_ option: CURLoption, _ value: Int) throws(HTTPError) {
    try unsafe check(feed_set_long(easy, option, value))
  }

  func set(_ option: CURLoption, _ value: [UInt8]) throws(HTTPError) {
    let code = unsafe (value + [0]).withUnsafeBytes { raw in
      unsafe feed_set_string(easy, option, raw.bindMemory(to: CChar.self).baseAddress)
    }
    try check(code)
  }

  func set(_ option: CURLoption, list lines: [[UInt8]]) throws(HTTPError) {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      let longer = unsafe (line + [0]).withUnsafeBytes { raw in
        unsafe curl_slist_append(list, raw.bindMemory(to: CChar.self).baseAddress)
      }
      if unsafe longer == nil { break }
      unsafe list = longer
    }
    guard let list = unsafe list else { return }
    unsafe lists.append(list)
    try unsafe check(feed_set_pointer(easy, option, list))
  }

  func check(_ code: CURLcode) throws(HTTPError) {
    if code != CURLE_OK { throw .make(code, systemError: 0, detail: "") }
  }
}

/// Which certificates are trusted, by the rules of curl(1): an option, else environment variables, else the defaults of
/// libcurl's build.
struct Authorities: Equatable {
  /// Certificates in PEM.
  var file: [UInt8]?
  /// A folder of certificates, named as c_rehash(1) does.
  var folder: [UInt8]?
  /// Whether the system's certificates are no longer trusted.
  var excludesSystem = false

  /// - Parameters:
  ///   - option: the file of `--cacert`.
  ///   - variable: an environment variable; nil if it is empty or not set.
  init(option: [UInt8]?, variable: (String) -> [UInt8]? = Process.environment) {
    if let option {
      file = option
      // Some systems have a certificate file and a folder. This option replaces only the file.
      excludesSystem = true
    } else if let bundle = variable("CURL_CA_BUNDLE") {
      file = bundle
    } else {
      folder = variable("SSL_CERT_DIR")
      file = variable("SSL_CERT_FILE")
    }
  }
}
