// A connection without HTTP: libcurl resolves the host, connects, goes through the proxy, and does TLS. Then it does no
// more (CURLOPT_CONNECT_ONLY): the caller speaks the protocol, and waits with poll(2).
//
// Nothing here waits. With TLS, there may be bytes that have left the socket but have not been returned. So call
// `receive` until it returns nothing before waiting. Bytes that `send` could not write must be tried again unchanged,
// so they are copied to memory that does not move.

import CCurl
import FeedCore

/// A connection to the host of a URL. Once open, it is a stream of bytes in both directions.
@safe
package final class HTTPConnection {
  /// What a read has brought.
  package enum Received: Sendable {
    case bytes
    /// Nothing now.
    case nothing
    /// The other side has closed its output.
    case end
  }

  /// The most bytes that one `receive` returns: what a socket often has, and a few TLS records.
  private static let pieceSize = 64 * 1024
  /// The most bytes that are being sent at a time: one TLS record.
  private static let sendSize = 16 * 1024

  private let client: HTTPClient
  private let handle: CurlHandle
  private let sending: UnsafeMutableRawPointer
  private var sendingCount = 0
  private var sent = 0
  /// The descriptor to wait for once the connection is open.
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
    // Also for http URLs: otherwise the proxy would speak HTTP itself.
    try handle.set(CURLOPT_HTTPPROXYTUNNEL, 1)
    // ALPN offers only this version, because the protocol begins as HTTP/1.1.
    try handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    try client.begin(handle)
  }

  deinit {
    close()
    unsafe sending.deallocate()
  }

  /// Continues to connect.
  /// - Returns: whether the connection is open. Until then, `HTTPClient.wait` knows what to wait for.
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

  /// The number of bytes that `send` has taken but not yet written: wait for room, and call it again.
  package var unsent: Int { sendingCount - sent }

  /// Takes as many bytes as can be sent without waiting.
  /// - Parameter bytes: may be empty, to continue with the bytes taken before.
  /// - Returns: how many were taken. All of them have been written when `unsent` is 0.
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

  /// Ends the connection in any state.
  package func close() {
    client.drop(handle)
    descriptor = Descriptor(-1)
  }
}

extension HTTPClient {
  /// Starts to connect to the host of a request, with its route and client certificate.
  package func connect(_ request: HTTPRequest) throws(HTTPError) -> HTTPConnection {
    try HTTPConnection(request, of: self)
  }
}
