// How long to wait before the next request, by what a response says: `Retry-After`, and the fields of rate limits. No
// standard of these came in time, so each API has its own. The number of remaining requests has several names. The time
// of the reset is a date, a number of seconds, or a time since 1970.

import FeedCore

/// How long a server asks its clients to wait before the next request.
package struct AskedWait: Equatable, Sendable {
  /// The longest wait that tools accept which run for ever, in seconds: a wrong clock must not stop them.
  package static let longest = 86_400.0

  /// 0 if it does not ask.
  package private(set) var seconds = 0.0
  /// What asked for it, for messages: `Retry-After`.
  package private(set) var reason = ""
  /// How many more requests the server allows now; nil if it does not say.
  package private(set) var left: Double?
  /// Seconds until it allows more.
  private(set) var reset: Double?
  /// Whether it allows no more now; nil if it does not say.
  var isExhausted: Bool? { left.map { $0 < 1 } }

  private static let remainingNames = ["x-ratelimit-remaining", "x-rate-limit-remaining", "ratelimit-remaining"]
  private static let resetNames = [
    "x-ratelimit-reset-after", "x-ratelimit-reset", "x-rate-limit-reset", "ratelimit-reset",
  ]

  /// - Parameter now: in microseconds since 1970, as `Clock.now()` has them.
  package init(_ head: HTTPHead, now: Int64 = Clock.now()) {
    if let value = head.value(of: "retry-after"), let seconds = Self.retryAfter(value, now: now) {
      extend(to: seconds, "Retry-After")
    }
    // Reddit sends decimals.
    left = Self.remainingNames.compactMap { head.value(of: $0).flatMap(Self.number) }.last
    reset = Self.resetNames.lazy.compactMap { head.value(of: $0).flatMap { Self.seconds($0, now) } }.first
    if let value = head.value(of: "ratelimit") { readDraft(value) }
    // A refusal that does not count the remaining requests means that none remain.
    let isRefused = head.status == 429 || (head.status == 403 && isExhausted == true)
    if isExhausted ?? isRefused, let reset { extend(to: reset, "the rate limit") }
  }

  /// Asks for a longer wait; a shorter one changes nothing.
  package mutating func extend(to seconds: Double, _ reason: String) {
    // A number too large for Double is longer than any limit.
    guard seconds > self.seconds else { return }
    self.seconds = seconds
    self.reason = reason
  }

  /// `Retry-After` (RFC 9110 §10.2.3): seconds, or a date. Some servers send a fraction, which is accepted too.
  /// - Returns: how many seconds to wait, 0 if the date has passed; nil if `value` is invalid.
  static func retryAfter(_ value: [UInt8], now: Int64) -> Double? {
    if let number = number(value) { return number }
    return HTTPDate.seconds(value, now: now).map { max(0, Double($0) - Double(now) / 1_000_000) }
  }

  /// `limit=100, remaining=0, reset=50`, or `"default";r=0;t=50` (draft-ietf-httpapi-ratelimit-headers, before and
  /// after its eighth version).
  private mutating func readDraft(_ value: [UInt8]) {
    for word in value.split(whereSeparator: { " ,;".utf8.contains($0) }) {
      let parts = word.split(separator: UInt8(ascii: "="), maxSplits: 1)
      guard parts.count == 2, let number = Self.number(Array(parts[1])) else { continue }
      switch String(decoding: parts[0], as: UTF8.self) {
      case "remaining", "r": left = number
      case "reset", "t": reset = number
      default: break
      }
    }
  }

  /// The seconds until a time: given as seconds, as seconds or milliseconds since 1970, or as a date.
  private static func seconds(_ value: [UInt8], _ microseconds: Int64) -> Double? {
    let now = Double(microseconds) / 1_000_000
    if let number = number(value) {
      // No wait is thirty years long, and no clock is that wrong.
      if number > 1e11 { return max(0, number / 1000 - now) }
      return number > 1e9 ? max(0, number - now) : number
    }
    let moment = ISOTime(value)?.approximate ?? HTTPDate.seconds(value, now: microseconds).map(Double.init)
    return moment.map { max(0, $0 - now) }
  }

  /// A decimal number without sign and exponent.
  private static func number(_ value: [UInt8]) -> Double? {
    guard value.first?.isDigit == true, value.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }) else { return nil }
    return Double(String(decoding: value, as: UTF8.self))
  }
}
