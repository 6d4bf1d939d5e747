import FeedCore

/// `Retry-After` (RFC 9110 §10.2.3): seconds, or a date. Some servers send a fraction, which is accepted too.
/// `RetryPolicy.fail(asked:)` waits for it: for the feeds of `Follower` by `Refusal`, in paginate by `Politeness`.
package enum RetryAfter {
  /// - Returns: how many seconds to wait, 0 if the date has passed; nil if `value` is invalid.
  package static func seconds(_ value: [UInt8], now: Int64 = Clock.now()) -> Double? {
    let isNumber = value.first?.isDigit == true && value.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
    if isNumber { return Double(String(decoding: value, as: UTF8.self)) }
    return HTTPDate.seconds(value, now: now).map { max(0, Double($0) - Double(now) / 1_000_000) }
  }
}
