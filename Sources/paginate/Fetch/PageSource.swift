import FeedCore
import FeedHTTP

/// Pages from a server: requested politely, and again after a temporary failure. A class, since it is large, as ServerFetcher.
final class PageSource {
  /// The shortest wait after a failure, in seconds.
  private static let shortestPause = 0.5
  private static let longestPause = 60.0
  /// The wait after HTTP 429 without `Retry-After`, in seconds.
  private static let pauseAfterRefusal = 1.0

  private let options: Options
  private var http: HTTPOptions
  private let origin: OriginRules
  let streams: StandardStreams
  private var requests: RequestQueue
  /// How many requests may be in progress at once.
  private var width: Int
  private let secrets: SecretParameters
  /// The line shown during a wait.
  var progress: Progress
  private var notes: NotePrinter
  private var policy: RetryPolicy
  /// The wait for the head of a response.
  private var responseWait = SilentWait()
  /// The wait that a response asked for, and its end by the monotonic clock.
  private var pause = (asked: AskedWait(HTTPHead()), end: 0.0)
  /// How many more requests the server allows now; nil if it does not say.
  private var left: Double?
  private var lastStart = 0.0
  private var lastResponse: Double?
  /// Seconds for which the server wants no request, if that ended the walk.
  private(set) var retryWait: Int?
  /// What kind of failure ended the walk, if one did.
  private(set) var failureKind = PollFailure.Kind.content
  /// The response that was refused, if one was.
  private(set) var refused: HTTPResponse?
  private var filter: PageFilter?
  /// Whether it has failed.
  private(set) var hasFilterFailed = false
  /// The head of the first response with a page, or that said that it has not changed.
  private(set) var firstHead: HTTPHead?
  /// The URL of the first page, for messages that are about no page.
  var home: HTTPURL { origin.home }

  init(
    _ options: Options, _ origin: OriginRules, _ secrets: SecretParameters, _ client: HTTPClient,
    _ streams: StandardStreams
  ) throws(ToolFailure) {
    self.secrets = secrets
    progress = Progress(streams, isWanted: !options.isVerbose && !options.http.isSilent)
    notes = NotePrinter(options, streams)
    filter = PageFilter(options, streams)
    self.options = options
    http = options.http
    self.origin = origin
    self.streams = streams
    policy = RetryPolicy(base: Self.shortestPause, .spread(longest: Self.longestPause), retries: options.retries)
    width = options.parallel
    requests = RequestQueue(client, Interrupts(streams.output), options)
  }

  /// A page as a server sent it.
  struct ServedPage {
    let response: HTTPResponse
    /// Nil if there is no such page.
    let document: JSONDocument?
    /// Whether the request was made before its page was wanted.
    let wasAhead: Bool
  }

  /// A client for a feed, or for several runs on one.
  static func client() throws(ToolFailure) -> HTTPClient { try HTTPClient(keepsCookies: true) }

  /// The response to a request: a page.
  /// - Parameters:
  ///   - ifNoneMatch: an ETag that makes the request conditional.
  ///   - endStatuses: the statuses that mean that there is no such page.
  ///   - ahead: the requests that will probably follow. Some are made now, others of earlier calls are dropped.
  /// - Returns: nil if the page has not changed (304).
  func page(
    _ request: PageRequest, ifNoneMatch: [UInt8]? = nil, endStatuses: StatusSet = .none, ahead: [PageRequest] = []
  ) throws(ToolFailure) -> ServedPage? {
    let url = try Self.url(of: request)
    forget(except: [request] + ahead, because: "not wanted any more")
    var wasAhead = requests.contains(request)
    var isRetry = false
    while true {
      if !requests.contains(request) {
        try waitForPlace()
        // A retry has waited already, but the response to another request may have asked for more.
        if !isRetry || options.parallel > 1 { try wait(before: url) }
        start(request, url, ifNoneMatch)
      }
      progress.show()
      var finished = try finished(of: request, ahead)
      progress.clear()
      lastResponse = Clock.monotonic()
      requests.drop(request)
      if filter != nil, finished.isPage(except: endStatuses) {
        do {
          try filter?.apply(to: &finished, hiding: secrets.values)
          hasFilterFailed = false
        } catch {
          hasFilterFailed = error != .brokenPipe
          guard wasAhead, hasFilterFailed else { throw error }
        }
      }
      if wasAhead, finished.isFinal {
        // The feed may have changed since then. Only a response to a request that is made now is final.
        log(finished.words + ", asking again", url)
        wasAhead = false
        continue
      }
      switch finished.result {
      case .failure(let error):
        failureKind = .network(error.kind)
        guard error.isRetryable else { throw error.failure(url.display) }
        try retry(after: error.failure(url.display), finished.asked)
      case .success(let response):
        if response.head.status == 304, ifNoneMatch != nil {
          firstHead = firstHead ?? response.head
          log("HTTP 304", url)
          return nil
        }
        let isPastEnd = endStatuses.contains(response.head.status)
        if isPastEnd || finished.verdict == .empty {
          log("HTTP \(response.head.status)" + (isPastEnd ? ", past the last page (--end-status)" : ": no items"), url)
          return ServedPage(response: response, document: nil, wasAhead: wasAhead)
        }
        if let document = try judge(finished, response, url) {
          return ServedPage(response: response, document: document, wasAhead: wasAhead)
        }
      }
      wasAhead = false
      isRetry = true
    }
  }

  static func url(of request: PageRequest) throws(ToolFailure) -> HTTPURL {
    do { return try HTTPURL(request.url) } catch { throw .failed(.remote, "the next link is malformed") }
  }

  /// - Returns: the page in the response; nil to ask again.
  private func judge(
    _ finished: FinishedRequest, _ response: HTTPResponse, _ url: HTTPURL
  ) throws(ToolFailure) -> JSONDocument? {
    log(finished.words, url)
    failureKind = .status(response.head)
    switch finished.verdict {
    case .taken:
      policy.succeed()
      policy.recover()
      failureKind = .content
      firstHead = firstHead ?? response.head
      progress.pages += 1
      if response.body.isEmpty, options.walk.items != .lines {
        throw .failed(.remote, "expected a page, found nothing (HTTP \(response.head.status))", source: url.display)
      }
      if let fault = finished.fault {
        throw safe(HTTPExcerpt.failure(fault, in: response).adding(finished.hint(options)), about: response)
      }
      return finished.document
    case .retried:
      try retry(after: refusal(response, url), finished.asked)
      return nil
    case .empty, .final: throw refusal(response, url)
    }
  }

  /// The failure, without secrets that the response quotes.
  func safe(_ failure: ToolFailure, about response: HTTPResponse) -> ToolFailure {
    failure.saying { $0.hidingSecrets(of: response.request, and: secrets.values) }
  }

  /// The failure for a wrong response.
  /// - Parameter page: the number of the page, from 1.
  func failure(_ error: NextError, _ response: HTTPResponse, page: Int) -> ToolFailure {
    var error = error
    if options.walk.items == .lines { error.offset = error.offset.map { max($0 - LinePage.shift, 0) } }
    let failure = error.failure(in: response.url.display, page: page, isLocal: false, body: response.body)
    return safe(failure, about: response)
  }

  /// The failure for a status that means no page.
  private func refusal(_ response: HTTPResponse, _ url: HTTPURL) -> ToolFailure {
    refused = response
    let problem = response.head.status == 206 ? StatusPolicy.part : nil
    let refusal = Refusal(response.head, problem, body: response.body, to: response.request, hiding: secrets.values)
    return .failed(StatusPolicy.exitStatus(refusal.status), refusal.message, source: url.display)
  }

  // MARK: Several requests at once

  /// Makes a request.
  private func start(_ request: PageRequest, _ url: HTTPURL, _ ifNoneMatch: [UInt8]? = nil) {
    if let problem = http.readAgain(), !http.isSilent { streams.say(problem) }
    lastStart = Clock.monotonic()
    requests.start(request, self.request(request, url, ifNoneMatch))
  }

  /// Waits for the response to a request, and makes others meanwhile.
  private func finished(of request: PageRequest, _ ahead: [PageRequest]) throws(ToolFailure) -> FinishedRequest {
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
  private func waitForPlace() throws(ToolFailure) {
    while requests.flyingCount >= width { _ = try look(at: nil, until: nil) }
  }

  /// Drops the responses of requests that were made ahead.
  func forget(except kept: [PageRequest] = [], because reason: String) {
    for finished in requests.drop(except: kept) {
      log((finished?.words ?? "a request in progress") + ", dropped: " + reason, home)
    }
  }

  /// Makes no more than one request at a time from now on.
  func slowDown(because reason: String) {
    guard width > 1 else { return }
    width = 1
    log("one request at a time from now on: " + reason, home)
  }

  /// Makes as many of some requests as are allowed now.
  /// - Returns: when to come again for the next; nil if there is no such time.
  private func startSome(of ahead: [PageRequest]) throws(ToolFailure) -> Double? {
    for request in ahead where !requests.contains(request) {
      // A page of the responses that wait is held in memory.
      guard requests.count < width, Double(requests.flyingCount) < left ?? .infinity else { return nil }
      if lastResponse != nil, earliestStart > Clock.monotonic() { return earliestStart }
      start(request, try Self.url(of: request))
    }
    return nil
  }

  /// Reads what has come. If no response was completed by that, waits once.
  private func look(at wanted: PageRequest?, until deadline: Double?) throws(ToolFailure) -> FinishedRequest? {
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
  private func note(_ request: PageRequest, isWanted: Bool) {
    guard let finished = requests.finished(of: request) else { return }
    var asked = finished.asked
    if finished.isThrottled {
      slowDown(because: finished.words)
      // The wanted response is judged soon, like any other refusal.
      if isWanted { return }
      if asked.seconds == 0 { asked.extend(to: Self.pauseAfterRefusal, finished.words) }
      requests.drop(request)
    } else if finished.verdict != .taken {
      return
    }
    left = asked.left
    let end = finished.time + asked.seconds
    if end >= pause.end { pause = (asked, end) }
  }

  // MARK: Waiting

  private func wait(until deadline: Double) throws(ToolFailure) {
    while true {
      let left = deadline - Clock.monotonic()
      if left <= 0 { return progress.clear() }
      progress.show(waiting: left)
      // The seconds are counted down if a terminal shows them.
      let step = progress.isShown ? min(left, 1) : left
      if try requests.sleep(until: Clock.monotonic() + step) != nil { throw .brokenPipe }
    }
  }

  /// Waits as long as the server asked an earlier run to.
  func hold(until deadline: Double, _ url: HTTPURL) throws(ToolFailure) {
    let left = deadline - Clock.monotonic()
    if left > 0 { try notes.print(.held, url.display, delay: left, "the server has asked an earlier run to wait") }
    try wait(until: deadline)
  }

  /// When the next request may be made, by the monotonic clock. With several at once, the delay is between their starts.
  private var earliestStart: Double {
    max(pause.end, (options.parallel > 1 ? lastStart : lastResponse ?? 0) + options.delay)
  }
  /// When the next request is allowed, by the monotonic clock; nil before the first response.
  var nextRequestTime: Double? { lastResponse == nil ? nil : earliestStart }

  /// Waits until the next request is allowed.
  private func wait(before url: HTTPURL) throws(ToolFailure) {
    guard lastResponse != nil else { return }
    let (asked, deadline) = (pause.asked, earliestStart)
    if asked.seconds > options.maxWait { throw tooLong(asked, url.display) }
    let left = deadline - Clock.monotonic()
    if left > 0 {
      log("waiting \(secondsText(left)) s" + (asked.seconds > 0 ? " (\(asked.reason))" : ""), url)
      if asked.seconds > 0 { try notes.print(.held, url.display, delay: left, asked.reason) }
      try wait(until: deadline)
    }
  }

  /// Reports a failure and waits, for as long as the server asked or as the policy says.
  /// - Throws: the failure itself after too many of them, and another one if the server asks for too long a wait.
  private func retry(after failure: ToolFailure, _ asked: AskedWait) throws(ToolFailure) {
    guard case .wait(let seconds, let isReported) = policy.fail(asked: asked.seconds) else {
      throw .failed(asked.seconds > 0 ? .tryAgain : failure.status, failure.diagnostic.adding(policy.gaveUp))
    }
    if asked.seconds > options.maxWait { throw tooLong(asked, failure.diagnostic.source) }
    if isReported || options.isVerbose, !http.isSilent {
      streams.say(failure.diagnostic.adding(RetryPolicy.words("retrying", in: seconds)))
    }
    try notes.print(.retrying, failure.diagnostic.source ?? "", delay: seconds, failure.message)
    try wait(until: Clock.monotonic() + seconds)
  }

  /// The wait is remembered, so that a later run does not ask earlier than the server wants.
  private func tooLong(_ asked: AskedWait, _ source: String?) -> ToolFailure {
    retryWait = Int(min(asked.seconds, 1e9).rounded(.up))
    let words = "asked to wait \(secondsText(asked.seconds)) s (\(asked.reason))"
    return .failed(.tryAgain, "\(words), more than \(secondsText(options.maxWait)) s (--max-wait)", source: source)
  }

  /// Names something that does not come.
  private func warn(_ report: SilentWait.Report, _ text: String, _ url: HTTPURL) throws(ToolFailure) {
    try notes.print(.waiting, url.display, text)
    guard report.isFirst || options.isVerbose, !options.http.isSilent else { return }
    streams.say(Diagnostic(text, source: url.display))
  }

  /// Reports what only `-v` shows.
  func log(_ message: String, _ url: HTTPURL) {
    if options.isVerbose { streams.say(Diagnostic(message, source: url.display)) }
  }

  /// Reports something about a feed that is read for the first time. `-s` keeps only the reason for an exit status.
  func note(_ message: String, _ url: HTTPURL, isReasonForStatus: Bool = false) {
    if isReasonForStatus || !options.http.isSilent { streams.say(Diagnostic(message, source: url.display)) }
  }

  /// Reports the options that were detected, but not given.
  func log(_ shape: Shape?, beyond options: WalkOptions, _ url: HTTPURL) {
    if let found = shape?.explained(beyond: options), !found.isEmpty { log(found, url) }
  }

  // MARK: The request

  /// The request as it is sent: what all pages share comes from the command line.
  private func request(_ page: PageRequest, _ url: HTTPURL, _ ifNoneMatch: [UInt8]?) -> HTTPRequest {
    var request = http.request(url, contentType: page.hasJSONBody ? "application/json" : nil)
    // The URL of a page has no name and password: those of the first URL are meant for every page.
    if request.credentials.user == nil, case .url(let first) = options.source {
      request.credentials.user = first.user
      request.credentials.password = first.password
    }
    request.method = page.method
    // Whatever its method, the request of a page is a query.
    request.mayRepeat = true
    request.body = page.body
    // The first request may have had no body.
    if page.hasJSONBody { request.setDefault("Content-Type", Array("application/json".utf8)) }
    request.bodyWithoutSecrets = page.body.map { secrets.redacted($0) ?? [] }
    if !origin.sendsSecrets(to: url) { request.removeSecrets() }
    for header in page.headers { request.set(String(decoding: header.name, as: UTF8.self), header.value) }
    if let ifNoneMatch { request.setDefault("If-None-Match", ifNoneMatch) }
    // What `--filter` reads is known to nobody but the user.
    let accepted = options.filterCommand == nil ? "application/json, */*;q=0.5" : "*/*"
    request.setDefault("Accept", Array(accepted.utf8))
    return request
  }
}

extension Walker {
  /// The walk of a command line.
  init(_ options: WalkOptions, asking first: PageRequest?) throws(ToolFailure) {
    // Before the first page, only the options can be wrong.
    do { try self.init(options, first: first) } catch { throw .usage(error.message) }
  }
}

extension PageRequest {
  /// The request of a command line.
  init(first request: HTTPRequest) {
    self.init(url: Array(request.url.text.utf8), method: request.method, body: request.body)
  }
}
