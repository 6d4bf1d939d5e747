// One URL that is polled: what is known of its last body, what an answer means, and when to ask again. The clock and the
// network are the poller's.

import FeedCore
import FeedHTTP

/// What an answer has brought.
enum PollResult {
  /// A body that is another than the last one.
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
    /// The answer came, and is not what was asked for.
    case content
  }

  let failure: ToolFailure
  let kind: Kind
  /// The seconds that the server asks to wait.
  var asked: Double?

  init(failure: ToolFailure, kind: Kind, asked: Double? = nil) {
    self.failure = failure
    self.kind = kind
    self.asked = asked
  }

  init(_ error: HTTPError, of url: HTTPURL) {
    self.init(failure: error.failure(url.display), kind: .network(error.kind))
  }

  /// What `RetryPolicy` is told.
  var cause: RetryPolicy.Cause { if case .status(let status) = kind { .status(status) } else { .network } }

  /// Whether the resource will not come again: gone (RFC 9110 §15.5.11), or out of our reach.
  var isFinal: Bool { kind == .status(410) || kind == .network(.local) }

  /// Whether the first poll ends by it: the request is wrong, and not the server.
  var isMistake: Bool {
    switch kind {
    case .network(let kind): kind == .permanent
    case .status(let status): (400..<500).contains(status) && ![408, 425, 429].contains(status)
    case .content: false
    }
  }
}

struct Resource {
  /// The longest wait that a server is granted, in seconds.
  private static let longestAsked = 86_400.0
  /// What servers say to a head that is too large or that they cannot read, and to a condition.
  private static let headRefusals: Set<Int> = [400, 412, 413, 431]

  /// Its name in `--urls` or by `--source`; valid UTF-8.
  let name: [UInt8]?
  let url: HTTPURL
  private(set) var known: KnownBody
  /// When to ask next, by the monotonic clock.
  var due: Double
  /// When it was asked last.
  private(set) var start = 0.0
  /// Whether an answer was taken, and since then none has failed.
  private(set) var isOpen = false
  private(set) var hasSucceeded = false
  /// Whether it will not be asked again.
  var isOver = false
  var policy: RetryPolicy
  /// The failure that was told last, so that the same one is not told at each poll.
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

  /// It will not be asked again.
  mutating func end() {
    isOpen = false
    isOver = true
  }

  // MARK: Answers

  /// Takes an answer in.
  /// - Parameters:
  ///   - id: of the body, if it is a new one, by its validators and digest.
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
      // Such a server cannot be believed, and the next request is for all of the body.
      known.validators = nil
      throw refusal(answer, answer.head.status == 304 ? "unexpected HTTP 304" : "HTTP 206: only a part of the body")
    case let status where Self.headRefusals.contains(status):
      // It may be the condition that the server cannot take.
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
    // What another URL has said cannot be asked of this one, and an id does not tell where it comes from.
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

  /// A poll was answered: when the next one is due.
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

  /// A poll has failed.
  /// - Returns: how long to wait, and whether that is told; nil to give up.
  mutating func fail(_ failure: PollFailure, now: Double) -> (seconds: Double, isTold: Bool)? {
    isOpen = false
    guard case .wait(let seconds, var isTold) = policy.fail(failure.cause, asked: failure.asked ?? 0) else {
      return nil
    }
    // What came is not what was wanted: that is told at once, and once.
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
  /// From 5 seconds to an hour; a minute where the server says nothing.
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

  /// Seconds; more than a number holds is very many (RFC 9111 §1.2.2).
  /// - Returns: nil for what is no number.
  private static func delta(_ text: [UInt8]) -> Double? {
    guard !text.isEmpty, text.allSatisfy(\.isDigit) else { return nil }
    return Int(decimal: text).map(Double.init) ?? 0x8000_0000
  }
}
