// Requests in progress, and responses that have come but are not wanted yet. Without `--parallel` there is one request, and
// its response is wanted at once.

import FeedCore
import FeedHTTP

/// The requests that have been made, in the order of their starts.
struct RequestQueue {
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
  private let options: Options
  private var requests: [PendingRequest] = []
  /// When `advance` or `wait` returned last, by the monotonic clock.
  private var lookedAt = 0.0

  init(_ client: HTTPClient, _ interrupts: Interrupts, _ options: Options) {
    (self.client, self.interrupts, self.options) = (client, interrupts, options)
    limits = HTTPExchange.Bounds(
      noun: "page", maxSize: options.maxSize, idleTimeout: options.idleTimeout, requestTimeout: options.requestTimeout,
      takesEventStreams: options.filterCommand != nil)
  }

  /// How many requests are in progress or have a response that nobody has taken.
  var count: Int { requests.count }

  /// How many responses are still to come.
  var flyingCount: Int { requests.count { $0.exchange != nil } }

  func contains(_ page: PageRequest) -> Bool { pending(page) != nil }

  /// The request that is still wanted. Another one for the same page may be on its way to be dropped.
  private func pending(_ page: PageRequest) -> PendingRequest? { requests.first { $0.page == page && !$0.isUnwanted } }

  /// Starts a request. One that cannot even start is finished at once, with its error.
  mutating func start(_ page: PageRequest, _ request: HTTPRequest) {
    let now = Clock.monotonic()
    if flyingCount == 0 { lookedAt = now }
    var flight = PendingRequest(page: page, start: now)
    do throws(HTTPError) { flight.exchange = try HTTPExchange(request, of: client, limits) } catch {
      flight.finished = FinishedRequest(.failure(error), seconds: 0, options)
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
      let result: Result<HTTPResponse, HTTPError>
      do throws(HTTPError) {
        guard let response = try requests[index].exchange?.advance() else { continue }
        result = .success(response)
      } catch { result = .failure(error) }
      requests[index].exchange = nil
      let seconds = Clock.monotonic() - requests[index].start
      requests[index].finished = FinishedRequest(result, seconds: seconds, options)
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
  func hasHead(_ page: PageRequest) -> Bool { pending(page)?.exchange?.hasHead ?? false }

  /// The response to a request, if it has come.
  func finished(of page: PageRequest) -> FinishedRequest? { pending(page)?.finished }

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

/// The end of a request: a response or an error, and what the response says about further requests.
struct FinishedRequest {
  private(set) var result: Result<HTTPResponse, HTTPError>
  /// By the monotonic clock.
  let time = Clock.monotonic()
  /// From the request to the end of the response.
  let seconds: Double
  /// Nil if the response is not JSON.
  private(set) var document: JSONDocument?
  /// Why it is not JSON.
  private(set) var fault: JSONError?
  /// The wait that the response asks for.
  private(set) var asked = AskedWait(HTTPHead())
  private(set) var verdict = StatusPolicy.Verdict.final
  /// How many bytes have come.
  private let size: Int
  /// Whether the body is the output of `--filter`.
  private(set) var isFiltered = false

  /// Parses the body of a response; without a body that is JSON, what its head asks for still counts.
  init(_ result: Result<HTTPResponse, HTTPError>, seconds: Double, _ options: Options) {
    (self.result, self.seconds) = (result, seconds)
    size = (try? result.get())?.body.count ?? 0
    parse(options)
  }

  /// Goes on with what `--filter` made of the body.
  mutating func replaceBody(by page: [UInt8], _ options: Options) {
    guard case .success(var response) = result else { return }
    response.body = page
    result = .success(response)
    (document, fault, isFiltered) = (nil, nil, true)
    parse(options)
  }

  private mutating func parse(_ options: Options) {
    guard case .success(let response) = result else { return }
    // The body of a refusal is a document.
    let isPage = response.head.status < 300
    do throws(JSONError) {
      // What `--filter` reads may be anything.
      if !isPage || isFiltered || options.filterCommand == nil {
        document =
          try isPage && options.walk.items == .lines
          ? LinePage.document(response.body, maxDepth: options.maxDepth)
          : JSONDocument(parsing: response.body, maxDepth: options.maxDepth)
      }
    } catch { fault = error }
    asked = AskedWait(response.head, document, now: Clock.now())
    verdict = StatusPolicy.verdict(response.head, document, to: response.request)
  }

  /// Whether the server wants fewer requests: HTTP 429, or another refusal that asks for a wait.
  var isThrottled: Bool {
    guard verdict == .retried, case .success(let response) = result else { return false }
    return response.head.status == 429 || asked.seconds > 0
  }

  /// Whether its body is a page.
  /// - Parameter endStatuses: the statuses that mean that there is no such page.
  func isPage(except endStatuses: StatusSet) -> Bool {
    guard verdict == .taken, case .success(let response) = result else { return false }
    return !endStatuses.contains(response.head.status)
  }

  /// Whether it ends the walk: another try would end in the same way.
  var isFinal: Bool {
    switch result {
    case .success: verdict == .final || (verdict == .taken && document == nil)
    case .failure(let error): !error.isRetryable
    }
  }

  /// For the message about a body that is not JSON: which option would help.
  func hint(_ options: Options) -> String {
    guard let fault, case .success(let response) = result else { return "" }
    if HTTPExcerpt.name(of: response) == "XML" { return "; type --filter \"xml-split -j '/*'\"" }
    let mayBeLines = fault.kind == .textAfterDocument || MediaKind(response.head) == .jsonLines
    return mayBeLines && options.walk.items != .lines ? " (--items lines, if each line is an item)" : ""
  }

  /// For a message: `HTTP 200, 1234 bytes in 50 ms`.
  var words: String {
    switch result {
    case .success(let response):
      "HTTP \(response.head.status), \(size) bytes in \(Int(min(seconds, 1e9) * 1000)) ms"
        + (isFiltered ? ", \(response.body.count) bytes after --filter" : "")
    case .failure(let error): error.message
    }
  }
}
