// A request in progress, and the part of its response that has arrived.
//
// libcurl passes received data to callbacks. These only append to buffers, and the rest of the program asks for the
// data. When 1 MiB is waiting unread, the transfer pauses, and so does the server.

import CCurl
import FeedCore

/// A request over libcurl, without redirects.
@safe
final class CurlTransfer: CurlHandle, HTTPHop {
  static let bufferLimit = 1 << 20
  /// The size limit for a head and the 1xx responses before it together: libcurl's limit for a head. It keeps all of them.
  private static let headLimit = 300 * 1024

  /// With Digest, libcurl answers the challenge of a 401, and does not return its body. So such a head is the last one
  /// only if more than the head comes, or nothing. If the next request fails, that is the failure.
  var head: HTTPHead? {
    answersChallenges && finalHead?.status == 401 && received.isEmpty && (!isOver || failure != nil) ? nil : finalHead
  }

  private let answersChallenges: Bool
  private var finalHead: HTTPHead?
  private var partialHead = HTTPHead()
  private var headCount = 0
  /// Not nil if the body comes in chunks.
  private var chunks: ChunkedBody?
  /// Why the body cannot be read further.
  private var bodyError: HTTPError?
  private var received: [UInt8] = []
  private var isPaused = false

  override init(_ request: HTTPRequest) throws(HTTPError) {
    answersChallenges = request.credentials.usesDigest
    try super.init(request)
    try configure(request)
    try connectSinks()
  }

  var isOver: Bool { result != nil }

  override var failure: HTTPError? {
    if headCount > Self.headLimit { return HTTPError(.permanent, "the headers of the response are too large") }
    return bodyError ?? super.failure
  }

  func take(into chunk: inout [UInt8]) -> Bool {
    guard !received.isEmpty else { return false }
    chunk.removeAll(keepingCapacity: true)
    swap(&chunk, &received)
    return true
  }

  /// Continues a paused transfer; libcurl may call the callback within this call.
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
        let isTaken = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
          .receiveHead(Array(UnsafeRawBufferPointer(start: bytes, count: size * count)))
        return isTaken ? size * count : 0
      })
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
    if received.count >= Self.bufferLimit {
      isPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    if chunks == nil {
      unsafe received.append(contentsOf: bytes)
    } else {
      do throws(HTTPError) { try unsafe receiveChunks(bytes) } catch {
        bodyError = error
        return 0
      }
    }
    return bytes.count
  }

  private func receiveChunks(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) {
    let span = unsafe bytes.bindMemory(to: UInt8.self).span
    var index = 0
    while let data = try chunks?.next(span, from: &index) { received.append(span: span.extracting(data)) }
  }

  /// - Returns: false if the head is too large, which ends the transfer.
  private func receiveHead(_ line: [UInt8]) -> Bool {
    headCount += line.count
    if headCount > Self.headLimit { return false }
    if answersChallenges, line.starts(with: "HTTP/".utf8) { finalHead = nil }
    // After the head, this is a trailer.
    guard finalHead == nil, partialHead.take(line) else { return true }
    finalHead = partialHead
    chunks = partialHead.isChunked ? ChunkedBody() : nil
    return true
  }

  // MARK: Options

  private func configure(_ request: HTTPRequest) throws(HTTPError) {
    try set(CURLOPT_FOLLOWLOCATION, 0)
    // We decode the body ourselves: libcurl would accept a truncated one, and refuse a second gzip member.
    try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    // Not as a header of ours: libcurl 7.88 would sign `accept-encoding` before `accept`, which AWS refuses.
    try set(CURLOPT_ACCEPT_ENCODING, BodyDecoder.accepted)
    // As received: ChunkedBody has the limits that libcurl has not.
    try set(CURLOPT_HTTP_TRANSFER_DECODING, 0)
    // Four times libcurl's default: a large body takes a fifth less CPU time. Larger buffers bring no more.
    try set(CURLOPT_BUFFERSIZE, 64 * 1024)
    // If a connection that was used before closes without a response, libcurl sends the request again, even a POST.
    if !request.isRepeatable {
      try set(CURLOPT_FRESH_CONNECT, 1)
      try set(CURLOPT_FORBID_REUSE, 1)
    }
    if request.route.usesNetrc { try set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue)) }
    try configure(request.credentials)
    try configureMethod(request)
    var lines = request.sentHeaders.map(\.line)
    if let token = request.credentials.bearer, !request.has("Authorization") {
      lines.append(Array("Authorization: Bearer ".utf8) + token)
    }
    // A server that does not know `Expect` would delay every larger POST by a second.
    if request.body != nil && !request.has("Expect") { lines.append(Array("Expect:".utf8)) }
    if let provider = request.credentials.provider { try sign(&lines, of: request.url, provider) }
    try set(CURLOPT_HTTPHEADER, list: lines)
  }

  private func configure(_ credentials: HTTPRequest.Credentials) throws(HTTPError) {
    if let user = credentials.user { try set(CURLOPT_USERNAME, user) }
    if let password = credentials.password { try set(CURLOPT_PASSWORD, password) }
    if credentials.usesDigest { try unsafe check(feed_use_digest(easy)) }
    if !credentials.cookies.isEmpty { try set(CURLOPT_COOKIE, credentials.cookieText) }
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

  /// Makes libcurl sign the request by Signature Version 4 of AWS. libcurl 7.88 signs only what is in canonical form
  /// already.
  /// - Parameters:
  ///   - lines: the headers. A header that is not sent would be signed, so it is removed.
  ///   - provider: the value of CURLOPT_AWS_SIGV4.
  private func sign(_ lines: inout [[UInt8]], of url: HTTPURL, _ provider: [UInt8]) throws(HTTPError) {
    let code = unsafe (provider + [0]).withUnsafeBytes { raw in
      unsafe feed_sign_aws(easy, raw.bindMemory(to: CChar.self).baseAddress)
    }
    try check(code)
    try set(CURLOPT_URL, Array(url.textInOrder.utf8))
    lines.removeAll { $0.last == UInt8(ascii: ":") }
    // Then libcurl sends `Expect` with a large body. It must not wait for a response to it.
    try set(CURLOPT_EXPECT_100_TIMEOUT_MS, 0)
  }
}

extension HTTPURL {
  /// The URL with its parameters in the order of their bytes, each with `=`.
  fileprivate var textInOrder: String {
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return text }
    let query = text.utf8[text.utf8.index(after: mark)...].split(separator: UInt8(ascii: "&"))
    let parameters = query.map { $0.contains(UInt8(ascii: "=")) ? Array($0) : Array($0) + [UInt8(ascii: "=")] }
    let parts = parameters.map {
      $0.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    }
    let ordered = parts.sorted { a, b in
      a[0] == b[0] ? a[1].lexicographicallyPrecedes(b[1]) : a[0].lexicographicallyPrecedes(b[0])
    }
    let text = ordered.map { $0.joined(separator: "=".utf8) }.joined(separator: "&".utf8)
    return String(self.text[...mark]) + String(decoding: Array(text), as: UTF8.self)
  }
}
