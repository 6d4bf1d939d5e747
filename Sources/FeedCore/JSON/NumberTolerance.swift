/// How much two numbers may differ and still count as equal: at most a number, or at most a share of the greater absolute
/// value. The decision is exact for decimals of any length and exponent. Double is never used.
package struct NumberTolerance: Equatable, Sendable {
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

  /// The sign of a sum of numbers, by adding them as on paper, but from the left: one column of digits after another.
  ///
  /// What is to the right of a column is less than 1 for each number. So once the sum is at least as far from zero as
  /// there are numbers, its sign is certain. Until then the sum is small, and columns without digits are skipped: the
  /// work is bounded by the number of digits, whatever the exponents.
  private static func signOfSum(_ numbers: [JSONNumber]) -> Int {
    let numbers = numbers.filter { $0.sign != 0 }
    guard let first = numbers.max(by: { BigExponent.compare($0.exponent, $1.exponent) < 0 }) else { return 0 }
    let starts = numbers.map { first.exponent.distance(above: $0.exponent) }
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
