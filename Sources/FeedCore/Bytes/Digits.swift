// Numbers as digits, decimal and hexadecimal. The parsers of the standard library also accept a sign, and need a
// String.

extension FixedWidthInteger {
  /// A whole number in decimal digits, and nothing else.
  /// - Returns: nil for anything else, and for a number too large for the type.
  @inlinable
  package init?(decimal digits: some Sequence<UInt8>) {
    var value: Self?
    for digit in digits {
      guard digit.isDigit else { return nil }
      let (tens, isTooMany) = (value ?? 0).multipliedReportingOverflow(by: 10)
      let (sum, isTooMuch) = tens.addingReportingOverflow(Self(digit & 0xF))
      if isTooMany || isTooMuch { return nil }
      value = sum
    }
    guard let value else { return nil }
    self = value
  }

  /// The value in lower-case hexadecimal digits, with leading zeros: two digits for each byte of the type.
  @inlinable
  package var hexDigits: [UInt8] {
    var digits = [UInt8](repeating: 0, count: bitWidth / 4)
    for index in digits.indices {
      let value = UInt8(truncatingIfNeeded: self >> Self(bitWidth - 4 - index * 4)) & 0xF
      digits[index] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
    return digits
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit of either case; nil for any other byte.
  @inlinable @inline(__always)
  package var hexValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension [UInt8] {
  /// The bytes that pairs of hexadecimal digits encode; nil for anything else.
  package init?(hex digits: [UInt8]) {
    guard digits.count % 2 == 0 else { return nil }
    self = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index].hexValue, let low = digits[index + 1].hexValue else { return nil }
      append(high << 4 | low)
    }
  }
}
