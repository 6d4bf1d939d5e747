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

extension Walker {
  /// What a page means if no rule is known.
  /// - Throws: if there is more than the page, so that nothing of it may be printed.
  func verdict(withoutRule page: Page, _ response: NextResponse) throws(NextError) -> WalkOutcome {
    if page.hasMore == false { return .end(.noMore) }
    let unknown = "cannot tell how to ask for the next page"
    let facts = PageFacts(page, response)
    if let more = facts.moreShown { throw .usage("\(unknown): \(more)") }
    if page.items.isEmpty { return .end(.emptyPage) }
    let missing = facts.missingShown
    if let missing, page.counts.items?.isWhole == true { throw .usage("\(unknown): \(missing)") }
    if missing == nil, facts.isWhole { return .end(.noNext) }
    let described = ItemArray.described(page.root)
    if page.hasMore == true || options.findsLink { throw .usage("\(unknown) (--next): the page is \(described)") }
    let only = "found no next page, so this may not be the whole feed (if it is, type --next none): the page is "
    return .end(.open(missing ?? only + described))
  }

  /// What a page means for a rule.
  /// - Parameters:
  ///   - step: what the rule found on the page.
  ///   - inARow: how many items are on the pages from the first one in a row; nil if pages were left out or read again.
  /// - Returns: nil if the step leads on.
  /// - Throws: if nothing of the page may be printed.
  func verdict(
    _ step: NextStep?, by rules: NextRules, on page: Page, _ response: NextResponse, _ inARow: Int?,
    _ progress: WalkProgress
  ) throws(NextError) -> WalkOutcome? {
    if page.hasMore == false { return .end(.noMore) }
    if rules.isNone { return .end(.noNext) }
    if page.items.isEmpty, !rules.isInPage {
      guard let place = Self.more(page, PageFacts(page, response)) else {
        return .end(step == nil ? .noNext : .emptyPage)
      }
      return .end(.incomplete("the page is empty, but \(place) says that there is more; is --next right?"))
    }
    guard let step else { return try atTheEnd(rules, page, response, inARow) }
    return isTotal(step, rules, page, response, progress) ? .end(.total) : nil
  }

  /// The place of what says that there is more, if it is said by yes or no.
  private static func more(_ page: Page, _ facts: PageFacts) -> String? {
    facts.saysMore ?? (page.hasMore == true ? "--has-more" : nil)
  }

  /// The page has no value for the rule.
  private func atTheEnd(
    _ rules: NextRules, _ page: Page, _ response: NextResponse, _ inARow: Int?
  ) throws(NextError) -> WalkOutcome {
    let facts = PageFacts(page, response)
    let isFirst = pages == 1
    if rules.isInPage, let place = Self.more(page, facts) {
      let advice = isFirst ? facts.more.first { $0.advice.hasPrefix("--next ") }?.text : nil
      let error = NextError.response(
        "\(place) says that there is more, but the page \(rules.missing ?? "has no next one") (--next)"
          + (advice.map { ": there is \($0)" } ?? ""), at: 0)
      if isFirst { throw error }
      return .failure(error)
    }
    if isFirst, let missing = rules.missing {
      // A value that is null says itself that there is no more.
      if !facts.hasEnd, !rules.hasPlace(on: response), let more = facts.moreShown {
        throw .response("the page \(missing) (--next), but \(more)", at: 0)
      }
      if !page.items.isEmpty, rules.cannotFit(page.root) {
        throw .response("the page is an array, so it \(missing) (--next)", at: 0)
      }
    }
    return .end(PageFacts.isAtTop(response.first) ? short(page, inARow) ?? .noNext : .noNext)
  }

  /// The end of a walk whose page leads to itself, so that nothing can follow.
  /// - Parameter received: how many items were read; nil if that is not known.
  func endAtItself(_ page: Page, received: Int?) -> WalkEnding {
    if page.hasMore == true {
      return .incomplete("the page leads to itself, but --has-more says that there is more; is --next right?")
    }
    return short(page, received) ?? .sameCursor
  }

  // MARK: Totals

  /// The ending if the page says that the feed has more items than were read; else nil.
  private func short(_ page: Page, _ read: Int?) -> WalkEnding? {
    guard let total = page.counts.items, total.isWhole || pages == 1, let read, read > 0,
      DecimalText(read) < total.value
    else { return nil }
    return .incomplete("the feed ended after \(read) of \(total.shown); is --next right?")
  }

  /// Whether everything is read, by a count that may end a walk.
  private func isTotal(
    _ step: NextStep, _ rules: NextRules, _ page: Page, _ response: NextResponse, _ progress: WalkProgress
  ) -> Bool {
    let total = page.counts.items?.firm
    let counter = rules.deciding?.counter
    if let total, let counter, !counter.countsPages, let next = DecimalText(step.deciding),
      next >= total + counter.first
    {
      return true
    }
    func isRead() -> Bool {
      guard let total, let received = progress.received(page) else { return false }
      return DecimalText(received) >= total
    }
    if page.items.isEmpty, pages > 1, isRead() { return true }
    guard let counter, counter.countsPages, let rule = rules.deciding else { return false }
    let start = counter.first
    let here = (try? rule.number(in: response.request, start)) ?? start
    // If numbers start at 0, the last page has the count less one.
    if let count = page.counts.pages?.firm, here + DecimalText(start == DecimalText(0) ? 1 : 0) >= count { return true }
    // Items can be counted only if the walk began at the first page.
    return ((try? rule.number(in: response.first, start)) ?? start) == start && isRead()
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
  fileprivate func hasPlace(on response: NextResponse) -> Bool {
    alternatives.contains { rule in
      switch rule.place {
      case .body(let pointer): response.root.value(at: pointer) != nil
      case .header(let field): response.head?.value(ofField: field) != nil
      case nil: false
      }
    }
  }
}
