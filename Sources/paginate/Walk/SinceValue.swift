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

  /// - Returns: nil if the exponent is too large; 0 if there is none.
  private static func exponent(_ text: ArraySlice<UInt8>) -> Int? {
    guard let first = text.first else { return 0 }
    let digits = "+-".utf8.contains(first) ? text.dropFirst() : text
    guard let value = Int(decimal: digits), value <= largestExponent else { return nil }
    return first == UInt8(ascii: "-") ? -value : value
  }

  /// - Parameter fraction: the digits after the point.
  init(_ whole: Int, fraction: [UInt8]) {
    scale = fraction.count
    // The fraction is added to a negative whole number too.
    unscaled = DecimalText(whole).scaled(by: scale).shifted(by: DecimalText(fraction) ?? DecimalText(0))
  }

  private func aligned(to scale: Int) -> DecimalText { unscaled.scaled(by: scale - self.scale) }

  static func < (left: ScaledNumber, right: ScaledNumber) -> Bool {
    let scale = max(left.scale, right.scale)
    return left.aligned(to: scale) < right.aligned(to: scale)
  }

  static func == (left: ScaledNumber, right: ScaledNumber) -> Bool { !(left < right) && !(right < left) }

  /// The number plus a whole one. It keeps all its digits after the point.
  func shifted(by shift: DecimalText) -> ScaledNumber {
    ScaledNumber(unscaled.shifted(by: shift.scaled(by: scale)), scale: scale)
  }

  var text: [UInt8] {
    let sign = unscaled.isNegative ? [UInt8(ascii: "-")] : []
    let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: max(0, scale + 1 - unscaled.digits.count))
    let digits = zeros + unscaled.digits
    return sign + digits.dropLast(scale) + (scale == 0 ? [] : [UInt8(ascii: ".")] + digits.suffix(scale))
  }
}

/// A value of an item that a server filters by.
struct SinceValue: Equatable, Sendable {
  enum Kind: String, Sendable {
    case number, time
    /// A time without an offset: all are of one unknown zone.
    case local
    case text

    /// With an article.
    var name: String {
      switch self {
      case .number: "a number"
      case .time: "a time (RFC 3339)"
      case .local: "a time without an offset"
      case .text: "a string"
      }
    }
  }

  let kind: Kind
  /// As in the item, or the decoded text of a string.
  let text: [UInt8]
  /// The number, or the seconds since 1970; nil for a text.
  let amount: ScaledNumber?

  /// The kinds that can be shifted, in the order in which a text is tried.
  static let amounts: [Kind] = [.time, .local, .number]

  /// - Parameters:
  ///   - isNumber: whether it is a number of JSON.
  ///   - kind: what the value must be; nil for the kind that it looks like.
  /// - Returns: nil if it cannot be that.
  init?(_ text: [UInt8], isNumber: Bool, as kind: Kind?) {
    if isNumber, kind != nil, kind != .number { return nil }
    self.init(text, as: kind.map { [$0] } ?? (isNumber ? [.number] : Self.amounts + [.text]))
  }

  /// - Returns: the value as the first of these kinds that fits; nil if none does.
  init?(_ text: [UInt8], as kinds: [Kind]) {
    guard let found = kinds.lazy.compactMap({ SinceValue(text, as: $0) }).first else { return nil }
    self = found
  }

  /// - Returns: nil for a text that is no number or time, if it must be one.
  init?(_ text: [UInt8], as kind: Kind) {
    self.kind = kind
    self.text = text
    switch kind {
    case .number: amount = ScaledNumber(text)
    case .time, .local:
      amount = ISOTime(text, isLocal: kind == .local).map { ScaledNumber($0.seconds, fraction: $0.fraction) }
    case .text: amount = nil
    }
    if kind != .text, amount == nil { return nil }
  }

  /// Whether this is smaller than another value of its kind.
  func isBelow(_ other: SinceValue) -> Bool {
    if let amount, let other = other.amount { return amount < other }
    return text.lexicographicallyPrecedes(other.text)
  }

  /// The value plus or minus a number, or seconds, as a text of the same form; nil if it is a text.
  func shifted(by shift: DecimalText?) -> [UInt8]? {
    guard let shift else { return text }
    guard kind == .time || kind == .local, let time = ISOTime(text, isLocal: kind == .local) else {
      return amount?.shifted(by: shift).text
    }
    // Whole seconds are added, so the fraction stays.
    let moved = DecimalText(time.seconds).shifted(by: shift)
    guard let seconds = Int(decimal: moved.digits) else { return nil }
    return time.text(at: moved.isNegative ? -seconds : seconds, fraction: time.fraction)
  }
}
