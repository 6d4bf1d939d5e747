// Whole numbers as decimal digits, so that the successor of a page number, an offset or an id is exact at any length. A
// Double cannot hold every 64-bit id, and an Int cannot hold a longer one.

/// Arithmetic on decimal digits.
package struct DecimalText: Comparable, Sendable {
  /// Without leading zeros, most significant first; `0` for zero.
  package private(set) var digits: [UInt8]
  /// Never for zero.
  package private(set) var isNegative: Bool

  /// - Parameter text: ASCII digits, with a minus sign or without; nil for anything else.
  package init?(_ text: some Collection<UInt8>) {
    let isNegative = text.first == UInt8(ascii: "-")
    let magnitude = text.dropFirst(isNegative ? 1 : 0)
    guard !magnitude.isEmpty, magnitude.allSatisfy(\.isDigit) else { return nil }
    digits = Array(magnitude.drop { $0 == UInt8(ascii: "0") })
    self.isNegative = isNegative && !digits.isEmpty
    if digits.isEmpty { digits = [UInt8(ascii: "0")] }
  }

  package init(_ value: Int) {
    digits = Array(String(value.magnitude).utf8)
    isNegative = value < 0
  }

  /// In ASCII digits, with a minus sign if it is negative.
  package var text: [UInt8] { (isNegative ? [UInt8(ascii: "-")] : []) + digits }
  private var isZero: Bool { digits == [UInt8(ascii: "0")] }

  package static func + (left: DecimalText, right: DecimalText) -> DecimalText {
    let isLess = isSmaller(left.digits, right.digits)
    var sum = isLess ? right : left
    let other = isLess ? left : right
    if left.isNegative == right.isNegative {
      sum.digits = add(sum.digits, other.digits)
    } else {
      sum.digits = subtract(sum.digits, other.digits)
      sum.isNegative = sum.isNegative && !sum.isZero
    }
    return sum
  }

  package static func - (left: DecimalText, right: DecimalText) -> DecimalText {
    var negated = right
    negated.isNegative = !right.isNegative && !right.isZero
    return left + negated
  }

  /// The number times a power of ten.
  package func scaled(by zeros: Int) -> DecimalText {
    var result = self
    if !isZero { result.digits += Array(repeating: UInt8(ascii: "0"), count: zeros) }
    return result
  }

  /// By value, at any length.
  package static func < (left: DecimalText, right: DecimalText) -> Bool {
    if left.isNegative != right.isNegative { return left.isNegative }
    return left.isNegative ? isSmaller(right.digits, left.digits) : isSmaller(left.digits, right.digits)
  }

  private static func isSmaller(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count != right.count ? left.count < right.count : left.lexicographicallyPrecedes(right)
  }

  /// - Parameter left: not smaller than `right`.
  private static func subtract(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    var difference = left
    var borrow: UInt8 = 0
    for place in 1...left.count {
      let index = left.count - place
      let taken = borrow + (place <= right.count ? right[right.count - place] - UInt8(ascii: "0") : 0)
      let digit = left[index] - UInt8(ascii: "0")
      borrow = digit < taken ? 1 : 0
      difference[index] = UInt8(ascii: "0") + digit + 10 * borrow - taken
    }
    let leading = difference.dropLast().prefix { $0 == UInt8(ascii: "0") }.count
    difference.removeFirst(leading)
    return difference
  }

  private static func add(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    var sum: [UInt8] = []
    sum.reserveCapacity(max(left.count, right.count) + 1)
    var carry: UInt8 = 0
    for place in 0..<max(left.count, right.count) {
      let a = place < left.count ? left[left.count - 1 - place] - UInt8(ascii: "0") : 0
      let b = place < right.count ? right[right.count - 1 - place] - UInt8(ascii: "0") : 0
      let digit = a + b + carry
      sum.append(UInt8(ascii: "0") + digit % 10)
      carry = digit / 10
    }
    if carry > 0 { sum.append(UInt8(ascii: "1")) }
    sum.reverse()
    return sum
  }
}

// Integers as digits, decimal and hexadecimal. The parsers of the standard library also accept a sign, and need a
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
