import FeedCore

/// The header fields of rate limits. No standard came in time, so each API has its own. The number of remaining requests
/// has several names; the time of the reset is a date, a number of seconds, or a time since 1970.
package struct RateLimit: Equatable, Sendable {
  /// Whether no request remains; nil if the response does not say.
  package var isExhausted: Bool? { left.map { $0 < 1 } }
  /// How many requests remain; nil if the response does not say.
  package private(set) var left: Double?
  /// Seconds until there are more.
  package private(set) var reset: Double?

  private static let remainingNames = ["x-ratelimit-remaining", "x-rate-limit-remaining", "ratelimit-remaining"]
  private static let resetNames = [
    "x-ratelimit-reset-after", "x-ratelimit-reset", "x-rate-limit-reset", "ratelimit-reset",
  ]

  package init(_ head: HTTPHead, now: Int64) {
    for name in Self.remainingNames {
      // Reddit sends decimals.
      if let value = head.value(of: name), let number = Self.number(value) { left = number }
    }
    for name in Self.resetNames where reset == nil {
      reset = head.value(of: name).flatMap { Self.seconds($0, now) }
    }
    if let value = head.value(of: "ratelimit") { readDraft(value) }
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
