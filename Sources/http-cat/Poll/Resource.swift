// One URL that is polled: what is known of its last body, what an answer means, and when to ask again. The poller has
// the clock and the network.

import FeedCore
import FeedHTTP

/// The result of an answer.
enum PollResult {
  /// A body that differs from the last one.
  case changed(PolledBody)
  case unchanged
  /// There is no body (HTTP 204, or 200 with nothing).
  case empty
}

/// Why a poll has failed.
struct PollFailure: Error {
  enum Kind: Equatable {
    case network(HTTPError.Kind)
    case status(Int)
    /// The answer came, but is not what was wanted.
    case content
  }

  let failure: ToolFailure
  let kind: Kind
  /// How many seconds the server asks to wait.
  var asked: Double?

  init(failure: ToolFailure, kind: Kind, asked: Double? = nil) {
    self.failure = failure
    self.kind = kind
    self.asked = asked
  }

  init(_ error: HTTPError, of url: HTTPURL) {
    self.init(failure: error.failure(url.display), kind: .network(error.kind))
  }

  /// The cause for `RetryPolicy`.
  var cause: RetryPolicy.Cause { if case .status(let status) = kind { .status(status) } else { .network } }

  /// Whether further polls cannot succeed: the resource is gone (RFC 9110 §15.5.11), or the error is on our side.
  var isFinal: Bool { kind == .status(410) || kind == .network(.local) }

  /// Whether the first poll fails for good: the request is wrong, not the server.
  var isMistake: Bool {
    switch kind {
    case .network(let kind): kind == .permanent
    case .status(let status): (400..<500).contains(status) && ![408, 425, 429].contains(status)
    case .content: false
    }
  }
}

struct Resource {
  /// The longest wait that a server may ask for, in seconds.
  private static let longestAsked = 86_400.0
  /// The statuses of servers that cannot read a head, find it too large, or refuse a condition.
  private static let headRefusals: Set<Int> = [400, 412, 413, 431]

  /// Its name from `--urls` or `--source`; valid UTF-8.
  let name: [UInt8]?
  let url: HTTPURL
  private(set) var known: KnownBody
  /// The time of the next request, by the monotonic clock.
  var due: Double
  /// The time of the last request.
  private(set) var start = 0.0
  /// Whether an answer was accepted and no poll has failed since.
  private(set) var isOpen = false
  private(set) var hasSucceeded = false
  /// Whether it will not be requested again.
  var isOver = false
  var policy: RetryPolicy
  /// The failure that was last reported, so that it is not repeated at each poll.
  private var toldContent = ""
  var hasToldEmpty = false

  init(_ url: HTTPURL, name: [UInt8]? = nil, known: KnownBody = KnownBody(), due: Double, _ policy: RetryPolicy) {
    self.url = url
    self.name = name
    self.known = known
    self.due = due
    self.policy = policy
  }

  mutating func begin(at now: Double) { start = now }

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
    toldContent = ""
    policy.succeed()
    policy.recover()
    return result
  }

  private mutating func judge(
    _ answer: HTTPAnswer, _ options: Options, _ id: (Validators?, [UInt8]) -> [UInt8]
  ) throws(PollFailure) -> PollResult {
    switch answer.head.status {
    case 204: return .empty
    case 200: return answer.body.isEmpty ? .empty : try read(answer, options, id)
    case 304 where answer.request.isConditional:
      known.validators = known.validators?.confirmed(by: answer.head)
      return .unchanged
    case 206, 304:
      // Such a server is unreliable, so the next request asks for the whole body.
      known.validators = nil
      throw refusal(answer, answer.head.status == 304 ? "unexpected HTTP 304" : "HTTP 206: only a part of the body")
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
    if digest == known.digest { return .unchanged }
    known.digest = digest
    // The validators of another URL cannot be used here, and an id does not say which URL it belongs to.
    known.id = id(answer.url == url ? known.validators : nil, digest)
    return .changed(body)
  }

  private func content(_ failure: ToolFailure) -> PollFailure { PollFailure(failure: failure, kind: .content) }

  private func refusal(_ answer: HTTPAnswer, _ problem: String?) -> PollFailure {
    let refusal = Refusal(answer.head, problem, body: answer.body, to: answer.request, isFromProxy: answer.isFromProxy)
    let status: ExitStatus = refusal.status == 429 ? .later : .otherEnd
    return PollFailure(
      failure: .failed(status, refusal.message, source: answer.url.display), kind: .status(refusal.status),
      asked: refusal.retryAfter.map { min($0, Self.longestAsked) })
  }

  // MARK: When to ask again

  /// Sets the time of the next poll after an answer.
  /// - Parameters:
  ///   - random: from 0 to 1.
  mutating func schedule(
    after head: HTTPHead, every interval: Interval, jitter: Double, now: Double, random: Double
  ) {
    switch interval {
    case .fixed(let seconds): due = start + seconds * (1 + jitter * random)
    case .auto: due = now + Freshness.seconds(head) * (1 + jitter * random)
    }
  }

  /// Sets the time of the next poll after a failure.
  /// - Returns: how long to wait, and whether to report it; nil to give up.
  mutating func fail(_ failure: PollFailure, now: Double) -> (seconds: Double, isTold: Bool)? {
    isOpen = false
    guard case .wait(let seconds, var isTold) = policy.fail(failure.cause, asked: failure.asked ?? 0) else {
      return nil
    }
    // A wrong answer is reported at once, and only once.
    if failure.kind == .content {
      isTold = failure.failure.message != toldContent
      toldContent = failure.failure.message
    }
    due = now + seconds
    return (seconds, isTold)
  }
}

/// How long an answer may be used without asking again (RFC 9111 §4.2).
enum Freshness {
  /// From 5 seconds to an hour; a minute if the server says nothing.
  static func seconds(_ head: HTTPHead) -> Double {
    let directives = head.fields.filter { $0.name == "cache-control" }
      .flatMap { $0.value.split(separator: UInt8(ascii: ",")).map { Array($0.trimmed().lowercased) } }
    let name = Array("max-age=".utf8)
    guard let directive = directives.first(where: { $0.starts(with: name) }),
      let age = delta(directive.dropFirst(name.count).filter { $0 != UInt8(ascii: "\"") })
    else { return 60 }
    let spent = head.value(of: "age").flatMap(delta) ?? 0
    return min(max(age - spent, 5), 3600)
  }

  /// Seconds; a number too large counts as the largest (RFC 9111 §1.2.2).
  /// - Returns: nil if the text is not a number.
  private static func delta(_ text: [UInt8]) -> Double? {
    guard !text.isEmpty, text.allSatisfy(\.isDigit) else { return nil }
    return Int(decimal: text).map(Double.init) ?? 0x8000_0000
  }
}
