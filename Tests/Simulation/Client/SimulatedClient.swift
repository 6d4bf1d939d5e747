// The client of a simulated tool, in place of HTTPClient.swift and CurlTransfer.swift. Requests go to the network of the
// simulator, and responses come as its servers send them: piece by piece, late, torn, or never. All the rest of FeedHTTP is as
// it is in the product.

import FeedCore

/// The network of the simulator.
package protocol Network: AnyObject {
  /// - Throws: what a client is told that cannot even begin, because its process is dead.
  func request(_ request: HTTPRequest) throws(HTTPError) -> SimulatedResponse
  /// Waits until a response has changed or a time has come.
  func wait(until deadline: Double?, for responses: [SimulatedResponse]) throws(HTTPError) -> HTTPClient.Wakeup
}

package enum SimulatedNetwork {
  nonisolated(unsafe) package static var network: (any Network)!
}

/// A response, as far as it has arrived. A server changes it as time goes on.
package final class SimulatedResponse: HTTPHop {
  package var head: HTTPHead?
  /// The part of the body that has not been taken.
  package var body: [UInt8] = []
  package var isOver = false
  package var failure: HTTPError?
  /// Whether it has changed since the client last looked.
  package var isNews = false
  /// Whether the client has gone.
  package private(set) var isDropped = false

  package init() {}

  package var wasSent: Bool { true }

  package func take(into chunk: inout [UInt8]) -> Bool {
    guard !body.isEmpty else { return false }
    chunk = body
    body = []
    return true
  }

  package func resume() {}

  func drop() { isDropped = true }

  /// Sets the head by its lines, the first with the status.
  package func setHead(_ lines: [String]) {
    var head = HTTPHead()
    for line in lines + [""] { _ = head.take(Array((line + "\r\n").utf8)) }
    self.head = head
    isNews = true
  }
}

package final class HTTPClient: HTTPTransport {
  package enum Wakeup: Equatable, Sendable {
    case activity
    case timeUp
    case interrupted(Interruption)
  }

  let jar: CookieJar? = nil
  private var responses: [SimulatedResponse] = []

  package init(keepsCookies: Bool = false) throws(ToolFailure) {}

  package func start(_ request: HTTPRequest) throws(HTTPError) -> HTTPTransfer {
    try HTTPTransfer(request, over: self)
  }

  var cookieValues: [[UInt8]] { [] }

  func begin(_ request: HTTPRequest) throws(HTTPError) -> any HTTPHop {
    let response = try SimulatedNetwork.network.request(request)
    responses.append(response)
    return response
  }

  func drop(_ hop: AnyObject) {
    for response in responses where response === hop { response.drop() }
    responses.removeAll { $0 === hop }
  }

  func perform() throws(HTTPError) {}

  package func wait(until deadline: Double?, _ interrupts: Interrupts) throws(HTTPError) -> Wakeup {
    if let deadline, deadline <= Clock.monotonic() { return .timeUp }
    return try SimulatedNetwork.network.wait(until: deadline, for: responses)
  }
}
