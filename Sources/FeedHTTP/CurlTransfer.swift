// One easy handle of libcurl: a request on its way, and what has come back so far.
//
// libcurl hands over what it receives by calling functions. Here the calls end: they append to buffers, and the rest
// of the program asks for what is there. Past 1 MiB that nobody has asked for, the transfer pauses, and by that the
// server does.

import CCurl
import FeedCore

@safe
final class CurlTransfer {
  static let bufferLimit = 1 << 20

  let easy: UnsafeMutableRawPointer
  private(set) var head: HTTPHead?
  /// How the transfer ended; nil while it goes on.
  var result: CURLcode?
  private var partialHead = HTTPHead()
  private var received: [UInt8] = []
  private var isPaused = false
  private var lists: [UnsafeMutablePointer<curl_slist>] = unsafe []
  /// The name of the Unix socket that is connected to instead of the URL's host.
  private let socket: String?
  private let errorText: UnsafeMutablePointer<CChar>

  init(_ request: HTTPRequest) throws(HTTPError) {
    guard let easy = unsafe curl_easy_init() else { throw HTTPError(.permanent, "libcurl cannot start") }
    unsafe self.easy = easy
    socket = request.route.unixSocket.map(quoted)
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    try configure(request)
    try connectSinks()
  }

  deinit {
    unsafe curl_easy_cleanup(easy)
    while let list = unsafe lists.popLast() { unsafe curl_slist_free_all(list) }
    unsafe errorText.deallocate()
  }

  /// The failure that the transfer ended with, if any.
  var failure: HTTPError? {
    guard let result, result != CURLE_OK else { return nil }
    var systemError = 0
    unsafe feed_get_long(easy, CURLINFO_OS_ERRNO, &systemError)
    let error = unsafe HTTPError.make(
      result, systemError: Int32(truncatingIfNeeded: systemError), detail: String(cString: errorText))
    guard result == CURLE_COULDNT_CONNECT, let socket else { return error }
    return HTTPError(error.kind, "\(socket): \(error.message)")
  }

  /// Moves what has been received into `chunk`.
  /// - Returns: false when nothing has.
  func take(into chunk: inout [UInt8]) -> Bool {
    guard !received.isEmpty else { return false }
    chunk.removeAll(keepingCapacity: true)
    swap(&chunk, &received)
    return true
  }

  /// Lets a paused transfer go on; libcurl may call the sink from in here.
  func resume() {
    guard isPaused else { return }
    isPaused = false
    unsafe curl_easy_pause(easy, 0)
  }

  // MARK: Called by libcurl

  private func connectSinks() throws(HTTPError) {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    try unsafe check(feed_set_pointer(easy, CURLOPT_WRITEDATA, context))
    try unsafe check(feed_set_pointer(easy, CURLOPT_HEADERDATA, context))
    try unsafe check(
      feed_set_sink(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        return unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
          .receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
      })
    try unsafe check(
      feed_set_sink(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
          .receiveHead(Array(UnsafeRawBufferPointer(start: bytes, count: size * count)))
        return size * count
      })
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
    if received.count >= Self.bufferLimit {
      isPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    unsafe received.append(contentsOf: bytes)
    return bytes.count
  }

  private func receiveHead(_ line: [UInt8]) {
    // After the head, this would be a trailer.
    if head == nil, partialHead.take(line) { head = partialHead }
  }

  // MARK: Options

  private func configure(_ request: HTTPRequest) throws(HTTPError) {
    try unsafe check(feed_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText))
    // libcurl must touch no signal: no SIGALRM (only a libcurl without a resolver thread would use it), and SIGPIPE is
    // ignored by HTTPClient, once, instead of around every call.
    try set(CURLOPT_NOSIGNAL, 1)
    try unsafe check(feed_set_http_only(easy))
    try set(CURLOPT_URL, Array(request.url.text.utf8))
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try set(CURLOPT_ACCEPT_ENCODING, [])
    // What one read unpacks to is held at once, and a small body may unpack to a thousand times its size.
    try set(CURLOPT_BUFFERSIZE, 16 * 1024)
    // A peer that vanished without a word is found by the kernel, which costs us nothing.
    try set(CURLOPT_TCP_KEEPALIVE, 1)
    try set(CURLOPT_USERAGENT, request.userAgent)
    try configure(request.route)
    try configure(request.credentials)
    try configureMethod(request)
    var lines = request.headers.map(\.line)
    if let token = request.credentials.bearer, !request.has("Authorization") {
      lines.append(Array("Authorization: Bearer ".utf8) + token)
    }
    // A server that does not know `Expect` makes every larger POST wait for a second.
    if request.body != nil && !request.has("Expect") { lines.append(Array("Expect:".utf8)) }
    try set(CURLOPT_HTTPHEADER, list: lines)
  }

  private func configure(_ route: HTTPRequest.Route) throws(HTTPError) {
    try set(CURLOPT_CONNECTTIMEOUT_MS, Int(route.connectTimeout * 1000))
    if let proxy = route.proxy { try set(CURLOPT_PROXY, proxy) }
    if route.isInsecure {
      try set(CURLOPT_SSL_VERIFYPEER, 0)
      try set(CURLOPT_SSL_VERIFYHOST, 0)
    }
    if let file = route.authorities { try set(CURLOPT_CAINFO, file) }
    if !route.resolve.isEmpty { try set(CURLOPT_RESOLVE, list: route.resolve) }
    if let path = route.unixSocket { try set(CURLOPT_UNIX_SOCKET_PATH, path) }
    switch route.version {
    case .any: break
    case .http1: try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    case .http2: try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2_0))
    }
    if route.usesNetrc { try set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue)) }
  }

  private func configure(_ credentials: HTTPRequest.Credentials) throws(HTTPError) {
    if let user = credentials.user { try set(CURLOPT_USERNAME, user) }
    if let password = credentials.password { try set(CURLOPT_PASSWORD, password) }
    if !credentials.cookies.isEmpty {
      try set(CURLOPT_COOKIE, Array(credentials.cookies.joined(separator: Array("; ".utf8))))
    }
    if let file = credentials.certificate { try set(CURLOPT_SSLCERT, file) }
    if let file = credentials.key { try set(CURLOPT_SSLKEY, file) }
  }

  private func configureMethod(_ request: HTTPRequest) throws(HTTPError) {
    if let body = request.body {
      try unsafe check(feed_set_large(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
      try set(CURLOPT_COPYPOSTFIELDS, body)
    } else if request.method == "HEAD" {
      try set(CURLOPT_NOBODY, 1)
    }
    if request.method != (request.body == nil ? "GET" : "POST") {
      try set(CURLOPT_CUSTOMREQUEST, Array(request.method.utf8))
    }
  }

  private func set(_ option: CURLoption, _ value: Int) throws(HTTPError) {
    try unsafe check(feed_set_long(easy, option, value))
  }

  private func set(_ option: CURLoption, _ value: [UInt8]) throws(HTTPError) {
    let code = unsafe (value + [0]).withUnsafeBytes { raw in
      unsafe feed_set_string(easy, option, raw.bindMemory(to: CChar.self).baseAddress)
    }
    try check(code)
  }

  private func set(_ option: CURLoption, list lines: [[UInt8]]) throws(HTTPError) {
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

  private func check(_ code: CURLcode) throws(HTTPError) {
    if code != CURLE_OK { throw .make(code, systemError: 0, detail: "") }
  }
}
