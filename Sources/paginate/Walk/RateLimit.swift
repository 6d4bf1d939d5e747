// The header fields of rate limits. No standard came in time, so each API has its own. The number of remaining requests
// has several names; the time of the reset is a date, a number of seconds, or a time since 1970.

import FeedCore
import FeedHTTP

struct RateLimit: Equatable, Sendable {
  /// Whether no request remains; nil if the answer does not say.
  var isExhausted: Bool? { left.map { $0 < 1 } }
  /// How many requests remain; nil if the answer does not say.
  private(set) var left: Double?
  /// Seconds until there are more.
  private(set) var reset: Double?

  private static let remainingNames = ["x-ratelimit-remaining", "x-rate-limit-remaining", "ratelimit-remaining"]
  private static let resetNames = [
    "x-ratelimit-reset-after", "x-ratelimit-reset", "x-rate-limit-reset", "ratelimit-reset",
  ]

  init(_ head: HTTPHead, now: Int64) {
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
    let moment = ISOTime.seconds(value) ?? HTTPDate.seconds(value, now: microseconds).map(Double.init)
    return moment.map { max(0, $0 - now) }
  }

  /// A decimal number without sign and exponent.
  private static func number(_ value: [UInt8]) -> Double? {
    guard value.first?.isDigit == true, value.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }) else { return nil }
    return Double(String(decoding: value, as: UTF8.self))
  }
}

/// Times such as `2024-06-01T12:05:00.000Z` and `2024-06-01 14:05:00+02:00` (RFC 3339).
enum ISOTime {
  /// - Returns: seconds since 1970-01-01T00:00:00Z; nil if `text` is not such a time.
  static func seconds(_ text: [UInt8]) -> Double? {
    var rest = text[...]
    func digits(_ count: Int, _ range: ClosedRange<Int>) -> Int? {
      let word = rest.prefix(count)
      guard word.count == count, let number = Int(decimal: word) else { return nil }
      rest = rest.dropFirst(count)
      return range.contains(number) ? number : nil
    }
    func mark(_ marks: String) -> UInt8? {
      guard let byte = rest.first, marks.utf8.contains(byte) else { return nil }
      rest = rest.dropFirst()
      return byte
    }
    guard let year = digits(4, 1...9999), mark("-") != nil, let month = digits(2, 1...12), mark("-") != nil,
      let day = digits(2, 1...31), mark("Tt ") != nil, let hour = digits(2, 0...23), mark(":") != nil,
      let minute = digits(2, 0...59), mark(":") != nil, let second = digits(2, 0...60)
    else { return nil }
    var fraction = 0.0
    if mark(".") != nil {
      let word = rest.prefix(while: \.isDigit)
      guard !word.isEmpty, let value = Double("0." + String(decoding: word, as: UTF8.self)) else { return nil }
      fraction = value
      rest = rest.dropFirst(word.count)
    }
    var offset = 0
    if let sign = mark("+-") {
      guard let hours = digits(2, 0...23) else { return nil }
      _ = mark(":")
      guard let minutes = digits(2, 0...59) else { return nil }
      offset = (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
    } else if mark("Zz") == nil {
      return nil
    }
    guard rest.isEmpty else { return nil }
    let time = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    return Double(time.seconds - offset) + fraction
  }
}
