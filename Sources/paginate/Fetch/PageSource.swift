// Pages from a server: requested politely, and again after a temporary failure.

import FeedCore
import FeedHTTP

struct PageSource {
  /// The shortest wait after a failure, in seconds.
  private static let shortestPause = 0.5
  private static let longestPause = 60.0

  private let options: Options
  private var http: HTTPOptions
  private let origin: OriginRules
  private let streams: StandardStreams
  private let exchange: Exchange
  private let secrets: SecretParameters
  /// The line shown during a wait.
  var progress: Progress
  private var notes: NotePrinter
  private var policy: RetryPolicy
  /// The wait that the last answer asked for, counted from its arrival.
  private var politeness: (wait: Double, reason: String) = (0, "")
  private var lastAnswer: Double?
  /// Seconds for which the server wants no request, if that ended the walk.
  private(set) var retryWait: Int?
  /// What kind of failure ended the walk, if one did.
  private(set) var failureKind = PollFailure.Kind.content
  /// The head of the first answer with a page, or that said that it has not changed.
  private(set) var firstHead: HTTPHead?

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
    exchange = Exchange(
      client: client, interrupts: Interrupts(streams.output),
      limits: HTTPExchange.Limits(
        noun: "page", maxSize: options.maxSize, idleTimeout: options.idleTimeout,
        requestTimeout: options.requestTimeout))
  }

  /// A client for a feed, or for several runs on one.
  static func client() throws(ToolFailure) -> HTTPClient { try HTTPClient(keepsCookies: true) }

  /// The answer to a request: a page.
  /// - Parameter ifNoneMatch: an ETag that makes the request conditional.
  /// - Returns: nil if the page has not changed (304).
  mutating func page(
    _ request: PageRequest, ifNoneMatch: [UInt8]? = nil
  ) throws(ToolFailure) -> (answer: HTTPAnswer, document: JSONDocument)? {
    let url: HTTPURL
    do { url = try HTTPURL(request.url) } catch { throw .failed(.otherEnd, "the next link is malformed") }
    try wait(before: url)
    while true {
      let start = Clock.monotonic()
      if let problem = http.readAgain(), !http.isSilent { streams.say(problem) }
      progress.show()
      let outcome = exchange.run(self.request(request, url, ifNoneMatch))
      progress.clear()
      switch outcome {
      case .interrupted: throw .brokenPipe
      case .failed(let error):
        failureKind = .network(error.kind)
        guard error.isRetryable else { throw error.failure(url.display) }
        try retry(after: error.failure(url.display), asked: 0, "")
      case .answered(let answer):
        lastAnswer = Clock.monotonic()
        if answer.head.status == 304, ifNoneMatch != nil {
          firstHead = firstHead ?? answer.head
          tell("HTTP 304", url)
          return nil
        }
        if let document = try judge(answer, url, seconds: Clock.monotonic() - start) { return (answer, document) }
      }
    }
  }

  /// - Returns: the page in the answer; nil to ask again.
  private mutating func judge(
    _ answer: HTTPAnswer, _ url: HTTPURL, seconds: Double
  ) throws(ToolFailure) -> JSONDocument? {
    var document: JSONDocument?
    var fault: ToolFailure?
    do { document = try JSONDocument(parsing: answer.body, maxDepth: options.maxDepth) } catch {
      let form = AnswerForm.name(of: answer)
      fault =
        form.map { .failed(.otherEnd, "expected JSON, found \($0)", source: url.display) }
        ?? .malformed(error, in: answer.body, of: url.display, status: .otherEnd)
    }
    failureKind = .status(answer.head.status)
    let now = Clock.now()
    let asked = Politeness(answer.head, document, now: now)
    tell("HTTP \(answer.head.status), \(answer.body.count) bytes in \(milliseconds(seconds)) ms", url)
    switch Politeness.verdict(answer.head, document, now: now) {
    case .page:
      policy.succeed()
      policy.recover()
      failureKind = .content
      firstHead = firstHead ?? answer.head
      progress.pages += 1
      politeness = (asked.wait, asked.reason)
      if answer.body.isEmpty {
        throw .failed(.otherEnd, "expected a page, found nothing (HTTP \(answer.head.status))", source: url.display)
      }
      if let fault { throw safe(fault, about: answer) }
      return document
    case .retry:
      try retry(after: refusal(answer, url), asked: asked.wait, asked.reason)
      return nil
    case .failure: throw refusal(answer, url)
    }
  }

  /// The failure, without secrets that the answer quotes.
  func safe(_ failure: ToolFailure, about answer: HTTPAnswer) -> ToolFailure {
    failure.saying { $0.hidingSecrets(of: answer.request, and: secrets.values) }
  }

  /// The failure for a wrong answer.
  /// - Parameter page: the number of the page, from 1.
  func failure(_ error: WalkError, _ answer: HTTPAnswer, page: Int) -> ToolFailure {
    safe(error.failure(in: answer.url.display, page: page, isLocal: false, body: answer.body), about: answer)
  }

  private func refusal(_ answer: HTTPAnswer, _ url: HTTPURL) -> ToolFailure {
    let refusal = Refusal(answer.head, body: answer.body, to: answer.request, hiding: secrets.values)
    return .failed(refusal.status == 429 ? .later : .otherEnd, refusal.message, source: url.display)
  }

  // MARK: Waiting

  private mutating func wait(until deadline: Double) throws(ToolFailure) {
    while true {
      let left = deadline - Clock.monotonic()
      if left <= 0 { return progress.clear() }
      progress.show(waiting: left)
      // The seconds are counted down if a terminal shows them.
      let step = progress.isShown ? min(left, 1) : left
      if try exchange.interrupts.sleep(until: Clock.monotonic() + step) != nil { throw .brokenPipe }
    }
  }

  /// Waits as long as the server asked an earlier run to.
  mutating func hold(until deadline: Double, _ url: HTTPURL) throws(ToolFailure) {
    let left = deadline - Clock.monotonic()
    if left > 0 { try notes.print(.held, url.display, delay: left, "the server has asked an earlier run to wait") }
    try wait(until: deadline)
  }

  /// When the next request is allowed, by the monotonic clock; nil before the first answer.
  var nextMoment: Double? { lastAnswer.map { $0 + max(politeness.wait, options.delay) } }

  /// Waits until the next request is allowed.
  private mutating func wait(before url: HTTPURL) throws(ToolFailure) {
    guard let lastAnswer else { return }
    let wanted = max(politeness.wait, options.delay)
    if politeness.wait > options.maxWait { throw tooLong(politeness.wait, politeness.reason, url.display) }
    let left = lastAnswer + wanted - Clock.monotonic()
    if left > 0 {
      tell("waiting \(secondsText(left)) s" + (politeness.wait > 0 ? " (\(politeness.reason))" : ""), url)
      if politeness.wait > 0 { try notes.print(.held, url.display, delay: left, politeness.reason) }
      try wait(until: lastAnswer + wanted)
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
    if let found = shape?.found(beyond: options), !found.isEmpty { tell("found \(found)", url) }
  }

  // MARK: The request

  private func request(_ page: PageRequest, _ url: HTTPURL, _ ifNoneMatch: [UInt8]?) -> HTTPRequest {
    var request = http.request(url, contentType: page.hasJSONBody ? "application/json" : nil)
    // The URL of a page has no name and password: those of the first URL are meant for every page.
    if request.credentials.user == nil, case .url(let first) = options.source {
      request.credentials.user = first.user
      request.credentials.password = first.password
    }
    request.method = page.method
    request.body = page.body
    request.bodyWithoutSecrets = page.body.map { secrets.redacted($0) ?? [] }
    if !origin.sendsSecrets(to: url) { request.removeSecrets() }
    for header in page.headers { request.set(String(decoding: header.name, as: UTF8.self), header.value) }
    if let ifNoneMatch { request.setDefault("If-None-Match", ifNoneMatch) }
    request.setDefault("Accept", Array("application/json, */*;q=0.5".utf8))
    return request
  }
}

private func milliseconds(_ seconds: Double) -> Int { Int(min(seconds, 1e9) * 1000) }
