// A connection without HTTP on it: libcurl finds the host, connects, goes through the proxy, does TLS, and then keeps out
// of it (CURLOPT_CONNECT_ONLY). What is said is up to the caller, who looks for readiness with poll(2).
//
// Nothing here waits. Over TLS there may be bytes that have left the socket and not yet been handed out, so `receive` is
// to be asked until it has none before anybody waits; and what `send` could not get rid of must be tried again as it is,
// which is why it is copied to a place that does not move.

import CCurl
import FeedCore

/// A connection to the host of a URL, once it stands a stream of bytes in both directions.
@safe
package final class HTTPConnection {
  package enum Received: Sendable {
    case bytes
    /// Nothing now.
    case nothing
    /// The other side has closed its direction.
    case end
  }

  /// The most that one `receive` brings: what a socket often has, and a few records of TLS.
  private static let pieceSize = 64 * 1024
  /// The most that is on its way into the socket: one record of TLS.
  private static let sendSize = 16 * 1024

  private let client: HTTPClient
  private let handle: CurlHandle
  private let sending: UnsafeMutableRawPointer
  private var sendingCount = 0
  private var sent = 0
  /// What to wait for when the connection stands.
  package private(set) var descriptor = Descriptor(-1)

  init(_ request: HTTPRequest, of client: HTTPClient) throws(HTTPError) {
    self.client = client
    unsafe sending = .allocate(byteCount: Self.sendSize, alignment: 16)
    do {
      handle = try CurlHandle(request)
    } catch {
      unsafe sending.deallocate()
      throw error
    }
    try handle.set(CURLOPT_CONNECT_ONLY, 1)
    // Through a proxy, http URLs too: the proxy is not to speak for us.
    try handle.set(CURLOPT_HTTPPROXYTUNNEL, 1)
    // ALPN offers this, and nothing newer, for a protocol that begins as HTTP/1.1.
    try handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    try client.begin(handle)
  }

  deinit {
    close()
    unsafe sending.deallocate()
  }

  /// Goes on connecting.
  /// - Returns: whether the connection stands. Until then `HTTPClient.wait` knows what to wait for.
  package func open() throws(HTTPError) -> Bool {
    if descriptor.number >= 0 { return true }
    try client.perform()
    if let failure = handle.failure { throw failure }
    guard handle.result != nil else { return false }
    let number = unsafe feed_active_socket(handle.easy)
    guard number >= 0 else { throw HTTPError(.transient, "connection lost") }
    descriptor = Descriptor(number)
    return true
  }

  /// Replaces `chunk` by the next bytes, if there are any.
  package func receive(into chunk: inout [UInt8]) throws(HTTPError) -> Received {
    chunk.removeAll(keepingCapacity: true)
    var code = CURLE_OK
    chunk.append(addingCapacity: Self.pieceSize) { free in
      unsafe free.withUnsafeMutableBufferPointer { target, filled in
        var count = 0
        code = unsafe curl_easy_recv(handle.easy, target.baseAddress, target.count, &count)
        if code == CURLE_OK { filled = count }
      }
    }
    if code == CURLE_AGAIN { return .nothing }
    if code != CURLE_OK { throw handle.error(code) }
    return chunk.isEmpty ? .end : .bytes
  }

  /// Bytes that `send` has taken and that have still to go out: wait for room, and call it again.
  package var unsent: Int { sendingCount - sent }

  /// Takes bytes to send, as many as there is room for without waiting.
  /// - Parameter bytes: may be empty, to go on with what was taken before.
  /// - Returns: how many were taken. They are on their way when `unsent` is 0.
  package func send(_ bytes: borrowing Span<UInt8>) throws(HTTPError) -> Int {
    var taken = 0
    while true {
      if sent == sendingCount {
        let count = min(Self.sendSize, bytes.count - taken)
        if count == 0 { return taken }
        unsafe bytes.extracting(taken..<(taken + count)).withUnsafeBytes { source in
          guard let start = source.baseAddress else { return }
          unsafe sending.copyMemory(from: start, byteCount: count)
        }
        (sent, sendingCount) = (0, count)
        taken += count
      }
      var count = 0
      let code = unsafe curl_easy_send(handle.easy, sending + sent, sendingCount - sent, &count)
      if code == CURLE_AGAIN { return taken }
      if code != CURLE_OK { throw handle.error(code) }
      sent += count
    }
  }

  /// Ends the connection, whatever it was at.
  package func close() {
    client.drop(handle)
    descriptor = Descriptor(-1)
  }
}

extension HTTPClient {
  /// Begins to connect to the host of a request, by its route and with its client certificate.
  package func connect(_ request: HTTPRequest) throws(HTTPError) -> HTTPConnection {
    try HTTPConnection(request, of: self)
  }
}
