// The values that `--since` compares: numbers, times and texts. Numbers and times are exact decimals of any length.

import FeedCore
import FeedHTTP

/// A decimal number: `digits` times a negative power of ten.
struct ScaledNumber: Comparable, Sendable {
  /// Larger exponents would make numbers of as many digits.
  private static let largestExponent = 400

  private var unscaled: DecimalText
  /// How many digits are after the point.
  private var scale: Int

  private init(_ unscaled: DecimalText, scale: Int) {
    self.unscaled = unscaled
    self.scale = scale
  }

  /// - Parameter text: a number as in JSON; nil for anything else, and for an exponent that is too large.
  init?(_ text: [UInt8]) {
    let mark = text.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? text.endIndex
    let mantissa = text[..<mark]
    let parts = mantissa.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard JSONNumber(text: text) != nil, let exponent = Self.exponent(text[mark...].dropFirst()),
      let unscaled = DecimalText(Array(parts.joined()))
    else { return nil }
    let scale = (parts.count == 2 ? parts[1].count : 0) - exponent
    self.init(unscaled.scaled(by: max(0, -scale)), scale: max(0, scale))
  }

  private static func exponent(_ text: ArraySlice<UInt8>) -> Int? {
    guard let first = text.first else { return 0 }
    let digits = "+-".utf8.contains(first) ? text.dropFirst() : text
    guard let value = Int(decimal: digits), value <= largestExponent else { return nil }
    return first == UInt8(ascii: "-") ? -value : value
  }

  /// - Parameter fraction: the digits after the point.
  init(_ whole: Int, fraction: [UInt8]) {
    let rest = DecimalText(fraction) ?? DecimalText(0)
    scale = fraction.count
    // The fraction is added to a negative whole number too.
    unscaled =
      whole < 0
      ? DecimalText(0) - (DecimalText(-whole).scaled(by: scale) - rest) : DecimalText(whole).scaled(by: scale) + rest
  }

  static let zero = ScaledNumber(DecimalText(0), scale: 0)

  var isZero: Bool { unscaled == DecimalText(0) }

  private func aligned(to scale: Int) -> DecimalText { unscaled.scaled(by: scale - self.scale) }

  static func < (left: ScaledNumber, right: ScaledNumber) -> Bool {
    let scale = max(left.scale, right.scale)
    return left.aligned(to: scale) < right.aligned(to: scale)
  }

  static func == (left: ScaledNumber, right: ScaledNumber) -> Bool {
    let scale = max(left.scale, right.scale)
    return left.aligned(to: scale) == right.aligned(to: scale)
  }

  /// - Parameter right: not negative.
  static func - (left: ScaledNumber, right: ScaledNumber) -> ScaledNumber {
    let scale = max(left.scale, right.scale)
    return ScaledNumber(left.aligned(to: scale) - right.aligned(to: scale), scale: scale)
  }

  /// The digits before the point, and those after it.
  private var digits: (whole: ArraySlice<UInt8>, fraction: ArraySlice<UInt8>) {
    let all = Array(repeating: UInt8(ascii: "0"), count: max(0, scale + 1 - unscaled.digits.count)) + unscaled.digits
    return (all.dropLast(scale), all.suffix(scale))
  }

  /// The whole number below, and the digits of the fraction to add; nil if the number is too large.
  var parts: (whole: Int, fraction: [UInt8])? {
    guard let whole = Int(decimal: digits.whole) else { return nil }
    let fraction = Array(digits.fraction)
    guard unscaled.isNegative else { return (whole, fraction) }
    guard let rest = DecimalText(fraction), rest != DecimalText(0) else { return (-whole, fraction) }
    let complement = ScaledNumber(DecimalText(1).scaled(by: scale) - rest, scale: scale)
    return (-whole - 1, Array(complement.digits.fraction))
  }

  var text: [UInt8] {
    let sign = unscaled.isNegative ? [UInt8(ascii: "-")] : []
    return sign + digits.whole + (scale == 0 ? [] : [UInt8(ascii: ".")] + digits.fraction)
  }
}

/// A value of an item that a server filters by.
struct SinceValue: Equatable, Sendable {
  enum Kind: String, Sendable {
    case number, time, text

    /// With an article.
    var name: String {
      switch self {
      case .number: "a number"
      case .time: "a time (RFC 3339)"
      case .text: "a string"
      }
    }
  }

  let kind: Kind
  /// As in the item, or the decoded text of a string.
  let text: [UInt8]
  /// The number, or the seconds since 1970; nil for a text.
  let amount: ScaledNumber?

  /// - Parameter kind: what the value must be; nil for the kind that it looks like.
  /// - Returns: nil if it cannot be that.
  init?(_ value: JSONValue, as kind: Kind?) {
    guard let text = JSONText.scalar(value) else { return nil }
    let isNumber = value.kind == .number
    if let kind {
      guard kind == .number || !isNumber else { return nil }
      self.init(text, as: kind)
    } else {
      for kind in [Kind.time, .number] where kind == .number || !isNumber {
        if let found = SinceValue(text, as: kind) {
          self = found
          return
        }
      }
      guard !isNumber else { return nil }
      self.init(text, as: .text)
    }
  }

  init?(_ text: [UInt8], as kind: Kind) {
    self.kind = kind
    self.text = text
    switch kind {
    case .number: amount = ScaledNumber(text)
    case .time: amount = ISOTime(text).map { ScaledNumber($0.seconds, fraction: $0.fraction) }
    case .text: amount = nil
    }
    if kind != .text, amount == nil { return nil }
  }

  /// Whether this is smaller than another value of its kind.
  func isBelow(_ other: SinceValue) -> Bool {
    if let amount, let other = other.amount { return amount < other }
    return text.lexicographicallyPrecedes(other.text)
  }

  /// The value less a number, or less seconds, as a text of the same form; nil if it is a text.
  func less(_ overlap: ScaledNumber) -> [UInt8]? {
    if overlap.isZero { return text }
    guard let amount else { return nil }
    guard kind == .time else { return (amount - overlap).text }
    guard let parts = (amount - overlap).parts else { return nil }
    return ISOTime(text)?.text(at: parts.whole, fraction: parts.fraction)
  }
}
