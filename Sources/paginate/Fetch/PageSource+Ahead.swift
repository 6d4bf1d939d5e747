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
    flights.start(request, self.request(request, url, ifNoneMatch))
  }

  /// Waits for the answer to a request, and makes others meanwhile.
  mutating func arrival(of request: PageRequest, _ ahead: [PageRequest]) throws(ToolFailure) -> Arrival {
    answerWait.begin(streams)
    defer { answerWait.end() }
    while true {
      let next = try startSome(of: ahead)
      let moment = [next, answerWait.dueTime].compactMap(\.self).min()
      if let arrival = try look(at: request, until: moment) { return arrival }
      if flights.hasHead(request) { answerWait.end() }
      if let report = answerWait.report() { try warn(report, report.words("no answer"), try Self.url(of: request)) }
    }
  }

  /// Waits until fewer requests are in progress than are allowed at once.
  mutating func waitForPlace() throws(ToolFailure) {
    while flights.flyingCount >= width { _ = try look(at: nil, until: nil) }
  }

  /// Drops the answers of requests that were made ahead.
  mutating func forget(except kept: [PageRequest] = [], because reason: String) {
    for arrival in flights.drop(except: kept) {
      tell((arrival?.words ?? "a request in progress") + ", dropped: " + reason, home)
    }
  }

  /// Makes no more than one request at a time from now on.
  mutating func slowDown(because reason: String) {
    guard width > 1 else { return }
    width = 1
    tell("one request at a time from now on: " + reason, home)
  }

  /// Makes as many of some requests as are allowed now.
  /// - Returns: when to come again for the next; nil if there is no such time.
  private mutating func startSome(of ahead: [PageRequest]) throws(ToolFailure) -> Double? {
    for request in ahead where !flights.contains(request) {
      // A page of the answers that wait is held in memory.
      guard flights.count < width, Double(flights.flyingCount) < left ?? .infinity else { return nil }
      if lastAnswer != nil, nextStart > Clock.monotonic() { return nextStart }
      start(request, try Self.url(of: request))
    }
    return nil
  }

  /// Reads what has come. If no answer was completed by that, waits once.
  private mutating func look(at wanted: PageRequest?, until deadline: Double?) throws(ToolFailure) -> Arrival? {
    let flyingCount = flights.flyingCount
    for request in flights.advance() { note(request, isWanted: request == wanted) }
    if let wanted, let arrival = flights.arrival(of: wanted) { return arrival }
    if flights.flyingCount < flyingCount { return nil }
    let interruption: Interruption?
    do { interruption = try flights.wait(until: deadline) } catch { throw error.failure(home.display) }
    if interruption != nil { throw .brokenPipe }
    return nil
  }

  /// Remembers what an answer asks for.
  private mutating func note(_ request: PageRequest, isWanted: Bool) {
    guard let arrival = flights.arrival(of: request) else { return }
    var (wait, reason) = (arrival.asked.seconds, arrival.asked.reason)
    if arrival.isThrottled {
      slowDown(because: arrival.words)
      // The wanted answer is judged soon, like any other refusal.
      if isWanted { return }
      if wait == 0 { (wait, reason) = (Self.pauseAfterRefusal, arrival.words) }
      flights.drop(request)
    } else if arrival.verdict != .taken {
      return
    }
    left = arrival.asked.left
    let end = arrival.time + wait
    if end >= pause.end { pause = (wait, reason, end) }
  }
}
