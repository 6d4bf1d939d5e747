// One URL that is polled: what is known of its last body, what an answer means, and when to ask again. The poller has
// the clock and the network.

import FeedCore
import FeedHTTP

/// The result of an answer.
enum PollResult {
  /// A body that differs from the last one.
  case changed(PolledBody)
  /// The same as the last one.
  /// - Parameter body: nil if the server did not send it (304).
  case unchanged(PolledBody?)
  /// There is no body (HTTP 204 or 205, or a success with nothing).
  case empty
}

struct Resource {
  /// The statuses of servers that cannot read a head, find it too large, or refuse a condition.
  private static let headRefusals: Set<Int> = [400, 412, 413, 431]

  /// Its name from `--urls` or `--source`; valid UTF-8.
  let name: [UInt8]?
  let url: HTTPURL
  private(set) var known: KnownBody
  private var polls: PollSchedule
  /// The wait for the head of an answer.
  var answerWait = SilentWait()
  /// Whether an answer was accepted and no poll has failed since.
  private(set) var isOpen = false
  private(set) var hasSucceeded = false
  /// Whether it will not be requested again.
  var isOver = false
  var hasToldEmpty = false

  init(_ url: HTTPURL, name: [UInt8]? = nil, known: KnownBody = KnownBody(), due: Double, _ policy: RetryPolicy) {
    self.url = url
    self.name = name
    self.known = known
    polls = PollSchedule(due: due, policy)
  }

  /// The time of the next request, by the monotonic clock.
  var due: Double { polls.due }
  /// For the end of a message, after giving up.
  var gaveUp: String { polls.gaveUp }

  mutating func begin(at now: Double) { polls.begin(at: now) }

  /// Ends the polls of this resource.
  mutating func end() {
    isOpen = false
    isOver = true
  }

  // MARK: Answers

  /// Handles an answer.
  /// - Parameters:
  ///   - id: makes the id of a new body from its validators and digest.
  mutating func take(
    _ answer: HTTPAnswer, _ options: Options, id: (Validators?, [UInt8]) -> [UInt8]
  ) throws(PollFailure) -> PollResult {
    let result = try judge(answer, options, id)
    isOpen = true
    hasSucceeded = true
    polls.recover()
    return result
  }

  private mutating func judge(
    _ answer: HTTPAnswer, _ options: Options, _ id: (Validators?, [UInt8]) -> [UInt8]
  ) throws(PollFailure) -> PollResult {
    switch StatusPolicy().verdict(answer.head, to: answer.request) {
    case .empty: return .empty
    case .taken: return answer.body.isEmpty ? .empty : try read(answer, options, id)
    case .retried, .final: break
    }
    switch answer.head.status {
    case 304 where answer.request.isConditional:
      known.validators = known.validators?.confirmed(by: answer.head)
      return .unchanged(nil)
    case 206, 304:
      // Such a server is unreliable, so the next request asks for the whole body.
      known.validators = nil
      throw refusal(answer, answer.head.status == 304 ? "unexpected HTTP 304" : StatusPolicy.part)
    case let status where Self.headRefusals.contains(status):
      // Perhaps the server cannot handle the condition.
      known.validators = nil
      throw refusal(answer, nil)
    default: throw refusal(answer, nil)
    }
  }

  private mutating func read(
    _ answer: HTTPAnswer, _ options: Options, _ id: (Validators?, [UInt8]) -> [UInt8]
  ) throws(PollFailure) -> PollResult {
    if let problem = known.type?.problem(answer.head) {
      let title = AnswerForm.name(of: answer).map { ": " + $0 } ?? ""
      let failure = ToolFailure.failed(.otherEnd, problem + title, source: answer.url.display)
      throw content(failure.saying { $0.hidingSecrets(of: answer.request, and: []) })
    }
    let type = known.type ?? BodyType(options.form, answer.head)
    let body: PolledBody
    do {
      body = try PolledBody(answer, as: type.form, maxDepth: options.maxDepth, asRecord: options.printsRecords)
    } catch {
      throw content(error)
    }
    let digest = body.digest
    known.validators = Validators(answer.head, of: answer.url, now: Int(Clock.now() / 1_000_000))
    known.type = type
    if digest == known.digest { return .unchanged(body) }
    known.digest = digest
    // The validators of another URL cannot be used here, and an id does not say which URL it belongs to.
    known.id = id(answer.url == url ? known.validators : nil, digest)
    return .changed(body)
  }

  private func content(_ failure: ToolFailure) -> PollFailure { PollFailure(failure: failure, kind: .content) }

  private func refusal(_ answer: HTTPAnswer, _ problem: String?) -> PollFailure {
    let refusal = Refusal(answer.head, problem, body: answer.body, to: answer.request)
    let status = StatusPolicy.exitStatus(refusal.status)
    return PollFailure(
      failure: .failed(status, refusal.message, source: answer.url.display), kind: .status(answer.head),
      asked: min(AskedWait(answer.head).seconds, AskedWait.longest))
  }

  // MARK: When to ask again

  /// Sets the time of the next poll after an answer.
  /// - Parameters:
  ///   - random: from 0 to 1.
  mutating func schedule(
    after head: HTTPHead, every interval: Interval, jitter: Double, now: Double, random: Double
  ) {
    polls.succeed(head, every: interval, jitter: jitter * random, now: now)
  }

  /// Sets the time of the next poll after a failure.
  /// - Returns: how long to wait, and whether to report it; nil to give up.
  mutating func fail(_ failure: PollFailure, now: Double) -> (seconds: Double, isTold: Bool)? {
    isOpen = false
    return polls.fail(failure, now: now)
  }
}
