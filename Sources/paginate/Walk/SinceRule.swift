// `--since TARGET=SOURCE`: what a run asks for is what came after the last complete run. The text is that of `--next`
// (NextRule+Text). The value is the greatest one of the items, or one that the response holds, such as a link to what comes
// later.

import FeedCore
import FeedHTTP

extension OptionType<NextRule> {
  /// The value of `--since`.
  static let since = Self("RULE") { bytes throws(OptionRefusal) in
    let parsed = try NextRule.parse(bytes)
    switch parsed?.source {
    case .item(.max, _, _), .place: if let parsed { return parsed }
    case .item, .counted, .link, .same, .constant, nil: break
    }
    throw OptionRefusal(
      "expected NAME=max:/POINTER for the greatest value of the items, or NAME=/POINTER for a value of the page")
  }
}

extension NextRule {
  /// The place of the value in an item; nil if it is not there.
  var itemPointer: JSONPointer? { if case .item(_, let pointer, _) = source { pointer } else { nil } }

  /// The rule without what is added to the value, and that.
  fileprivate var unshifted: (source: Source, shift: DecimalText?) {
    switch source {
    case .item(let pick, let pointer, let shift): (.item(pick, pointer, shift: nil), shift)
    case .place(let place, let shift): (.place(place, shift: nil), shift)
    case .counted, .link, .same, .constant: (source, nil)
    }
  }
}

/// What the store keeps for `--since`.
struct SinceMark: Equatable, Sendable {
  /// Where the values come from.
  let source: [UInt8]
  /// The value when the feed was last read completely; nil if it never was.
  var covered: SinceValue?
  /// The greatest value of all that was read, or the last one that a response had.
  var greatest: SinceValue
}

/// `--since` in a run.
struct SinceReader: Sendable {
  private let rule: NextRule
  /// Where the values come from.
  let source: [UInt8]
  /// What is added to the value.
  private let shift: DecimalText?
  private(set) var mark: SinceMark?

  /// - Parameter mark: as stored; nil if nothing is.
  init(_ rule: NextRule, _ mark: SinceMark?) {
    self.rule = rule
    shift = rule.unshifted.shift
    source = rule.unshifted.source.text
    self.mark = mark?.source == source ? mark : nil
  }

  /// Whether the response has the value, on its last page.
  var isOfPage: Bool { rule.place != nil }

  /// For messages.
  var shown: String { "--since \(typed(rule.text))" }

  /// What to type if the items have the value.
  var advice: String {
    guard case .body(let pointer) = rule.place else { return "" }
    return "; for the greatest value of the items type \(quoted(rule.target.text))=max:\(pointer.shown)"
  }

  /// Whether the first request asks only for what is newer than the known items.
  var isFiltered: Bool { mark?.covered != nil }

  /// Whether the response to that request must show known items again: it begins below the greatest value.
  var mustJoin: Bool { shift?.isNegative ?? false }

  /// The first request of a run.
  /// - Throws: if the value fits no request.
  func applied(to first: PageRequest) throws(NextError) -> PageRequest {
    guard let value = mark?.covered, let text = value.shifted(by: shift) else { return first }
    return try rule.setting(value.kind == .number ? .number(text) : .text(text), in: first)
  }

  /// Whether a request has the value as this run sets it.
  func isApplied(to request: PageRequest, _ first: PageRequest) -> Bool {
    if rule.target == .url { return true }
    guard let ours = try? applied(to: first), ours != first else { return false }
    let value = try? rule.text(in: ours)
    return value != nil && value == (try? rule.text(in: request))
  }

  /// The mark in a response that refuses the value of this run; nil if it has none.
  func mark(in response: HTTPResponse) -> SinceMark? {
    guard let place = rule.place, rule.target != .url, let root = try? JSONDocument(parsing: response.body).root,
      let text = NextRule.value(at: place, of: root, response.head)?.text, text != mark?.covered?.text,
      let value = SinceValue(text, as: .text)
    else { return nil }
    return SinceMark(source: source, covered: value, greatest: value)
  }

  /// Reads the value of a page, or those of its items.
  /// - Parameter resolve: makes a URL of a link, if it may be followed.
  /// - Returns: for each item, whether its value is greater than the covered ones.
  /// - Throws: if a value is of another type than the first, or no item has a value.
  mutating func read(
    _ page: Page, _ head: HTTPHead?, _ resolve: ([UInt8]) throws(NextError) -> [UInt8]
  ) throws(NextError) -> [Bool] {
    guard let place = rule.place else { return try read(page.items) }
    if let value = NextRule.value(at: place, of: page.root, head), var text = value.text {
      if rule.target == .url { text = try resolve(text) }
      let isNumber = if case .json(let json) = value { json.kind == .number } else { false }
      let kind: SinceValue.Kind = isNumber ? .number : .text
      guard let found = SinceValue(text, as: shift == nil ? [kind] : SinceValue.amounts) else {
        throw .response("expected a number or a time there (\(shown))", at: 0)
      }
      if mark == nil { mark = SinceMark(source: source, greatest: found) }
      mark?.greatest = found
    }
    return page.items.map { _ in true }
  }

  /// - Returns: for each item, whether its value is greater than what is covered.
  private mutating func read(_ items: [PageItem]) throws(NextError) -> [Bool] {
    var result: [Bool] = []
    var hasValue = items.isEmpty
    let place = rule.itemPointer.map { "at \($0.shown)" } ?? "as the id"
    for (index, item) in items.enumerated() {
      let value = rule.itemPointer.map { item.value.value(at: $0) } ?? item.value
      let text = rule.itemPointer == nil ? item.id ?? JSONText.scalar(item.value) : value.flatMap(JSONText.scalar)
      guard let value, !value.isNull, text?.isEmpty != true else {
        result.append(false)
        // Once there was a value, the pointer is right, and this item has none.
        hasValue = hasValue || (mark != nil && value != nil)
        continue
      }
      hasValue = true
      func unexpected(_ wanted: String) -> NextError {
        let found = text.map { "'\(shortened($0))'" } ?? value.kind.name
        return .response(
          "item \(index + 1): expected \(wanted) \(place), found \(found) (\(shown))", at: value.range.lowerBound)
      }
      let isNumber = value.kind == .number
      guard let text, let found = SinceValue(text, isNumber: isNumber, as: mark?.greatest.kind) else {
        throw unexpected(mark?.greatest.kind.name ?? "a number, a time or a string")
      }
      if found.kind == .text, shift != nil { throw unexpected("a number or a time") }
      if mark == nil { mark = SinceMark(source: source, greatest: found) }
      if mark?.greatest.isBelow(found) == true { mark?.greatest = found }
      result.append(mark?.covered?.isBelow(found) ?? false)
    }
    if !hasValue, let first = items.first {
      throw .response("no item has a value \(place) (\(shown))", at: first.value.range.lowerBound)
    }
    return result
  }
}
