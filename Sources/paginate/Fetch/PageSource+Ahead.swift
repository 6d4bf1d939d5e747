// Several requests at once: starting them, waiting for one of them, and the server's word against more.

import FeedCore
import FeedHTTP

extension PageSource {
  /// The wait after HTTP 429 without `Retry-After`, in seconds.
  private static let pauseAfterRefusal = 1.0

  /// Makes a request.
  mutating func start(_ request: PageRequest, _ url: HTTPURL, _ ifNoneMatch: [UInt8]? = nil) {
    if let problem = http.readAgain(), !http.isSilent { streams.say(problem) }
    lastStart = Clock.monotonic()
    requests.start(request, self.request(request, url, ifNoneMatch))
  }

  /// Waits for the response to a request, and makes others meanwhile.
  mutating func finished(of request: PageRequest, _ ahead: [PageRequest]) throws(ToolFailure) -> FinishedRequest {
    responseWait.begin(streams)
    defer { responseWait.end() }
    while true {
      let next = try startSome(of: ahead)
      let moment = [next, responseWait.dueTime].compactMap(\.self).min()
      if let finished = try look(at: request, until: moment) { return finished }
      if requests.hasHead(request) { responseWait.end() }
      if let report = responseWait.report() { try warn(report, report.words("no response"), try Self.url(of: request)) }
    }
  }

  /// Waits until fewer requests are in progress than are allowed at once.
  mutating func waitForPlace() throws(ToolFailure) {
    while requests.flyingCount >= width { _ = try look(at: nil, until: nil) }
  }

  /// Drops the responses of requests that were made ahead.
  mutating func forget(except kept: [PageRequest] = [], because reason: String) {
    for finished in requests.drop(except: kept) {
      log((finished?.words ?? "a request in progress") + ", dropped: " + reason, home)
    }
  }

  /// Makes no more than one request at a time from now on.
  mutating func slowDown(because reason: String) {
    guard width > 1 else { return }
    width = 1
    log("one request at a time from now on: " + reason, home)
  }

  /// Makes as many of some requests as are allowed now.
  /// - Returns: when to come again for the next; nil if there is no such time.
  private mutating func startSome(of ahead: [PageRequest]) throws(ToolFailure) -> Double? {
    for request in ahead where !requests.contains(request) {
      // A page of the responses that wait is held in memory.
      guard requests.count < width, Double(requests.flyingCount) < left ?? .infinity else { return nil }
      if lastResponse != nil, earliestStart > Clock.monotonic() { return earliestStart }
      start(request, try Self.url(of: request))
    }
    return nil
  }

  /// Reads what has come. If no response was completed by that, waits once.
  private mutating func look(at wanted: PageRequest?, until deadline: Double?) throws(ToolFailure) -> FinishedRequest? {
    let flyingCount = requests.flyingCount
    for request in requests.advance() { note(request, isWanted: request == wanted) }
    if let wanted, let finished = requests.finished(of: wanted) { return finished }
    if requests.flyingCount < flyingCount { return nil }
    let interruption: Interruption?
    do { interruption = try requests.wait(until: deadline) } catch { throw error.failure(home.display) }
    if interruption != nil { throw .brokenPipe }
    return nil
  }

  /// Remembers what a response asks for.
  private mutating func note(_ request: PageRequest, isWanted: Bool) {
    guard let finished = requests.finished(of: request) else { return }
    var (wait, reason) = (finished.asked.seconds, finished.asked.reason)
    if finished.isThrottled {
      slowDown(because: finished.words)
      // The wanted response is judged soon, like any other refusal.
      if isWanted { return }
      if wait == 0 { (wait, reason) = (Self.pauseAfterRefusal, finished.words) }
      requests.drop(request)
    } else if finished.verdict != .taken {
      return
    }
    left = finished.asked.left
    let end = finished.time + wait
    if end >= pause.end { pause = (wait, reason, end) }
  }
}
