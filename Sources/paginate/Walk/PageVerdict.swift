// What a page means for the walk. This is the only place that decides whether a page is the last one. The first row that
// fits decides:
//
//     without a rule
//       a sign of more, or more items or pages than are here     nothing is printed, and the message says what to type
//       a count that may be of the feed or of the page           the items, then status 1
//       no items; a sign of the end; a count that fits           the end
//       nothing of these                                         the items, then status 1
//     with a rule
//       --has-more says that there is no more                    the end, even if there is a link or cursor
//       no value, but the page says that there is more           an error
//       no value on page 1, and a sign of more                   an error that says what to type
//       no value on page 1, an array, where no member can be      an error
//       no value, and fewer items than the total                 status 1
//       no value: null, false, absent or ""                      the end
//       the page leads to itself                                 the end, or status 1 as in the two rows above
//       an empty page of a rule that counts                      the end, or status 1 if the page says more
//       all is read, by a count that is firm                     the end
//
// A short page never ends a walk: servers filter after counting.

import FeedCore
import FeedHTTP

/// Why a walk has ended.
enum WalkEnding: Equatable, Sendable {
  /// `--has-more` says so.
  case noMore
  /// No link or cursor.
  case noNext
  case emptyPage
  /// As many items were read as the page says there are.
  case total
  /// The page leads to itself.
  case sameCursor
  /// There is no rule, and nothing shows that the page is the whole feed: why.
  case open(String)
  /// The rule leads nowhere, but the page shows that this is not the end: how.
  case incomplete(String)
}

/// What a page means for the walk.
enum PageVerdict: Equatable {
  case next
  case end(WalkEnding)
  /// Nothing of the page may be printed.
  case refused(WalkError)
  /// The items are valid, but there is no way to go on.
  case failure(WalkError)

  /// - Parameters:
  ///   - step: what the rule found on the page.
  ///   - pages: how many were read, with this one.
  ///   - inARow: how many items are on the pages from the first one in a row; nil if pages were left out or read again.
  static func of(
    _ step: NextStep?, by rules: NextRules, on context: PageContext, _ pages: Int, _ inARow: Int?,
    _ progress: WalkProgress
  ) -> PageVerdict {
    let page = context.page
    if rules.isNone || page.hasMore == false { return .end(page.hasMore == false ? .noMore : .noNext) }
    if page.items.isEmpty, !rules.isInPage {
      guard let place = more(page, PageFacts(context)) else { return .end(step == nil ? .noNext : .emptyPage) }
      return .end(.incomplete("the page is empty, but \(place) says that there is more; is --next right?"))
    }
    guard let step else { return atTheEnd(rules, context, isFirst: pages == 1, inARow) }
    return isTotal(step, rules, context, pages, progress) ? .end(.total) : .next
  }

  /// The place of what says that there is more, if it is said by yes or no.
  private static func more(_ page: Page, _ facts: PageFacts) -> String? {
    facts.saysMore ?? (page.hasMore == true ? "--has-more" : nil)
  }

  /// The page has no value for the rule.
  private static func atTheEnd(
    _ rules: NextRules, _ context: PageContext, isFirst: Bool, _ inARow: Int?
  ) -> PageVerdict {
    let page = context.page
    let facts = PageFacts(context)
    if rules.isInPage, let place = more(page, facts) {
      let advice = isFirst ? facts.more.first { $0.advice.hasPrefix("--next ") }?.text : nil
      let error = WalkError(
        .page,
        "\(place) says that there is more, but the page \(rules.missing ?? "has no next one") (--next)"
          + (advice.map { ": there is \($0)" } ?? ""), at: 0)
      return isFirst ? .refused(error) : .failure(error)
    }
    // A value that is null says itself that there is no more.
    if isFirst, let missing = rules.missing, !facts.hasEnd, !rules.hasPlace(on: context) {
      if let more = facts.moreShown {
        return .refused(WalkError(.page, "the page \(missing) (--next), but \(more)", at: 0))
      }
    }
    if isFirst, !page.items.isEmpty, let missing = rules.missing, rules.cannotFit(page.root) {
      return .refused(WalkError(.page, "the page is an array, so it \(missing) (--next)", at: 0))
    }
    if let total = page.counts.items, total.isWhole || isFirst, let read = inARow, read > 0,
      DecimalText(read) < total.value, PageFacts.isAtTop(context.first)
    {
      return .end(short(read, of: total))
    }
    return .end(.noNext)
  }

  /// The page leads to itself, so nothing can follow.
  /// - Parameter received: how many items were read; nil if that is not known.
  static func atItself(_ page: Page, pages: Int, received: Int?) -> WalkEnding {
    if page.hasMore == true {
      return .incomplete("the page leads to itself, but --has-more says that there is more; is --next right?")
    }
    guard let total = page.counts.items, total.isWhole || pages == 1, let received, received > 0,
      DecimalText(received) < total.value
    else { return .sameCursor }
    return short(received, of: total)
  }

  private static func short(_ read: Int, of total: PageCounts.Count) -> WalkEnding {
    .incomplete("the feed ended after \(read) of \(total.shown); is --next right?")
  }

  // MARK: Totals

  /// Whether everything is read, by a count that may end a walk.
  private static func isTotal(
    _ step: NextStep, _ rules: NextRules, _ context: PageContext, _ pages: Int, _ progress: WalkProgress
  ) -> Bool {
    let page = context.page
    let total = firm(page.counts.items)
    let counter = rules.counting?.counter
    if let total, let counter, !counter.countsPages, let next = DecimalText(step.deciding),
      !(next < total + counter.first)
    {
      return true
    }
    if page.items.isEmpty, pages > 1, let total, let received = progress.received(page),
      !(DecimalText(received) < total)
    {
      return true
    }
    guard let counter, counter.countsPages, let rule = rules.deciding else { return false }
    return isLastPage(rule, counter.first, context, progress)
  }

  /// A count that may end a walk.
  private static func firm(_ count: PageCounts.Count?) -> DecimalText? {
    count.flatMap { $0.isFirm ? $0.value : nil }
  }

  /// Whether there is no next page number: by a count of pages, or of items.
  private static func isLastPage(
    _ rule: NextRule, _ start: DecimalText, _ context: PageContext, _ progress: WalkProgress
  ) -> Bool {
    let here = (try? rule.number(in: context.request, start)) ?? start
    // If numbers start at 0, the last page has the count less one.
    if let pages = firm(context.page.counts.pages),
      !(here + DecimalText(start == DecimalText(0) ? 1 : 0) < pages)
    {
      return true
    }
    guard let total = firm(context.page.counts.items) else { return false }
    // Items can be counted only if the walk began at the first page.
    let began = (try? rule.number(in: context.first, start)) ?? start
    guard began == start, let received = progress.received(context.page) else { return false }
    return !(DecimalText(received) < total)
  }
}

extension NextRules {
  /// `has nothing at /nxt`; nil if the rules do not name a place.
  fileprivate var missing: String? {
    switch deciding?.source {
    case .link: "has no next link in a Link header"
    case .place(.body(let pointer), _): "has nothing at \(pointer.shown)"
    case .place(.header(let field), _): "has no header '\(quoted(field))'"
    case .item, .counted, .same, .constant, nil: nil
    }
  }

  /// Whether no page of this kind can have a value: an array has no members.
  fileprivate func cannotFit(_ root: JSONValue) -> Bool {
    root.kind == .array
      && alternatives.allSatisfy { rule in
        guard case .body(let pointer) = rule.place, let first = pointer.tokens.first else { return false }
        return Int(decimal: first) == nil
      }
  }

  /// Whether a page has anything at the place, if only `null`.
  fileprivate func hasPlace(on context: PageContext) -> Bool {
    alternatives.contains { rule in
      switch rule.place {
      case .body(let pointer): context.page.root.value(at: pointer) != nil
      case .header(let field): context.head?.value(ofField: field) != nil
      case nil: false
      }
    }
  }
}
