// Dates of the Gregorian calendar in UTC, with years that begin in March for the arithmetic
// (https://howardhinnant.github.io/date_algorithms.html); no time zone data, no locale.

/// A date and time of day, in UTC.
package struct CivilTime: Equatable, Sendable {
  package var year: Int
  /// 1 to 12.
  package var month: Int
  /// 1 to 31.
  package var day: Int
  package var hour: Int
  package var minute: Int
  package var second: Int
  package var microsecond: Int

  package init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, microsecond: Int = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
    self.microsecond = microsecond
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
    var text: [UInt8] = []
    text.reserveCapacity(27)
    func put(_ value: Int, _ digits: Int, _ after: Unicode.Scalar) {
      var scale = 1
      for _ in 1..<digits { scale *= 10 }
      while scale > 0 {
        text.append(UInt8(ascii: "0") + UInt8(value / scale % 10))
        scale /= 10
      }
      text.append(UInt8(ascii: after))
    }
    put(year, 4, "-")
    put(month, 2, "-")
    put(day, 2, "T")
    put(hour, 2, ":")
    put(minute, 2, ":")
    put(second, 2, ".")
    put(microsecond, 6, "Z")
    return text
  }

  private static func floored(_ value: Int, by divisor: Int) -> (quotient: Int, rest: Int) {
    let rest = value % divisor
    return rest < 0 ? (value / divisor - 1, rest + divisor) : (value / divisor, rest)
  }
}
