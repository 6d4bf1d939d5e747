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
    Double(seconds) + (Double("0." + String(decimal: fraction)) ?? 0)
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

extension String {
  fileprivate init(decimal digits: [UInt8]) { self = digits.isEmpty ? "0" : String(decoding: digits, as: UTF8.self) }
}
