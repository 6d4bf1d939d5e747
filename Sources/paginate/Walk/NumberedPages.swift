import FeedCore
import FeedHTTP

/// The numbers of pages, for a rule that counts pages or items. They say which requests will follow before the pages have
/// come.
struct NumberedPages: Equatable {
  private let rule: NextRule
  private let start: Int
  private let countsItems: Bool

  /// - Returns: nil if the rules do not count.
  init?(_ rules: NextRules?) {
    guard let rule = rules?.deciding, let counter = rule.counter, let start = Self.int(counter.first) else {
      return nil
    }
    (self.rule, self.start, countsItems) = (rule, start, !counter.countsPages)
  }

  /// The number in a request; nil if it is too large.
  func number(of request: PageRequest) -> Int? { (try? rule.number(in: request, DecimalText(start))).flatMap(Self.int) }

  /// The request for another number.
  func request(_ number: Int, like request: PageRequest) -> PageRequest {
    (try? rule.setting(DecimalText(number), in: request)) ?? request
  }

  /// The requests after `next` that the total allows.
  /// - Parameters:
  ///   - page: the request of the page that led to `next`.
  ///   - end: the first number without a page.
  func requests(after next: PageRequest, from page: PageRequest, before end: Int, atMost count: Int) -> [PageRequest] {
    guard count > 0, let here = number(of: page), let there = number(of: next), there > here else { return [] }
    var result: [PageRequest] = []
    var (number, isTooLarge) = there.addingReportingOverflow(there - here)
    while !isTooLarge, number < end, result.count < count {
      result.append(request(number, like: next))
      (number, isTooLarge) = number.addingReportingOverflow(there - here)
    }
    return result
  }

  /// The first number without a page; nil if the page does not say how many there are.
  /// - Parameter size: the most items that a page has had.
  func end(_ counts: PageCounts, size: Int) -> Int? {
    let items = counts.items.flatMap { Self.int($0.value) }
    if countsItems { return items.flatMap { Self.sum(start, $0) } }
    // If numbers start at 0, the last page has the count less one.
    if let pages = counts.pages.flatMap({ Self.int($0.value) }) { return Self.sum(pages, start == 0 ? 0 : 1) }
    guard let items, size > 0 else { return nil }
    return Self.sum(start, items / size + (items % size == 0 ? 0 : 1))
  }

  /// How many items are on the pages before this one; nil if the rule does not count pages.
  func position(of request: PageRequest, size: Int) -> Int? {
    guard !countsItems, let number = number(of: request), number >= start else { return nil }
    let (position, isTooLarge) = (number - start).multipliedReportingOverflow(by: size)
    return isTooLarge ? nil : position
  }

  /// - Returns: nil for a negative number, or one that is larger than an Int.
  static func int(_ number: DecimalText) -> Int? { Int(decimal: number.text) }

  private static func sum(_ left: Int, _ right: Int) -> Int? {
    let (sum, isTooLarge) = left.addingReportingOverflow(right)
    return isTooLarge ? nil : sum
  }
}
