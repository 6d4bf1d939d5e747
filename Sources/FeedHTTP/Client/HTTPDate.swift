import FeedCore

/// The dates of HTTP, in the three forms of RFC 9110 §5.6.7.
package enum HTTPDate {
  /// - Returns: seconds since 1970-01-01T00:00:00Z; nil if `bytes` are not a date.
  ///
  /// The forms differ only in order and punctuation, so the words show which form it is:
  /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`.
  package static func seconds(_ bytes: [UInt8], now: Int64 = Clock.now()) -> Int? {
    let words = bytes.split { " ,-:".utf8.contains($0) }
    let day: ArraySlice<UInt8>
    let monthName: ArraySlice<UInt8>
    let year: ArraySlice<UInt8>
    let clock: ArraySlice<ArraySlice<UInt8>>
    if words.count == 8, words[7].elementsEqual("GMT".utf8) {
      (day, monthName, year, clock) = (words[1], words[2], words[3], words[4..<7])
    } else if words.count == 7 {
      (monthName, day, year, clock) = (words[1], words[2], words[6], words[3..<6])
    } else {
      return nil
    }
    let time = clock.compactMap(number)
    guard let month = months.firstIndex(where: { $0.utf8.elementsEqual(monthName) }), let day = number(day),
      var fullYear = number(year), time.count == 3, (1...31).contains(day), time[0] < 24, time[1] < 60, time[2] <= 60
    else { return nil }
    if year.count == 2 {
      // A year of two digits is at most fifty years in the future.
      let thisYear = CivilTime(microseconds: now).year
      fullYear += thisYear / 100 * 100
      if fullYear > thisYear + 50 { fullYear -= 100 }
    }
    return CivilTime(
      year: fullYear, month: month + 1, day: day, hour: time[0], minute: time[1], second: time[2]
    ).seconds
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    digits.count <= 4 ? Int(decimal: digits) : nil
  }
}
