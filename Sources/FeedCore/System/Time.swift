// The clocks, dates of the Gregorian calendar, and dates as text. There is no time zone data and no locale.

/// The two clocks: one for durations, one for dates.
package enum Clock {
  /// Seconds since some fixed moment; never goes back, even if the date is changed.
  package static func monotonic() -> Double {
    let time = read(CLOCK_MONOTONIC)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Microseconds since 1970-01-01T00:00:00Z.
  package static func now() -> Int64 {
    let time = read(CLOCK_REALTIME)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  /// How long to wait until a time of the monotonic clock: 0 if it has passed, and an hour at most.
  /// - Parameter deadline: nil for never.
  package static func milliseconds(until deadline: Double?) -> Int32 {
    let left = max(0, min(deadline.map { $0 - monotonic() } ?? 3600, 3600))
    return Int32((left * 1000).rounded(.up))
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return time
  }
}

/// A date and time of day, in UTC. For the arithmetic, years begin in March
/// (https://howardhinnant.github.io/date_algorithms.html).
package struct CivilTime: Equatable, Sendable {
  package var year: Int
  /// 1 to 12.
  package var month: Int
  /// 1 to 31.
  package var day: Int
  package var hour: Int
  package var minute: Int
  /// 0 to 60: a leap second is 60 (RFC 3339 §5.6).
  package var second: Int
  /// 0 to 999,999.
  package var microsecond: Int

  package init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, microsecond: Int = 0) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second, self.microsecond) = (hour, minute, second, microsecond)
  }

  /// - Parameter microseconds: since 1970-01-01T00:00:00Z, as `Clock.now()` returns them.
  package init(microseconds: Int64) {
    let (days, rest) = Self.floored(Int(microseconds), by: 86_400_000_000)
    let (era, dayOfEra) = Self.floored(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shifted + 2) / 5 + 1
    month = shifted < 10 ? shifted + 3 : shifted - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    hour = rest / 3_600_000_000
    minute = rest / 60_000_000 % 60
    second = rest / 1_000_000 % 60
    microsecond = rest % 1_000_000
  }

  /// Seconds since 1970-01-01T00:00:00Z, without the microseconds.
  package var seconds: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = Self.floored(shiftedYear, by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return (era * 146_097 + dayOfEra - 719_468) * 86_400 + hour * 3600 + minute * 60 + second
  }

  /// `2026-11-20T23:45:05.123456Z` (RFC 3339).
  package var text: [UInt8] {
    [UInt8](capacity: Self.textSize) { text in
      text.append(twoDigits: year / 100 % 100)
      text.append(twoDigits: year % 100, then: "-")
      text.append(twoDigits: month, then: "-")
      text.append(twoDigits: day, then: "T")
      text.append(twoDigits: hour, then: ":")
      text.append(twoDigits: minute, then: ":")
      text.append(twoDigits: second, then: ".")
      text.append(microsecond: microsecond)
    }
  }

  /// The size of the text, and of the part after the point.
  static let textSize = 27
  static let fractionSize = 7

  private static func floored(_ value: Int, by divisor: Int) -> (quotient: Int, rest: Int) {
    let rest = value % divisor
    return rest < 0 ? (value / divisor - 1, rest + divisor) : (value / divisor, rest)
  }
}

/// Times such as `2024-06-01T12:05:00.000Z` and `2024-06-01 14:05:00+02:00` (RFC 3339), exactly: a Double could not hold
/// the nanoseconds of today.
package struct ISOTime {
  /// Since 1970-01-01T00:00:00Z, without the fraction.
  package let seconds: Int
  /// The digits after the point.
  package let fraction: [UInt8]
  /// The difference from UTC, in seconds.
  private let offset: Int
  /// `T` or a space.
  private let separator: UInt8
  /// `Z` or an offset, as written.
  private let zone: [UInt8]

  /// - Parameter isLocal: whether the text has no offset, rather than one.
  /// - Returns: nil if `text` is not such a time.
  package init?(_ text: [UInt8], isLocal: Bool = false) {
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
      let day = digits(2, 1...31), let separator = mark("Tt "), let hour = digits(2, 0...23), mark(":") != nil,
      let minute = digits(2, 0...59), mark(":") != nil, let second = digits(2, 0...60)
    else { return nil }
    var fraction: ArraySlice<UInt8> = []
    if mark(".") != nil {
      fraction = rest.prefix(while: \.isDigit)
      guard !fraction.isEmpty else { return nil }
      rest = rest.dropFirst(fraction.count)
    }
    let zone = Array(rest)
    var offset = 0
    if isLocal {
      // Nothing may follow.
    } else if let sign = mark("+-") {
      guard let hours = digits(2, 0...23) else { return nil }
      _ = mark(":")
      guard let minutes = digits(2, 0...59) else { return nil }
      offset = (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
    } else if mark("Zz") == nil {
      return nil
    }
    guard rest.isEmpty else { return nil }
    let time = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    seconds = time.seconds - offset
    self.fraction = Array(fraction)
    self.offset = offset
    self.separator = separator
    self.zone = zone
  }

  /// Seconds with the fraction, as near as a Double comes.
  package var approximate: Double {
    Double(seconds) + (Double("0." + String(decoding: fraction, as: UTF8.self)) ?? 0)
  }

  /// Another moment in the form of this one, in its time zone.
  /// - Parameters:
  ///   - seconds: since 1970; of the years before 1, the year 1 is written.
  ///   - fraction: digits after the point.
  package func text(at seconds: Int, fraction: [UInt8]) -> [UInt8] {
    let first = CivilTime(year: 1, month: 1, day: 1).seconds
    let text = CivilTime(microseconds: Int64(max(seconds + offset, first)) * 1_000_000).text
    let point = fraction.isEmpty ? [] : [UInt8(ascii: ".")]
    return Array(text[..<10]) + [separator] + text[11..<19] + point + fraction + zone
  }
}

extension OutputSpan<UInt8> {
  /// Appends the six digits of a fraction and `Z`.
  mutating func append(microsecond: Int) {
    append(twoDigits: microsecond / 10_000)
    append(twoDigits: microsecond / 100 % 100)
    append(twoDigits: microsecond % 100, then: "Z")
  }

  /// - Parameter number: 0 to 99.
  fileprivate mutating func append(twoDigits number: Int, then mark: Unicode.Scalar? = nil) {
    append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / 10))
    append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10))
    if let mark { append(UInt8(ascii: mark)) }
  }
}
