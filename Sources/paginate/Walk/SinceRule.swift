// `--since PARAM=POINTER[@START]` and `--since-overlap`: the options, and what they do in a run.

import FeedCore
import FeedHTTP

/// The value of `--since`.
struct SinceRule: Equatable, Sendable {
  /// The query parameter, as typed.
  let parameter: [UInt8]
  /// Where the value is in an item.
  let pointer: JSONPointer
  /// The value for the first run.
  let start: [UInt8]?
  let text: [UInt8]

  static let expected = "PARAM=POINTER or PARAM=POINTER@START"

  /// An `@` directly after a slash belongs to the pointer: `/@timestamp`.
  init(_ text: [UInt8]) throws(OptionRefusal) {
    guard let sign = text.firstIndex(of: UInt8(ascii: "=")), sign > 0 else {
      throw .expected(Self.expected, found: text)
    }
    let rest = text[(sign + 1)...]
    let mark = rest.indices.last { rest[$0] == UInt8(ascii: "@") && text[$0 - 1] != UInt8(ascii: "/") }
    parameter = Array(text[..<sign])
    pointer = try JSONPointer(typed: Array(rest[..<(mark ?? rest.endIndex)]), suchAs: "/updated_at")
    start = mark.flatMap { $0 + 1 < rest.endIndex ? Array(rest[($0 + 1)...]) : nil }
    self.text = text
  }
}

/// The value of `--since-overlap`: a number, or a time with a unit.
struct SinceOverlap: Equatable, Sendable {
  let amount: ScaledNumber
  let isTime: Bool
  let text: [UInt8]

  private static let expected = "a number such as 10 or 0.5, or a time such as 5m"

  static let none = SinceOverlap(amount: .zero, isTime: false, text: [UInt8(ascii: "0")])

  private init(amount: ScaledNumber, isTime: Bool, text: [UInt8]) {
    self.amount = amount
    self.isTime = isTime
    self.text = text
  }

  init(_ text: [UInt8]) throws(OptionRefusal) {
    let digits = text.prefix { $0.isDigit || $0 == UInt8(ascii: ".") }
    isTime = digits.count < text.count
    var exact = Array(digits)
    if isTime {
      guard let seconds = try? OptionType.time(text) else { throw .expected(Self.expected, found: text) }
      exact = Array((seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)").utf8)
    }
    guard let amount = ScaledNumber(exact) else { throw .expected(Self.expected, found: text) }
    self.amount = amount
    self.text = text
  }

  var isZero: Bool { amount.isZero }
}

extension OptionType<SinceRule> {
  static let since = Self("PARAM=POINTER[@START]") { bytes throws(OptionRefusal) in try SinceRule(bytes) }
}

extension OptionType<SinceOverlap> {
  static let sinceOverlap = Self("N|SECONDS") { bytes throws(OptionRefusal) in try SinceOverlap(bytes) }
}

/// What the store keeps for `--since`.
struct SinceMark: Equatable, Sendable {
  /// Where the values are in an item.
  let pointer: [UInt8]
  /// The greatest value when the feed was last read completely; nil if it never was.
  var covered: SinceValue?
  /// The greatest value of all that was read.
  var greatest: SinceValue
}

/// `--since` in a run.
struct SinceReader: Sendable {
  let rule: SinceRule
  private let overlap: SinceOverlap
  private(set) var mark: SinceMark?

  /// - Parameter mark: as stored; nil if nothing is.
  init(_ rule: SinceRule, _ overlap: SinceOverlap, _ mark: SinceMark?) throws(ToolFailure) {
    self.rule = rule
    self.overlap = overlap
    self.mark = mark?.pointer == rule.pointer.text ? mark : nil
    guard !overlap.isZero, let kind = self.mark?.greatest.kind else { return }
    if kind == .text {
      throw .usage("option '--since-overlap' has no meaning with text, which is at \(rule.pointer.shown)")
    }
    if kind == .number, overlap.isTime {
      throw .usage(
        "option '--since-overlap': expected a number, as at \(rule.pointer.shown), found '\(quoted(overlap.text))'")
    }
  }

  /// Whether the first request asks only for what is newer than the known items.
  var isFiltered: Bool { mark?.covered != nil }

  /// Whether the answer to that request must show known items again.
  var mustJoin: Bool { !overlap.isZero }

  /// The first request of a run.
  func applied(to first: PageRequest) -> PageRequest {
    guard let value = mark?.covered.map({ $0.less(overlap.amount) ?? $0.text }) ?? rule.start else {
      return first
    }
    var request = first
    var url = QueryString(first.url)
    url.set(rule.parameter, to: value)
    request.url = url.text
    return request
  }

  /// Whether a request has the parameter as this run sets it.
  func isApplied(to request: PageRequest) -> Bool {
    let value = QueryString(applied(to: request).url).value(of: rule.parameter)
    return value != nil && value == QueryString(request.url).value(of: rule.parameter)
  }

  /// Reads the values of a page.
  /// - Returns: for each item, whether its value is greater than the covered ones.
  /// - Throws: if a value is of another type than the first, or no item has a value.
  mutating func read(_ items: [PageItem]) throws(WalkError) -> [Bool] {
    var result: [Bool] = []
    var hasValue = items.isEmpty
    for (index, item) in items.enumerated() {
      guard let value = item.value.value(at: rule.pointer), !value.isNull, value.string?.isEmpty != true else {
        result.append(false)
        // Once there was a value, the pointer is right, and this item has none.
        hasValue = hasValue || (mark != nil && item.value.value(at: rule.pointer) != nil)
        continue
      }
      hasValue = true
      guard let found = SinceValue(value, as: mark?.greatest.kind) else {
        let text = JSONText.scalar(value).map { "'\(shortened($0))'" } ?? value.kind.name
        throw WalkError(
          .page,
          "item \(index + 1): expected \(mark?.greatest.kind.name ?? "a number, a time or a string") at "
            + "\(rule.pointer.shown), found \(text) (--since)",
          at: value.range.lowerBound)
      }
      if mark == nil { mark = SinceMark(pointer: rule.pointer.text, greatest: found) }
      if mark?.greatest.isBelow(found) == true { mark?.greatest = found }
      result.append(mark?.covered?.isBelow(found) ?? false)
    }
    if !hasValue, let first = items.first {
      throw WalkError(
        .page, "no item has a value at \(rule.pointer.shown) (--since)", at: first.value.range.lowerBound)
    }
    return result
  }
}
