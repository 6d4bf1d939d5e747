/// Numbers as exact decimals: 1, 1.0 and 10e-1 are equal, 9007199254740993 and ...992 are not, and 1e400 is an ordinary
/// number. Double is never used. A number is normalised to  ± 0.d₁d₂…dₙ × 10^exponent  with d₁ and dₙ not zero. The
/// exponent of a hostile number (`1e` and a megabyte of digits) is a whole number of any length.
package struct JSONNumber: Equatable, Sendable {
  private(set) var isNegative = false
  /// d₁…dₙ as values 0 to 9; empty for zero.
  private(set) var digits: [UInt8] = []
  private(set) var exponent = DecimalText(0)

  /// - Parameter value: a number; nil for anything else.
  package init?(_ value: JSONValue) {
    guard value.kind == .number else { return nil }
    self.init(digits: value.document.bytes[value.range])
  }

  /// - Parameter text: a JSON text; nil unless it is a number.
  package init?(text: [UInt8]) {
    guard let document = try? JSONDocument(parsing: text) else { return nil }
    self.init(document.root)
  }

  /// - Parameter text: a number in the grammar of RFC 8259 §6.
  private init(digits text: ArraySlice<UInt8>) {
    var rest = text
    if rest.first == UInt8(ascii: "-") {
      isNegative = true
      rest.removeFirst()
    }
    let mark = rest.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? rest.endIndex
    let mantissa = rest[..<mark]
    let point = mantissa.firstIndex(of: UInt8(ascii: ".")) ?? mantissa.endIndex
    digits.reserveCapacity(mantissa.count)
    for byte in mantissa where byte != UInt8(ascii: ".") { digits.append(byte - UInt8(ascii: "0")) }

    let leading = digits.prefix { $0 == 0 }.count
    digits.removeFirst(leading)
    while digits.last == 0 { digits.removeLast() }
    if digits.isEmpty {
      isNegative = false  // -0 is 0
    } else {
      exponent = DecimalText(point - mantissa.startIndex - leading)
      var text = rest[mark...].dropFirst()
      if text.first == UInt8(ascii: "+") { text.removeFirst() }
      if let written = DecimalText(text) { exponent = exponent + written }
    }
  }

  /// The number with the other sign.
  var negated: JSONNumber {
    var number = self
    number.isNegative = !isNegative && sign != 0
    return number
  }

  /// The absolute value, times `factor` × 10^`scale`.
  /// - Parameter factor: below 10^17.
  func magnitude(times factor: UInt64, scale: Int) -> JSONNumber {
    var product = self
    product.isNegative = false
    var carry: UInt64 = 0
    for index in digits.indices.reversed() {
      carry += UInt64(digits[index]) * factor
      product.digits[index] = UInt8(carry % 10)
      carry /= 10
    }
    var leading: [UInt8] = []
    while carry > 0 {
      leading.append(UInt8(carry % 10))
      carry /= 10
    }
    product.digits.insert(contentsOf: leading.reversed(), at: 0)
    product.exponent = exponent + DecimalText(scale + leading.count)
    return product
  }

  /// -1, 0 or 1 if the left number is smaller, equal or greater.
  package static func compare(_ left: JSONNumber, _ right: JSONNumber) -> Int {
    if left.sign != right.sign { return left.sign < right.sign ? -1 : 1 }
    if left == right { return 0 }
    let isLess =
      left.exponent == right.exponent
      ? left.digits.lexicographicallyPrecedes(right.digits) : left.exponent < right.exponent
    return isLess == left.isNegative ? 1 : -1
  }

  /// -1, 0 or 1.
  var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

  /// The magnitude: the digits and the exponent, and if both fit, as integers. Then the value is `value` × 10^`scale`,
  /// and `value` does not end in a zero.
  var decimal: (digits: [UInt8], exponent: [UInt8], small: (value: UInt64, scale: Int)?) {
    var small: (UInt64, Int)?
    // 19 digits fit a word.
    if digits.count <= 19, let exponent = exponent.small {
      small = (digits.reduce(0) { $0 * 10 + UInt64($1) }, exponent - digits.count)
    }
    return (digits, exponent.text, small)
  }

  /// Whether two numbers have the same value.
  package static func equal(_ left: JSONValue, _ right: JSONValue) -> Bool {
    if left.hasSameText(as: right) { return true }
    guard let left = JSONNumber(left), let right = JSONNumber(right) else { return false }
    return compare(left, right) == 0
  }
}

extension DecimalText {
  /// As an integer, if it has at most 17 digits.
  var small: Int? {
    guard digits.count <= 17, let magnitude = Int(decimal: digits) else { return nil }
    return isNegative ? -magnitude : magnitude
  }
}

/// How much two numbers may differ and still count as equal: at most a number, or at most a share of the greater absolute
/// value. The decision is exact for decimals of any length and exponent. Double is never used.
package struct NumberTolerance: Equatable, Sendable {
  /// A share is kept as a whole number and a power of ten, so that it can be multiplied exactly.
  private enum ToleranceLimit: Equatable {
    case difference(JSONNumber)
    /// `factor` × 10^`scale` of the greater absolute value.
    case share(factor: UInt64, scale: Int)
  }

  private let limit: ToleranceLimit

  /// - Parameter text: a JSON number that is not negative, or one with a percent sign and at most 17 digits; anything
  ///   else is nil.
  package init?(_ text: [UInt8]) {
    let isShare = text.last == UInt8(ascii: "%")
    let digits = isShare ? text.dropLast() : text[...]
    guard digits.first?.isDigit == true, digits.last?.isDigit == true, let number = JSONNumber(text: Array(digits))
    else { return nil }
    guard isShare else {
      limit = .difference(number)
      return
    }
    guard number.digits.count <= 17, let (factor, scale) = number.decimal.small else { return nil }
    limit = .share(factor: factor, scale: scale - 2)
  }

  /// Whether it allows no difference.
  var isExact: Bool {
    switch limit {
    case .difference(let number): number.sign == 0
    case .share(let factor, _): factor == 0
    }
  }

  /// Whether two numbers are equal within the tolerance.
  func allows(_ left: JSONValue, _ right: JSONValue) -> Bool {
    if left.hasSameText(as: right) { return true }
    guard let left = JSONNumber(left), let right = JSONNumber(right) else { return false }
    let isLess = JSONNumber.compare(left, right) < 0
    let (high, low) = isLess ? (right, left) : (left, right)
    let most: JSONNumber
    switch limit {
    case .difference(let number): most = number
    case .share(let factor, let scale):
      // Of these two, the one with the greater absolute value.
      let greater = JSONNumber.compare(high, low.negated) < 0 ? low : high
      most = greater.magnitude(times: factor, scale: scale)
    }
    return Self.signOfSum([high, low.negated, most.negated]) <= 0
  }

  /// A distance that is greater than the number of digits of any text.
  private static let farAway = 100_000_000_000_000_000

  /// The sign of a sum of numbers, by adding them as on paper, but from the left: one column of digits after another.
  ///
  /// What is to the right of a column is less than 1 for each number. So once the sum is at least as far from zero as
  /// there are numbers, its sign is certain. Until then the sum is small, and columns without digits are skipped: the
  /// work is bounded by the number of digits, whatever the exponents.
  private static func signOfSum(_ numbers: [JSONNumber]) -> Int {
    let numbers = numbers.filter { $0.sign != 0 }
    guard let first = numbers.map(\.exponent).max() else { return 0 }
    let starts = numbers.map { (first - $0.exponent).small ?? farAway }
    let ends = zip(numbers, starts).map { $0.digits.count + $1 }
    var (sum, column) = (0, 0)
    while true {
      if !zip(starts, ends).contains(where: { $0 <= column && column < $1 }) {
        if sum != 0 { return sum.signum() }
        guard let next = starts.filter({ $0 > column }).min() else { return 0 }
        column = next
      }
      sum *= 10
      for (index, number) in numbers.enumerated() where starts[index] <= column && column < ends[index] {
        sum += number.sign * Int(number.digits[column - starts[index]])
      }
      if abs(sum) >= numbers.count { return sum.signum() }
      column += 1
    }
  }
}
