// When the next request may be made. Servers say this in many ways; all common ones are understood, and the longest
// wait among them counts.

import FeedCore
import FeedHTTP

/// What an answer asks of the client.
struct Politeness: Equatable, Sendable {
  /// Seconds to wait before any further request; 0 if the answer asks for nothing.
  var wait = 0.0
  /// What asked for it, for `-v` and messages: `Retry-After`.
  var reason = ""
  /// How many more requests the server allows now; nil if it does not say.
  var left: Double?

  /// - Parameters:
  ///   - body: the body, if it is JSON.
  ///   - now: microseconds since 1970, as `Clock.now()` has them.
  init(_ head: HTTPHead, _ body: JSONDocument? = nil, now: Int64) {
    if let value = head.value(of: "retry-after"), let seconds = RetryAfter.seconds(value, now: now) {
      extend(to: seconds, "Retry-After")
    }
    let limit = RateLimit(head, now: now)
    left = limit.left
    // A refusal that does not count the remaining requests means that none remain.
    let isRefused = head.status == 429 || (head.status == 403 && limit.isExhausted == true)
    if limit.isExhausted ?? isRefused, let seconds = limit.reset { extend(to: seconds, "the rate limit") }
    if let root = body?.root, root.kind == .object { readStackExchange(root, now) }
    if wait == 0, Self.isSecondaryLimit(head, body) { extend(to: 60, "the secondary rate limit") }
  }

  private mutating func extend(to seconds: Double, _ reason: String) {
    // A number too large for Double is longer than any limit.
    guard seconds > wait else { return }
    wait = seconds
    self.reason = reason
  }

  /// GitHub's limit on concurrent use has no header field; its documentation says to wait for at least a minute
  /// (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api).
  private static func isSecondaryLimit(_ head: HTTPHead, _ body: JSONDocument?) -> Bool {
    guard head.status == 403 || head.status == 429, let text = body?.root.member("message")?.string else {
      return false
    }
    let words = String(decoding: text, as: UTF8.self).lowercased()
    return words.contains("secondary rate limit") || words.contains("abuse detection")
  }

  // MARK: Stack Exchange (https://api.stackexchange.com/docs/throttle)

  private static let secondsPerDay: Int64 = 86_400

  private mutating func readStackExchange(_ root: JSONValue, _ now: Int64) {
    if let seconds = root.member("backoff").flatMap(Self.seconds) { extend(to: seconds, "backoff") }
    // The quota is for a day in UTC.
    if let left = root.member("quota_remaining"), left.kind == .number, left.text == [UInt8(ascii: "0")] {
      let today = now / 1_000_000 % Self.secondsPerDay
      extend(to: Double(Self.secondsPerDay - today), "quota_remaining")
    }
    if Self.isThrottled(root) {
      // "too many requests from this IP, more requests available in 82216 seconds"
      let words = (root.member("error_message")?.string ?? []).split(separator: UInt8(ascii: " "))
      let number = words.indices.first { $0 > 0 && words[$0].starts(with: "second".utf8) }
        .flatMap { Double(String(decoding: words[$0 - 1], as: UTF8.self)) }
      extend(to: number ?? 60, "throttle_violation")
    }
  }

  private static func isThrottled(_ root: JSONValue) -> Bool {
    root.member("error_id")?.text == Array("502".utf8)
      || root.member("error_name")?.string?.elementsEqual("throttle_violation".utf8) == true
  }

  private static func seconds(_ value: JSONValue) -> Double? {
    value.kind == .number ? Double(String(decoding: value.text, as: UTF8.self)).flatMap { $0 < 0 ? nil : $0 } : nil
  }

  // MARK: Refusals

  /// What to do about the status of an answer.
  enum Verdict: Equatable, Sendable {
    /// It is a page.
    case page
    /// It may be a page later.
    case retry
    case failure
  }

  static func verdict(_ head: HTTPHead, _ body: JSONDocument?, now: Int64) -> Verdict {
    switch head.status {
    case 200..<300: .page
    case 408, 429, 500..<600: .retry
    case 403 where head.value(of: "retry-after") != nil || RateLimit(head, now: now).isExhausted == true: .retry
    case 403 where isSecondaryLimit(head, body): .retry
    case 400 where body.map { isThrottled($0.root) } == true: .retry
    default: .failure
    }
  }
}
