// Requests in progress, and responses that have come but are not wanted yet. Without `--parallel` there is one request, and
// its response is wanted at once.

import FeedCore
import FeedHTTP

/// The requests that have been made, in the order of their starts.
struct RequestQueue {
  enum Result {
    case answered(HTTPResponse)
    case failed(HTTPError)
  }

  /// One request.
  private struct PendingRequest {
    let page: PageRequest
    let start: Double
    var exchange: HTTPExchange?
    var finished: FinishedRequest?
    /// Whether its response will be dropped. Leaving at once would cost a connection, and the server works on it anyway.
    var isUnwanted = false
  }

  private let client: HTTPClient
  private let interrupts: Interrupts
  private let limits: HTTPExchange.Bounds
  private let form: PageText
  private var requests: [PendingRequest] = []
  /// When `advance` or `wait` returned last, by the monotonic clock.
  private var lookedAt = 0.0

  init(_ client: HTTPClient, _ interrupts: Interrupts, _ limits: HTTPExchange.Bounds, _ form: PageText) {
    self.client = client
    self.interrupts = interrupts
    self.limits = limits
    self.form = form
  }

  /// How many requests are in progress or have a response that nobody has taken.
  var count: Int { requests.count }

  /// How many responses are still to come.
  var flyingCount: Int { requests.count { $0.exchange != nil } }

  func contains(_ page: PageRequest) -> Bool { requests.contains { $0.page == page && !$0.isUnwanted } }

  mutating func start(_ page: PageRequest, _ request: HTTPRequest) {
    let now = Clock.monotonic()
    if flyingCount == 0 { lookedAt = now }
    var flight = PendingRequest(page: page, start: now)
    do throws(HTTPError) { flight.exchange = try HTTPExchange(request, of: client, limits) } catch {
      flight.finished = FinishedRequest(.failed(error), seconds: 0, form)
    }
    requests.append(flight)
  }

  /// Reads what has come.
  /// - Returns: the requests whose responses are complete now.
  mutating func advance() -> [PageRequest] {
    let pause = Clock.monotonic() - lookedAt
    var landed: [PageRequest] = []
    for index in requests.indices where requests[index].exchange != nil {
      // No server is to blame for the time in which nobody looked.
      requests[index].exchange?.extendTimeout(by: pause)
      let result: Result
      do throws(HTTPError) {
        guard let response = try requests[index].exchange?.advance() else { continue }
        result = .answered(response)
      } catch {
        result = .failed(error)
      }
      requests[index].exchange = nil
      let seconds = Clock.monotonic() - requests[index].start
      requests[index].finished = FinishedRequest(result, seconds: seconds, form)
      if !requests[index].isUnwanted { landed.append(requests[index].page) }
    }
    requests.removeAll { $0.isUnwanted && $0.exchange == nil }
    lookedAt = Clock.monotonic()
    return landed
  }

  /// Waits until something may have come.
  /// - Parameter deadline: when to return in any case.
  /// - Returns: why the tool must end, if it must.
  mutating func wait(until deadline: Double?) throws(HTTPError) -> Interruption? {
    defer { lookedAt = Clock.monotonic() }
    let ends = requests.compactMap { $0.exchange?.deadline } + [deadline].compactMap(\.self)
    guard case .interrupted(let interruption) = try client.wait(until: ends.min(), interrupts) else { return nil }
    return interruption
  }

  /// Waits without looking at what comes.
  /// - Returns: why the tool must end, if it must.
  func sleep(until deadline: Double) throws(ToolFailure) -> Interruption? { try interrupts.sleep(until: deadline) }

  /// Whether the response to a request has begun.
  func hasHead(_ page: PageRequest) -> Bool {
    requests.first { $0.page == page && !$0.isUnwanted }?.exchange?.hasHead ?? false
  }

  /// The response to a request, if it has come.
  func finished(of page: PageRequest) -> FinishedRequest? {
    requests.first { $0.page == page && !$0.isUnwanted }?.finished
  }

  /// Drops all requests but some, and their responses.
  /// - Returns: the ends of those that were dropped; nil for a response that is still to come.
  mutating func drop(except kept: [PageRequest]) -> [FinishedRequest?] {
    let dropped = requests.indices.filter { !requests[$0].isUnwanted && !kept.contains(requests[$0].page) }
    let ends = dropped.map { requests[$0].finished }
    for index in dropped { requests[index].isUnwanted = true }
    requests.removeAll { $0.isUnwanted && $0.exchange == nil }
    return ends
  }

  /// Drops a response that has come.
  mutating func drop(_ page: PageRequest) { requests.removeAll { $0.page == page && $0.exchange == nil } }
}
