// The client: libcurl's multi interface, driven by the code that asks for the next piece. No thread, no callback:
// `next` does everything that needs no waiting, `wait` waits.

import CCurl
import FeedCore

/// Starts requests and keeps their connections for the next ones.
@safe
package final class HTTPClient {
  /// Why `wait` returned.
  package enum Wakeup: Equatable, Sendable {
    /// Something may have happened on the network.
    case activity
    /// The deadline has passed.
    case timeUp
    /// The tool must end.
    case interrupted(Interruption)
  }

  /// The most connections that are kept. libcurl's own limit grows with the number of running requests, and a poller of
  /// many servers has few at a time.
  private static let maxConnections = 200

  private let multi: UnsafeMutableRawPointer
  let jar: CookieJar?
  private var transfers: [CurlHandle] = []

  /// Also ignores SIGPIPE, because libcurl may write to sockets that the other side has closed.
  /// - Parameter keepsCookies: whether cookies that a server sets are sent with later requests, those after redirects
  ///   included.
  package init(keepsCookies: Bool = false) throws(ToolFailure) {
    Signals.ignoreBrokenPipe()
    guard curl_global_init(Int(CURL_GLOBAL_SSL | CURL_GLOBAL_WIN32)) == CURLE_OK, let multi = unsafe curl_multi_init()
    else { throw .failed(.error, "libcurl cannot start") }
    unsafe self.multi = multi
    jar = keepsCookies ? try CookieJar() : nil
    unsafe feed_limit_connections(multi, Self.maxConnections)
  }

  deinit {
    for transfer in transfers { unsafe curl_multi_remove_handle(multi, transfer.easy) }
    transfers = []
    unsafe curl_multi_cleanup(multi)
    curl_global_cleanup()
  }

  /// Starts a request.
  package func start(_ request: HTTPRequest) throws(HTTPError) -> HTTPTransfer {
    try HTTPTransfer(request, over: self)
  }

  func begin(_ transfer: CurlHandle) throws(HTTPError) {
    guard unsafe curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
      throw HTTPError(.local, "libcurl cannot start a transfer")
    }
    transfers.append(transfer)
  }

  /// Ends a transfer in any state; its connection is closed unless the whole response has come.
  func drop(_ transfer: AnyObject) {
    guard let index = transfers.firstIndex(where: { $0 === transfer }) else { return }
    unsafe curl_multi_remove_handle(multi, transfers[index].easy)
    transfers.remove(at: index)
  }

  /// Does everything that needs no waiting.
  func perform() throws(HTTPError) {
    var running: Int32 = 0
    guard unsafe curl_multi_perform(multi, &running) == CURLM_OK else { throw HTTPError(.local, "libcurl failed") }
    var easy: UnsafeMutableRawPointer?
    var result = CURLE_OK
    while unsafe feed_next_result(multi, &easy, &result) == 1 {
      for transfer in transfers where unsafe transfer.easy == easy { transfer.result = result }
    }
  }

  /// Waits for network activity, a time of the monotonic clock, or an interruption.
  package func wait(until deadline: Double?, _ interrupts: Interrupts) throws(HTTPError) -> Wakeup {
    let now = Clock.monotonic()
    if let deadline, deadline <= now { return .timeUp }
    // One hour stands for no limit; libcurl returns sooner for its own timers.
    let milliseconds = min(3600, deadline.map { $0 - now } ?? 3600) * 1000
    let (output, signals) = (interrupts.output, interrupts.signals)
    var others = [curl_waitfd(fd: output.number, events: 0, revents: 0)]
    if let signals { others.append(curl_waitfd(fd: signals.number, events: Int16(CURL_WAIT_POLLIN), revents: 0)) }
    var count: Int32 = 0
    let code = unsafe curl_multi_poll(multi, &others, UInt32(others.count), Int32(milliseconds.rounded(.up)), &count)
    guard code == CURLM_OK else { throw HTTPError(.local, "libcurl cannot wait") }
    if others.count > 1, others[1].revents != 0 {
      do { if let signal = try interrupts.takeSignal() { return .interrupted(signal) } } catch {
        throw .cannotWait(error)
      }
    }
    return others[0].revents != 0 && (try? output.isHungUp) == true ? .interrupted(.hangUp) : .activity
  }
}

extension HTTPClient: HTTPTransport {
  var cookieValues: [[UInt8]] { jar?.cookies.map(\.value) ?? [] }

  func begin(_ request: HTTPRequest) throws(HTTPError) -> any HTTPHop {
    var request = request
    request.credentials.cookies = cookies(for: request.url) + request.credentials.cookies
    let transfer = try CurlTransfer(request)
    try begin(transfer)
    return transfer
  }
}
