// One URL that is polled: what is known of its last body, what a response means, and when to ask again. The poller has
// the clock and the network.

import FeedCore
import FeedHTTP

/// The result of a response.
enum PollResult {
  /// A body that differs from the last one.
  case changed(PolledBody)
  /// The same as the last one.
  /// - Parameter body: nil if the server did not send it (304).
  case unchanged(PolledBody?)
  /// There is no body (HTTP 204 or 205, or a success with nothing).
  case empty
  /// The server has forgotten the value of the request (`--gone`, `--gone-match`).
  case gone(reason: String?)
}

/// A URL of the command line, or one of the list.
struct Resource {
  /// The statuses of servers that cannot read a head, find it too large, or refuse a condition.
  private static let headRefusals: Set<Int> = [400, 412, 413, 431]

  /// Its name from `--urls` or `--source`; valid UTF-8.
  let name: [UInt8]?
  let url: HTTPURL
  private(set) var known: KnownBody
  /// What goes into the next request.
  private(set) var values: KeptValues
  /// When it is requested.
  var polls: PollSchedule
  /// The wait for the head of a response.
  var responseWait = SilentWait()
  /// Whether a response was accepted and no poll has failed since.
  private(set) var isOpen = false
  private(set) var hasSucceeded = false
  /// Whether it will not be requested again.
  var isOver = false
  var hasReportedEmpty = false

  /// Whether the last response brought a new value.
  private var hasNewValue = false
  /// How many responses in a row came at once and brought no new value, with `--every 0`.
  private var idleCount = 0

  init(
    _ url: HTTPURL, name: [UInt8]? = nil, known: KnownBody = KnownBody(), _ values: KeptValues = KeptValues(),
    due: Double,
    _ policy: RetryPolicy
  ) {
    self.url = url
    self.name = name
    self.known = known
    self.values = values
    polls = PollSchedule(due: due, policy)
  }

  /// Ends the polls of this resource.
  mutating func end() {
    isOpen = false
    isOver = true
  }

  // MARK: Responses

  /// Handles a response.
  /// - Parameters:
  ///   - id: makes the id of a new body from its validators and digest.
  mutating func take(
    _ response: HTTPResponse, _ options: Options, id: (Validators?, [UInt8]) -> [UInt8]
  ) throws(PollFailure) -> PollResult {
    hasNewValue = false
    let result = try judge(response, options, id)
    if case .gone = result { return result }
    isOpen = true
    hasSucceeded = true
    polls.recover()
    return result
  }

  private mutating func judge(
    _ response: HTTPResponse, _ options: Options, _ id: (Validators?, [UInt8]) -> [UInt8]
  ) throws(PollFailure) -> PollResult {
    if !values.isEmpty, options.next.isGone(response.head) {
      return .gone(reason: refusal(response, nil).failure.message)
    }
    switch StatusPolicy().verdict(response.head, to: response.request) {
    case .empty: return .empty
    case .taken: return response.body.isEmpty ? .empty : try read(response, options, id)
    case .retried, .final: break
    }
    switch response.head.status {
    case 304 where response.request.isConditional:
      known.validators = known.validators?.confirmed(by: response.head)
      return .unchanged(nil)
    case 206, 304:
      // Such a server is unreliable, so the next request asks for the whole body.
      known.validators = nil
      throw refusal(response, response.head.status == 304 ? "unexpected HTTP 304" : StatusPolicy.part)
    case let status where Self.headRefusals.contains(status):
      // Perhaps the server cannot handle the condition.
      known.validators = nil
      throw refusal(response, nil)
    default: throw refusal(response, nil)
    }
  }

  private mutating func read(
    _ response: HTTPResponse, _ options: Options, _ id: (Validators?, [UInt8]) -> [UInt8]
  ) throws(PollFailure) -> PollResult {
    if let problem = known.type?.problem(response.head) {
      let title = HTTPExcerpt.name(of: response).map { ": " + $0 } ?? ""
      let failure = ToolFailure.failed(.remote, problem + title, source: response.url.display)
      throw content(failure.saying { $0.hidingSecrets(of: response.request, and: []) })
    }
    let type = known.type ?? BodyType(options.form, response.head)
    let body: PolledBody
    do {
      body = try PolledBody(response, as: type.form, maxDepth: options.maxDepth, asRecord: options.printsRecords)
    } catch {
      throw content(error)
    }
    if !values.isEmpty, options.next.isGone(body.root) { return .gone(reason: nil) }
    let isNew = try keepValues(of: body, response, options)
    let digest = body.digest
    known.validators = isNew ? nil : Validators(response.head, of: response.url, now: Int(Clock.now() / 1_000_000))
    known.type = type
    if digest == known.digest, !isNew { return .unchanged(body) }
    known.digest = digest
    if values.isUsed {
      known.id = values.id
      return .changed(body)
    }
    // The validators of another URL cannot be used here, and an id does not say which URL it belongs to.
    known.id = id(response.url == url ? known.validators : nil, digest)
    return .changed(body)
  }

  /// Keeps what goes into the next request.
  /// - Returns: whether a value is new.
  private mutating func keepValues(
    of body: PolledBody, _ response: HTTPResponse, _ options: Options
  ) throws(PollFailure) -> Bool {
    guard values.isUsed else { return false }
    let root = body.root ?? JSONDocument(known: Array("null".utf8)).root
    let answer = NextResponse(
      head: response.head, root: root, request: response.request.page, url: response.url, items: options.items)
    do { hasNewValue = try values.take(answer) } catch { throw content(error.failure(response.url.display)) }
    return hasNewValue
  }

  /// The server has forgotten the values.
  mutating func forget() {
    values.forget()
    known = KnownBody()
  }

  private func content(_ failure: ToolFailure) -> PollFailure { PollFailure(failure: failure, kind: .content) }

  private func refusal(_ response: HTTPResponse, _ problem: String?) -> PollFailure {
    let refusal = Refusal(response.head, problem, body: response.body, to: response.request)
    let status = StatusPolicy.exitStatus(refusal.status)
    return PollFailure(
      failure: .failed(status, refusal.message, source: response.url.display), kind: .status(response.head),
      asked: min(AskedWait(response.head).seconds, AskedWait.longest))
  }

  /// Sets the time of the next poll after a response. With `--every 0`, if the response came at once and has no new
  /// value, each wait is twice as long as the one before.
  /// - Parameter longest: the longest such wait, in seconds.
  mutating func schedule(
    after head: HTTPHead, every interval: Interval, longest: Double, jitter: Double, now: Double
  ) {
    polls.succeed(head, every: interval, jitter: jitter, now: now)
    guard interval.seconds == 0 else { return }
    idleCount = hasNewValue || now - polls.start >= 1 ? 0 : idleCount + 1
    if idleCount > 0 { polls.due = now + min(longest, Double(1 << min(idleCount - 1, 20))) }
  }

  /// Sets the time of the next poll after a failure.
  /// - Returns: how long to wait, and whether to report it; nil to give up.
  mutating func fail(_ failure: PollFailure, now: Double) -> (seconds: Double, isReported: Bool)? {
    isOpen = false
    return polls.fail(failure, now: now)
  }
}
