// The client of a simulated tool, in place of HTTPClient.swift and CurlTransfer.swift. Requests go to the network of the
// simulator, and answers come as its servers send them: piece by piece, late, torn, or never. All the rest of FeedHTTP is as
// it is in the product.

import FeedCore

/// The network of the simulator.
package protocol Network: AnyObject {
  /// - Throws: what a client is told that cannot even begin, because its process is dead.
  func request(_ request: HTTPRequest) throws(HTTPError) -> SimulatedAnswer
  /// Waits until an answer has changed or a time has come.
  func wait(until deadline: Double?, for answers: [SimulatedAnswer]) throws(HTTPError) -> HTTPClient.Wakeup
}

package enum SimulatedNetwork {
  nonisolated(unsafe) package static var network: (any Network)!
}

/// An answer, as far as it has arrived. A server changes it as time goes on.
package final class SimulatedAnswer: HTTPHop {
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
  private var answers: [SimulatedAnswer] = []

  package init(keepsCookies: Bool = false) throws(ToolFailure) {}

  package func start(_ request: HTTPRequest) throws(HTTPError) -> HTTPTransfer {
    try HTTPTransfer(request, over: self)
  }

  var cookieValues: [[UInt8]] { [] }

  func begin(_ request: HTTPRequest) throws(HTTPError) -> any HTTPHop {
    let answer = try SimulatedNetwork.network.request(request)
    answers.append(answer)
    return answer
  }

  func drop(_ hop: AnyObject) {
    for answer in answers where answer === hop { answer.drop() }
    answers.removeAll { $0 === hop }
  }

  func perform() throws(HTTPError) {}

  package func wait(until deadline: Double?, _ interrupts: Interrupts) throws(HTTPError) -> Wakeup {
    if let deadline, deadline <= Clock.monotonic() { return .timeUp }
    return try SimulatedNetwork.network.wait(until: deadline, for: answers)
  }
}
