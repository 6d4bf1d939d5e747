/// Numbers as exact decimals: 1, 1.0 and 10e-1 are equal, 9007199254740993 and ...992 are not, and 1e400 is an ordinary
/// number. Double is never used. A number is normalised to  ± 0.d₁d₂…dₙ × 10^exponent  with d₁ and dₙ not zero. The
/// exponent of a hostile number (`1e` and a megabyte of digits) is kept as decimal digits too.
package struct JSONNumber: Equatable, Sendable {
  private(set) var isNegative = false
  /// d₁…dₙ as values 0 to 9; empty for zero.
  private(set) var digits: [UInt8] = []
  private(set) var exponent = BigExponent()

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
      exponent = BigExponent(text: rest[mark...].dropFirst(), adding: (point - mantissa.startIndex) - leading)
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
    product.exponent.add(scale + leading.count)
    return product
  }

  /// -1, 0 or 1 if the left number is smaller, equal or greater.
  package static func compare(_ left: JSONNumber, _ right: JSONNumber) -> Int {
    if left.sign != right.sign { return left.sign < right.sign ? -1 : 1 }
    let order = magnitudeOrder(left, right)
    return left.isNegative ? -order : order
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
    return (digits, exponent.key, small)
  }

  private static func magnitudeOrder(_ left: JSONNumber, _ right: JSONNumber) -> Int {
    let order = BigExponent.compare(left.exponent, right.exponent)
    if order != 0 { return order }
    if left.digits == right.digits { return 0 }
    return left.digits.lexicographicallyPrecedes(right.digits) ? -1 : 1
  }

  /// Whether two numbers have the same value.
  package static func equal(_ left: JSONValue, _ right: JSONValue) -> Bool {
    if left.hasSameText(as: right) { return true }
    guard let left = JSONNumber(left), let right = JSONNumber(right) else { return false }
    return compare(left, right) == 0
  }
}

/// A whole number of any size, which can be compared and added to a small one.
struct BigExponent: Equatable, Sendable {
  private var isNegative = false
  /// Without leading zeros, most significant first; empty for zero.
  private var digits: [UInt8] = []

  init() {}

  private init(_ value: Int) { set(value) }

  /// - Parameters:
  ///   - text: digits with an optional sign; empty for zero.
  ///   - shift: the number to add.
  init(text: ArraySlice<UInt8>, adding shift: Int) {
    var text = text
    var negative = false
    if let sign = text.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      negative = sign == UInt8(ascii: "-")
      text.removeFirst()
    }
    text = text.drop { $0 == UInt8(ascii: "0") }
    if text.count <= 17 {
      let value = Int(decimal: text) ?? 0
      set((negative ? -value : value) + shift)
    } else {
      // At least 10^17, so adding a smaller number cannot change the sign.
      isNegative = negative
      digits = text.map { $0 - UInt8(ascii: "0") }
      addToMagnitude(negative ? -shift : shift)
    }
  }

  private mutating func set(_ value: Int) {
    isNegative = value < 0
    var rest = value.magnitude
    while rest > 0 {
      digits.append(UInt8(rest % 10))
      rest /= 10
    }
    digits.reverse()
  }

  /// - Parameter shift: less than 10^18.
  mutating func add(_ shift: Int) {
    if let small { return self = BigExponent(small + shift) }
    addToMagnitude(isNegative ? -shift : shift)
  }

  /// Adds to the magnitude, starting at the last digit; the carry may be negative.
  private mutating func addToMagnitude(_ shift: Int) {
    var carry = shift
    var index = digits.count
    while carry != 0 && index > 0 {
      index -= 1
      let sum = Int(digits[index]) + carry
      let digit = ((sum % 10) + 10) % 10
      digits[index] = UInt8(digit)
      carry = (sum - digit) / 10
    }
    while carry > 0 {
      digits.insert(UInt8(carry % 10), at: 0)
      carry /= 10
    }
    digits.removeFirst(digits.prefix { $0 == 0 }.count)
  }

  /// As an integer, if it has at most 17 digits.
  var small: Int? {
    guard digits.count <= 17 else { return nil }
    let magnitude = digits.reduce(0) { $0 * 10 + Int($1) }
    return isNegative ? -magnitude : magnitude
  }

  /// Bytes that identify the exponent: equal exponents have equal keys.
  var key: [UInt8] { [isNegative ? 1 : 0] + digits }

  /// A distance that is greater than the number of digits of any text.
  private static let farAway = 100_000_000_000_000_000

  /// How much greater this number is than another that is not greater. It is not exact if it is very large.
  func distance(above other: BigExponent) -> Int {
    if let small, let other = other.small { return small - other }
    let width = max(digits.count, other.digits.count)
    var distance = 0
    for place in 0..<width {
      distance = distance * 10 + digit(place, of: width) - other.digit(place, of: width)
      if distance >= Self.farAway { return Self.farAway }
    }
    return distance
  }

  /// The signed digit at a place of the number, written with `width` digits.
  private func digit(_ place: Int, of width: Int) -> Int {
    let index = place - (width - digits.count)
    return index < 0 ? 0 : isNegative ? -Int(digits[index]) : Int(digits[index])
  }

  static func compare(_ left: BigExponent, _ right: BigExponent) -> Int {
    if left.isNegative != right.isNegative { return left.isNegative ? -1 : 1 }
    var order = left.digits.count - right.digits.count
    if order == 0, left.digits != right.digits {
      order = left.digits.lexicographicallyPrecedes(right.digits) ? -1 : 1
    }
    return (left.isNegative ? -1 : 1) * order.signum()
  }
}
