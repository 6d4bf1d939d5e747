// Pages from a server: requested politely, and again after a temporary failure.

import FeedCore
import FeedHTTP

struct PageSource {
  /// The shortest wait after a failure, in seconds.
  private static let shortestPause = 0.5
  private static let longestPause = 60.0

  let options: Options
  var http: HTTPOptions
  private let origin: OriginRules
  let streams: StandardStreams
  var flights: Flights
  /// How many requests may be in progress at once.
  var width: Int
  private let secrets: SecretParameters
  /// The line shown during a wait.
  var progress: Progress
  private var notes: NotePrinter
  private var policy: RetryPolicy
  /// The wait for the head of an answer.
  var answerWait = SilentWait()
  /// The wait that an answer asked for, and its end by the monotonic clock.
  var pause = (wait: 0.0, reason: "", end: 0.0)
  /// How many more requests the server allows now; nil if it does not say.
  var left: Double?
  var lastStart = 0.0
  var lastAnswer: Double?
  /// Seconds for which the server wants no request, if that ended the walk.
  private(set) var retryWait: Int?
  /// What kind of failure ended the walk, if one did.
  private(set) var failureKind = PollFailure.Kind.content
  /// The head of the first answer with a page, or that said that it has not changed.
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
    self.options = options
    http = options.http
    self.origin = origin
    self.streams = streams
    policy = RetryPolicy(base: Self.shortestPause, .spread(longest: Self.longestPause), retries: options.retries)
    width = options.parallel
    flights = Flights(
      client, Interrupts(streams.output),
      HTTPExchange.Limits(
        noun: "page", maxSize: options.maxSize, idleTimeout: options.idleTimeout,
        requestTimeout: options.requestTimeout),
      PageText(itemsAreLines: options.walk.items == .lines, maxDepth: options.maxDepth))
  }

  /// A page as a server sent it.
  struct Found {
    let answer: HTTPAnswer
    /// Nil if there is no such page.
    let document: JSONDocument?
    /// Whether the request was made before its page was wanted.
    let wasAhead: Bool
  }

  /// A client for a feed, or for several runs on one.
  static func client() throws(ToolFailure) -> HTTPClient { try HTTPClient(keepsCookies: true) }

  /// The answer to a request: a page.
  /// - Parameters:
  ///   - ifNoneMatch: an ETag that makes the request conditional.
  ///   - endStatuses: the statuses that mean that there is no such page.
  ///   - ahead: the requests that will probably follow. Some are made now, others of earlier calls are dropped.
  /// - Returns: nil if the page has not changed (304).
  mutating func page(
    _ request: PageRequest, ifNoneMatch: [UInt8]? = nil, endStatuses: StatusSet = .none, ahead: [PageRequest] = []
  ) throws(ToolFailure) -> Found? {
    let url = try Self.url(of: request)
    forget(except: [request] + ahead, because: "not wanted any more")
    var wasAhead = flights.contains(request)
    var isRetry = false
    while true {
      if !flights.contains(request) {
        try waitForPlace()
        // A retry has waited already, but the answer to another request may have asked for more.
        if !isRetry || options.parallel > 1 { try wait(before: url) }
        start(request, url, ifNoneMatch)
      }
      progress.show()
      let arrival = try arrival(of: request, ahead)
      progress.clear()
      lastAnswer = Clock.monotonic()
      if wasAhead, arrival.isFinal {
        // The feed may have changed since then. Only an answer to a request that is made now is final.
        tell(arrival.words + ", asking again", url)
        flights.drop(request)
        wasAhead = false
        continue
      }
      flights.drop(request)
      switch arrival.landing {
      case .failed(let error):
        failureKind = .network(error.kind)
        guard error.isRetryable else { throw error.failure(url.display) }
        try retry(after: error.failure(url.display), asked: 0, "")
      case .answered(let answer):
        if answer.head.status == 304, ifNoneMatch != nil {
          firstHead = firstHead ?? answer.head
          tell("HTTP 304", url)
          return nil
        }
        if endStatuses.contains(answer.head.status) {
          tell("HTTP \(answer.head.status), past the last page (--end-status)", url)
          return Found(answer: answer, document: nil, wasAhead: wasAhead)
        }
        if arrival.verdict == .empty {
          tell("HTTP \(answer.head.status): no items", url)
          return Found(answer: answer, document: nil, wasAhead: wasAhead)
        }
        if let document = try judge(arrival, answer, url) {
          return Found(answer: answer, document: document, wasAhead: wasAhead)
        }
      }
      wasAhead = false
      isRetry = true
    }
  }

  static func url(of request: PageRequest) throws(ToolFailure) -> HTTPURL {
    do { return try HTTPURL(request.url) } catch { throw .failed(.otherEnd, "the next link is malformed") }
  }

  /// - Returns: the page in the answer; nil to ask again.
  private mutating func judge(
    _ arrival: Arrival, _ answer: HTTPAnswer, _ url: HTTPURL
  ) throws(ToolFailure) -> JSONDocument? {
    tell(arrival.words, url)
    failureKind = .status(answer.head)
    switch arrival.verdict {
    case .taken:
      policy.succeed()
      policy.recover()
      failureKind = .content
      firstHead = firstHead ?? answer.head
      progress.pages += 1
      if answer.body.isEmpty, options.walk.items != .lines {
        throw .failed(.otherEnd, "expected a page, found nothing (HTTP \(answer.head.status))", source: url.display)
      }
      if let fault = arrival.fault {
        let mayBeLines = fault.kind == .textAfterDocument || MediaKind(answer.head) == .jsonLines
        let hint = mayBeLines && options.walk.items != .lines ? " (--items lines, if each line is an item)" : ""
        throw safe(AnswerForm.failure(fault, in: answer).adding(hint), about: answer)
      }
      return arrival.document
    case .retried:
      try retry(after: refusal(answer, url), asked: arrival.asked.seconds, arrival.asked.reason)
      return nil
    case .empty, .final: throw refusal(answer, url)
    }
  }

  /// The failure, without secrets that the answer quotes.
  func safe(_ failure: ToolFailure, about answer: HTTPAnswer) -> ToolFailure {
    failure.saying { $0.hidingSecrets(of: answer.request, and: secrets.values) }
  }

  /// The failure for a wrong answer.
  /// - Parameter page: the number of the page, from 1.
  func failure(_ error: WalkError, _ answer: HTTPAnswer, page: Int) -> ToolFailure {
    let shift = options.walk.items == .lines ? LinePage.shift : 0
    let error = WalkError(error.kind, error.message, at: error.offset.map { max($0 - shift, 0) })
    return safe(error.failure(in: answer.url.display, page: page, isLocal: false, body: answer.body), about: answer)
  }

  private func refusal(_ answer: HTTPAnswer, _ url: HTTPURL) -> ToolFailure {
    let problem = answer.head.status == 206 ? StatusPolicy.part : nil
    let refusal = Refusal(answer.head, problem, body: answer.body, to: answer.request, hiding: secrets.values)
    return .failed(StatusPolicy.exitStatus(refusal.status), refusal.message, source: url.display)
  }

  // MARK: Waiting

  private mutating func wait(until deadline: Double) throws(ToolFailure) {
    while true {
      let left = deadline - Clock.monotonic()
      if left <= 0 { return progress.clear() }
      progress.show(waiting: left)
      // The seconds are counted down if a terminal shows them.
      let step = progress.isShown ? min(left, 1) : left
      if try flights.sleep(until: Clock.monotonic() + step) != nil { throw .brokenPipe }
    }
  }

  /// Waits as long as the server asked an earlier run to.
  mutating func hold(until deadline: Double, _ url: HTTPURL) throws(ToolFailure) {
    let left = deadline - Clock.monotonic()
    if left > 0 { try notes.print(.held, url.display, delay: left, "the server has asked an earlier run to wait") }
    try wait(until: deadline)
  }

  /// When the next request may be made, by the monotonic clock. With several at once, the delay is between their starts.
  var nextStart: Double {
    max(pause.end, (options.parallel > 1 ? lastStart : lastAnswer ?? 0) + options.delay)
  }
  /// When the next request is allowed, by the monotonic clock; nil before the first answer.
  var nextMoment: Double? { lastAnswer == nil ? nil : nextStart }

  /// Waits until the next request is allowed.
  private mutating func wait(before url: HTTPURL) throws(ToolFailure) {
    guard lastAnswer != nil else { return }
    if pause.wait > options.maxWait { throw tooLong(pause.wait, pause.reason, url.display) }
    let deadline = nextStart
    let left = deadline - Clock.monotonic()
    if left > 0 {
      tell("waiting \(secondsText(left)) s" + (pause.wait > 0 ? " (\(pause.reason))" : ""), url)
      if pause.wait > 0 { try notes.print(.held, url.display, delay: left, pause.reason) }
      try wait(until: deadline)
    }
  }

  private mutating func retry(after failure: ToolFailure, asked: Double, _ reason: String) throws(ToolFailure) {
    guard case .wait(let seconds, let isTold) = policy.fail(asked: asked) else {
      throw .failed(asked > 0 ? .later : failure.status, failure.diagnostic.adding(policy.gaveUp))
    }
    if asked > options.maxWait { throw tooLong(asked, reason, failure.diagnostic.source) }
    if isTold || options.isVerbose, !http.isSilent {
      streams.say(failure.diagnostic.adding(RetryPolicy.words("retrying", in: seconds)))
    }
    try notes.print(.retrying, failure.diagnostic.source ?? "", delay: seconds, failure.message)
    try wait(until: Clock.monotonic() + seconds)
  }

  private mutating func tooLong(_ seconds: Double, _ reason: String, _ source: String?) -> ToolFailure {
    retryWait = Int(min(seconds, 1e9).rounded(.up))
    let text = "asked to wait \(secondsText(seconds)) s (\(reason)), more than \(secondsText(options.maxWait)) s"
    return .failed(.later, text + " (--max-wait)", source: source)
  }

  /// Names something that does not come.
  mutating func warn(_ report: SilentWait.Report, _ text: String, _ url: HTTPURL) throws(ToolFailure) {
    try notes.print(.waiting, url.display, text)
    guard report.isFirst || options.isVerbose, !options.http.isSilent else { return }
    streams.say(Diagnostic(text, source: url.display))
  }

  /// Reports what only `-v` shows.
  func tell(_ message: String, _ url: HTTPURL) {
    if options.isVerbose { streams.say(Diagnostic(message, source: url.display)) }
  }

  /// Reports something about a feed that is read for the first time. `-s` keeps only the reason for an exit status.
  func note(_ message: String, _ url: HTTPURL, isReasonForStatus: Bool = false) {
    if isReasonForStatus || !options.http.isSilent { streams.say(Diagnostic(message, source: url.display)) }
  }

  /// Reports the options that were detected, but not given.
  func tell(_ shape: Shape?, beyond options: WalkOptions, _ url: HTTPURL) {
    if let found = shape?.explained(beyond: options), !found.isEmpty { tell(found, url) }
  }

  // MARK: The request

  func request(_ page: PageRequest, _ url: HTTPURL, _ ifNoneMatch: [UInt8]?) -> HTTPRequest {
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
    request.setDefault("Accept", Array("application/json, */*;q=0.5".utf8))
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
