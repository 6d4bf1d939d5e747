// One request and its response, with redirects. We follow them ourselves, because libcurl would send all of the user's
// headers to any server.

import FeedCore

/// One request in progress, without redirects.
protocol HTTPHop: AnyObject {
  /// The head of the final response, once it is complete.
  var head: HTTPHead? { get }
  /// Whether the response is complete, or no more of it will come.
  var isOver: Bool { get }
  var failure: HTTPError? { get }

  /// Moves the received part of the body, as sent, into `chunk`.
  /// - Returns: false if there is none.
  func take(into chunk: inout [UInt8]) -> Bool
  /// Continues to receive after a pause.
  func resume()
  /// Whether any of the request was sent.
  var wasSent: Bool { get }
}

/// The sender of requests: libcurl, or a test with prepared responses.
protocol HTTPTransport: AnyObject {
  /// The values of the cookies that are kept for later requests.
  var cookieValues: [[UInt8]] { get }

  /// Begins a request, with the cookies that are kept for its URL.
  func begin(_ request: HTTPRequest) throws(HTTPError) -> any HTTPHop
  /// Keeps the cookies that a response sets.
  /// - Parameter url: the URL that answered.
  func keepCookies(of head: HTTPHead, from url: HTTPURL)
  /// Ends a hop in any state.
  func drop(_ hop: AnyObject)
  /// Does everything that needs no waiting.
  func perform() throws(HTTPError)
}

/// An arriving response: call `next` until it returns nil, then wait, then call it again.
package final class HTTPTransfer {
  /// What has come.
  package enum Event: Equatable, Sendable {
    /// `head` is available: the final one, after all redirects.
    case head
    /// `chunk` holds the next bytes of the body, decompressed.
    case body
    /// The response is complete.
    case end
  }

  /// The request that is being answered: that of the last hop.
  package private(set) var request: HTTPRequest
  /// After the event `head`: the final head.
  package private(set) var head = HTTPHead()
  /// After the event `body`: the bytes, until the next call of `next`.
  package private(set) var chunk: [UInt8] = []

  private let transport: any HTTPTransport
  private var hop: any HTTPHop
  /// Nil if the body needs no decoding.
  private var decoder: BodyDecoder?
  /// Whether the rest of the body is ignored, because it cannot be decoded and nobody needs it.
  private var isBodyGivenUp = false
  private var isHeadReported = false

  init(_ request: HTTPRequest, over transport: any HTTPTransport) throws(HTTPError) {
    self.request = request
    self.transport = transport
    hop = try transport.begin(request)
  }

  deinit { transport.drop(hop) }

  /// Drops the part that has not arrived.
  package func cancel() { transport.drop(hop) }

  /// The next event, without waiting; nil if there is none.
  /// - Throws: if the transfer failed, after returning everything before the error.
  package func next() throws(HTTPError) -> Event? {
    if let event = try available() { return event }
    hop.resume()
    if let event = try available() { return event }
    try transport.perform()
    if let event = try available() { return event }
    // The received bytes may have unpacked to nothing. Then all input is used, and a paused transfer would never
    // resume.
    hop.resume()
    return try available()
  }

  private func available() throws(HTTPError) -> Event? {
    // The response to the next hop may also have arrived with the sending of its request. Then nothing would end a wait.
    while !isHeadReported, let head = hop.head {
      try request.headerDump?.write(head)
      transport.keepCookies(of: head, from: request.url)
      guard let next = try request.following(head) else {
        self.head = head
        // The cookies of this response are available now.
        request.keptCookies = transport.cookieValues
        try prepareBody()
        isHeadReported = true
        return .head
      }
      try begin(next)
    }
    if isHeadReported, try takeBody() { return .body }
    if isBodyGivenUp { return .end }
    if let failure = hop.failure { throw unanswered(failure) }
    guard hop.isOver else { return nil }
    // libcurl accepts a connection that closes in the middle of the head as the end of a response.
    if !isHeadReported { throw unanswered(HTTPError(.transient, "connection closed before the end of the headers")) }
    try overlooking { () throws(HTTPError) in try decoder?.finish() }
    return .end
  }

  /// Whether a request was sent that must not be repeated without need.
  package var mayHaveTakenEffect: Bool { !request.isRepeatable && hop.wasSent }

  /// The error of a request that was not answered, or not to the end. If it may have taken effect, it is another error
  /// than one of a connection that could not be made: nobody should try again without a thought.
  func unanswered(_ error: HTTPError) -> HTTPError {
    let mayHaveArrived = error.kind == .transient || error.kind == .timedOut
    guard mayHaveArrived, mayHaveTakenEffect else { return error }
    return HTTPError(.unanswered, error.message + (isHeadReported ? "" : HTTPError.effect))
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

  /// Handles the content coding. In a refusal only the status matters: a body that cannot be unpacked ends there,
  /// without an error.
  private func overlooking(_ work: () throws(HTTPError) -> Void) throws(HTTPError) {
    do throws(HTTPError) { try work() } catch {
      if (200..<300).contains(head.status) { throw error }
      isBodyGivenUp = true
      decoder = nil
    }
  }

  private func begin(_ next: HTTPRequest) throws(HTTPError) {
    transport.drop(hop)
    request = next
    hop = try transport.begin(request)
    // Sends the new request before anybody waits.
    try transport.perform()
  }
}
