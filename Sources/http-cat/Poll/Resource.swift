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
}

/// A URL of the command line, or one of the list.
struct Resource {
  /// The statuses of servers that cannot read a head, find it too large, or refuse a condition.
  private static let headRefusals: Set<Int> = [400, 412, 413, 431]

  /// Its name from `--urls` or `--source`; valid UTF-8.
  let name: [UInt8]?
  let url: HTTPURL
  private(set) var known: KnownBody
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

  init(_ url: HTTPURL, name: [UInt8]? = nil, known: KnownBody = KnownBody(), due: Double, _ policy: RetryPolicy) {
    self.url = url
    self.name = name
    self.known = known
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
    let result = try judge(response, options, id)
    isOpen = true
    hasSucceeded = true
    polls.recover()
    return result
  }

  private mutating func judge(
    _ response: HTTPResponse, _ options: Options, _ id: (Validators?, [UInt8]) -> [UInt8]
  ) throws(PollFailure) -> PollResult {
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
    let digest = body.digest
    known.validators = Validators(response.head, of: response.url, now: Int(Clock.now() / 1_000_000))
    known.type = type
    if digest == known.digest { return .unchanged(body) }
    known.digest = digest
    // The validators of another URL cannot be used here, and an id does not say which URL it belongs to.
    known.id = id(response.url == url ? known.validators : nil, digest)
    return .changed(body)
  }

  private func content(_ failure: ToolFailure) -> PollFailure { PollFailure(failure: failure, kind: .content) }

  private func refusal(_ response: HTTPResponse, _ problem: String?) -> PollFailure {
    let refusal = Refusal(response.head, problem, body: response.body, to: response.request)
    let status = StatusPolicy.exitStatus(refusal.status)
    return PollFailure(
      failure: .failed(status, refusal.message, source: response.url.display), kind: .status(response.head),
      asked: min(AskedWait(response.head).seconds, AskedWait.longest))
  }

  /// Sets the time of the next poll after a failure.
  /// - Returns: how long to wait, and whether to report it; nil to give up.
  mutating func fail(_ failure: PollFailure, now: Double) -> (seconds: Double, isReported: Bool)? {
    isOpen = false
    return polls.fail(failure, now: now)
  }
}
