// One request and its answer, redirects followed. That is done here and not by libcurl, which would carry every
// header of the user's along to wherever the server points.

import FeedCore

/// One request on its way, without redirects.
protocol HTTPHop: AnyObject {
  /// Of the final answer, once it is there as a whole.
  var head: HTTPHead? { get }
  /// Whether all has come, or nothing more will.
  var isOver: Bool { get }
  var failure: HTTPError? { get }

  /// Moves what has been received of the body, as it was sent, into `chunk`.
  /// - Returns: false when nothing has.
  func take(into chunk: inout [UInt8]) -> Bool
  /// Receives again, after so much had come that it paused.
  func resume()
  /// Whether an answer came from a proxy, or through it.
  func isProxied(_ url: HTTPURL) -> Bool
}

/// What sends requests: libcurl, or what a test has written down.
protocol HTTPTransport: AnyObject {
  /// The values of the cookies that are kept for later requests.
  var cookieValues: [[UInt8]] { get }

  func begin(_ request: HTTPRequest) throws(HTTPError) -> any HTTPHop
  /// Ends a hop, whatever it was at.
  func drop(_ hop: AnyObject)
  /// Does what can be done without waiting.
  func perform() throws(HTTPError)
}

/// An answer that is arriving: ask `next` until it has nothing, then wait, then ask again.
package final class HTTPTransfer {
  package enum Event: Equatable, Sendable {
    /// `head` is there: the one that counts, after all redirects.
    case head
    /// `chunk` holds the next bytes of the body, decompressed.
    case body
    /// The answer is complete.
    case end
  }

  package static let maxRedirects = 20

  /// The request that is being answered: the last hop's.
  package private(set) var request: HTTPRequest
  package private(set) var head = HTTPHead()
  package private(set) var chunk: [UInt8] = []

  private let transport: any HTTPTransport
  private var hop: any HTTPHop
  /// Nil when the body is sent as it is.
  private var decoder: BodyDecoder?
  /// Whether nothing more can be made of the body, which is of no use to anybody.
  private var isBodyGivenUp = false
  private var redirects = 0
  private var isHeadTold = false

  init(_ request: HTTPRequest, over transport: any HTTPTransport) throws(HTTPError) {
    self.request = request
    self.transport = transport
    hop = try transport.begin(request)
  }

  deinit { transport.drop(hop) }

  /// Whether the answer came over a proxy that can have given it itself, as is so where there is no tunnel.
  package var isFromProxy: Bool { !request.url.isSecure && hop.isProxied(request.url) }

  /// Gives up what has not arrived.
  package func cancel() { transport.drop(hop) }

  /// What is there without waiting; nil when there is nothing.
  /// - Throws: when the transfer failed, after all that came before has been given out.
  package func next() throws(HTTPError) -> Event? {
    if let event = try available() { return event }
    hop.resume()
    if let event = try available() { return event }
    try transport.perform()
    if let event = try available() { return event }
    // What has come may have unpacked to nothing, so that all is taken and nothing would end the wait of a transfer that
    // has paused.
    hop.resume()
    return try available()
  }

  private func available() throws(HTTPError) -> Event? {
    // The answer to the next hop, too, may be here when its request has gone out, and then nothing would end a wait.
    while !isHeadTold, let head = hop.head {
      guard let target = try redirection(head) else {
        self.head = head
        // Those that came with the answer are there now.
        request.keptCookies = transport.cookieValues
        try prepareBody()
        isHeadTold = true
        return .head
      }
      try follow(target, head.status)
    }
    if isHeadTold, try takeBody() { return .body }
    if isBodyGivenUp { return .end }
    if let failure = hop.failure { throw failure }
    guard hop.isOver else { return nil }
    // libcurl takes the end of a connection in the middle of the head for the end of an answer.
    if !isHeadTold { throw HTTPError(.transient, "connection closed before the end of the headers") }
    try overlooking { () throws(HTTPError) in try decoder?.finish() }
    return .end
  }

  private func prepareBody() throws(HTTPError) {
    guard head.hasBody(to: request) else { return }
    try overlooking { () throws(HTTPError) in decoder = try BodyDecoder(head) }
  }

  private func takeBody() throws(HTTPError) -> Bool {
    guard let decoder else { return !isBodyGivenUp && hop.take(into: &chunk) }
    var isFilled = false
    try overlooking { () throws(HTTPError) in
      isFilled = try decoder.unpack(into: &chunk) { hop.take(into: &$0) }
    }
    return isFilled
  }

  /// Does something with the content coding. Of an answer that is a refusal, the status is what counts: a body that
  /// cannot be unpacked ends there, and is no error.
  private func overlooking(_ work: () throws(HTTPError) -> Void) throws(HTTPError) {
    do throws(HTTPError) { try work() } catch {
      if (200..<300).contains(head.status) { throw error }
      isBodyGivenUp = true
      decoder = nil
    }
  }

  private func redirection(_ head: HTTPHead) throws(HTTPError) -> HTTPURL? {
    guard [301, 302, 303, 307, 308].contains(head.status), let location = head.location else { return nil }
    do throws(HTTPURL.Invalid) { return try request.url.resolving(location) } catch {
      switch error {
      case .scheme(let name): throw HTTPError(.permanent, "redirected to a URL of scheme '\(quoted(name.utf8))'")
      case .malformed: throw HTTPError(.permanent, "redirected to a malformed URL")
      }
    }
  }

  private func follow(_ target: HTTPURL, _ status: Int) throws(HTTPError) {
    redirects += 1
    if redirects > Self.maxRedirects { throw HTTPError(.permanent, "more than \(Self.maxRedirects) redirects") }
    transport.drop(hop)
    request = request.redirected(to: target, status: status)
    hop = try transport.begin(request)
    // So that the new request is on its way before anybody waits.
    try transport.perform()
  }
}
