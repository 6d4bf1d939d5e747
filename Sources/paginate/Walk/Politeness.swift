// When the next request may be made, and whether a refusal may pass, by what a body says. What a head says is
// `AskedWait` and `StatusPolicy`.

import FeedCore
import FeedHTTP

extension AskedWait {
  /// What a response asks of the client.
  /// - Parameters:
  ///   - body: the body, if it is JSON.
  ///   - now: microseconds since 1970, as `Clock.now()` has them.
  init(_ head: HTTPHead, _ body: JSONDocument?, now: Int64) {
    self.init(head, now: now)
    if let root = body?.root, root.kind == .object { readStackExchange(root, now) }
    // Telegram says it only there (https://core.telegram.org/bots/api#responseparameters).
    if head.status == 429, let asked = body?.root.member("parameters")?.member("retry_after").flatMap(Self.seconds) {
      extend(to: asked, "retry_after")
    }
    if seconds == 0, Self.isSecondaryLimit(head, body) { extend(to: 60, "the secondary rate limit") }
  }

  /// GitHub's limit on concurrent use has no header field; its documentation says to wait for at least a minute
  /// (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api).
  fileprivate static func isSecondaryLimit(_ head: HTTPHead, _ body: JSONDocument?) -> Bool {
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

  fileprivate static func isThrottled(_ root: JSONValue) -> Bool {
    root.member("error_id")?.text == Array("502".utf8)
      || root.member("error_name")?.string?.elementsEqual("throttle_violation".utf8) == true
  }

  private static func seconds(_ value: JSONValue) -> Double? {
    value.kind == .number ? Double(String(decoding: value.text, as: UTF8.self)).flatMap { $0 < 0 ? nil : $0 } : nil
  }

}

extension StatusPolicy {
  /// What to do about a response: the policy for all tools, but for refusals that only a body explains.
  static func verdict(_ head: HTTPHead, _ body: JSONDocument?, to request: HTTPRequest) -> StatusPolicy.Verdict {
    // Heroku answers so without being asked for a part, and says where the next one is.
    if head.status == 206, head.value(of: "next-range") != nil { return .taken }
    let verdict = StatusPolicy().verdict(head, to: request)
    guard verdict == .final, head.status >= 400 else { return verdict }
    let isThrottled = head.status == 400 && body.map { AskedWait.isThrottled($0.root) } == true
    return isThrottled || AskedWait.isSecondaryLimit(head, body) ? .retried : .final
  }
}
