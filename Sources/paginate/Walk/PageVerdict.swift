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
//       no member on page 1, and another sign that it is wrong   status 1
//       no value: null, false, absent or ""                      the end
//       the page leads to itself                                 the end, or status 1 if --has-more says more
//       an empty page of a rule that counts                      the end, or status 1 if the page says more
//       all is read, by --total                                  the end
//       all is read, by a header, and the page shows it too      the end
//       all is read, by a header                                 one more request, whose 404 is the end
//
// Each end is then compared with the least total that the walk has seen: with fewer items, the status is 1. A short page
// never ends a walk: servers filter after counting.

import FeedCore
import FeedHTTP

/// Why a walk has ended.
enum WalkEnding: Equatable, Sendable {
  /// `--has-more` says so.
  case noMore
  /// No link or cursor.
  case noNext
  case emptyPage
  /// The server has no page for the request (204, `--end-status`).
  case noPage
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
  func verdict(
    withoutRule page: Page, _ response: NextResponse, _ progress: WalkProgress
  ) throws(NextError) -> WalkOutcome {
    if page.hasMore == false { return .end(ending(.noMore, page, progress)) }
    let unknown = "cannot tell how to ask for the next page"
    let facts = facts(page, response)
    if let more = facts.moreShown { throw .usage("\(unknown): \(more)") }
    if page.items.isEmpty { return .end(ending(.emptyPage, page, progress)) }
    let missing = facts.missingShown
    if let missing, page.counts.items?.isWhole == true { throw .usage("\(unknown): \(missing)") }
    if missing == nil, facts.isWhole { return .end(ending(.noNext, page, progress)) }
    let described = ItemArray.described(page.root)
    if page.hasMore == true || options.findsLink { throw .usage("\(unknown) (--next): the page is \(described)") }
    let only = "found no next page, so this may not be the whole feed (if it is, type --next none): the page is "
    return .end(.open(missing ?? only + described))
  }

  /// What a page means for a rule.
  /// - Parameter step: what the rule found on the page.
  /// - Returns: nil if the step leads on.
  /// - Throws: if nothing of the page may be printed.
  mutating func verdict(
    _ step: NextStep?, by rules: NextRules, on page: Page, _ response: NextResponse, _ progress: WalkProgress
  ) throws(NextError) -> WalkOutcome? {
    if page.hasMore == false { return .end(ending(.noMore, page, progress)) }
    // Who types that the feed is one page is believed, but for an empty one.
    if rules.isNone { return .end(page.items.isEmpty ? ending(.noNext, page, progress) : .noNext) }
    if page.items.isEmpty, !rules.isInPage {
      guard let place = Self.more(page, facts(page, response)) else {
        return .end(ending(step == nil ? .noNext : .emptyPage, page, progress))
      }
      return .end(.incomplete("the page is empty, but \(place) says that there is more; is --next right?"))
    }
    return step == nil ? try atTheEnd(rules, page, response, progress) : nil
  }

  private func facts(_ page: Page, _ response: NextResponse) -> PageFacts {
    var since: JSONPointer?
    if case .body(let pointer) = options.since?.place { since = pointer }
    return PageFacts(page, response, since: since)
  }

  /// The place of what says that there is more, if it is said by yes or no.
  private static func more(_ page: Page, _ facts: PageFacts) -> String? {
    facts.saysMore ?? (page.hasMore == true ? "--has-more" : nil)
  }

  /// The page has no value for the rule.
  private mutating func atTheEnd(
    _ rules: NextRules, _ page: Page, _ response: NextResponse, _ progress: WalkProgress
  ) throws(NextError) -> WalkOutcome {
    let facts = facts(page, response)
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
    let ending = ending(.noNext, page, progress)
    if isFirst, ending == .noNext, let missing = rules.missing, !rules.hasPlace(on: response),
      let doubt = doubt(rules, page, facts, response)
    {
      return .end(
        .incomplete("the page \(missing) (--next), but \(doubt): the page is \(ItemArray.described(page.root))"))
    }
    // Such a rule may also be wrong, so -v names it.
    if isFirst, options.next != nil, rules.deciding?.source != .link, !facts.hasEnd, !rules.hasPlace(on: response) {
      lackingOnlyPage = rules.missing
    }
    return .end(ending)
  }

  /// What makes it doubtful that a page without the member of the rule is the only one. APIs leave the cursor out of the
  /// last page, so that alone is none.
  private func doubt(
    _ rules: NextRules, _ page: Page, _ facts: PageFacts, _ response: NextResponse
  ) -> String? {
    for rule in rules.alternatives {
      guard case .body(let pointer) = rule.place, let near = SeenName.near(pointer, in: page.root) else { continue }
      return "there is \(near.shown)"
    }
    if facts.hasEnd || page.items.isEmpty { return nil }
    if let count = page.counts.greater(page.root, than: page.items.count, items: page.place) {
      return "there may be \(count.shown)"
    }
    let limit = QueryString(response.request.url).pairs.first { PageFacts.isLimit($0.name, $0.value, page.items.count) }
    return limit.map { "it has as many items as \(quoted($0.name)) allows" }
  }

  // MARK: Ends

  /// The ending of a walk, whatever has ended it: it is incomplete if the feed has more items or pages than were read.
  /// - Parameter page: the last one; one without items if the server has none.
  func ending(_ ending: WalkEnding, _ page: Page, _ progress: WalkProgress) -> WalkEnding {
    guard first.map(PageFacts.isAtTop) ?? false else { return ending }
    if let more = page.counts.remaining {
      return .incomplete("the feed ended before the last \(more.shown); is --next right?")
    }
    // What comes at the top shifts as many items to a later page, where they come again. Both count in the total.
    let isNumbered = shape?.next?.deciding?.counter != nil
    let read = isNumbered ? inARow?.items : progress.held(page) ?? inARow?.items
    if let total = leastTotal(page), let read, DecimalText(read) < total.value {
      return .incomplete("the feed ended after \(read) of \(total.shown); is --next right?")
    }
    if let count = page.counts.pages, count.isWhole, isNumbered, let inARow,
      !page.items.isEmpty, DecimalText(inARow.pages) < count.value
    {
      return .incomplete("the feed ended after \(inARow.pages) of \(count.shown); is --next right?")
    }
    return ending
  }

  /// The least total of the walk so far: a feed may grow or shrink while it is read.
  private func leastTotal(_ page: Page) -> PageCounts.Count? {
    if let items = page.counts.items, !items.isWhole, pages == 1 { return items }
    return least
  }

  /// The end of a walk whose page leads to itself, so that nothing can follow.
  func endAtItself(_ page: Page, _ progress: WalkProgress) -> WalkEnding {
    if page.hasMore == true {
      return .incomplete("the page leads to itself, but --has-more says that there is more; is --next right?")
    }
    return ending(.sameCursor, page, progress)
  }

  // MARK: Totals

  /// Whether everything is read, by a count.
  enum Completion { case unknown, probable, complete }

  func completion(
    _ step: NextStep, _ rules: NextRules, _ page: Page, _ response: NextResponse, _ progress: WalkProgress
  ) -> Completion {
    let total = page.counts.items.flatMap { $0.firm == nil ? nil : $0 }
    func isRead(_ total: PageCounts.Count) -> Bool {
      progress.received(page).map { DecimalText($0) >= total.value } ?? false
    }
    guard let counter = rules.deciding?.counter else {
      // A link or a cursor leads on, whatever a header says.
      guard let total, total.isTyped, page.items.isEmpty, pages > 1 else { return .unknown }
      return isRead(total) ? .complete : .unknown
    }
    /// A header may count the page itself, or be an old one.
    func judged(_ count: PageCounts.Count) -> Completion {
      if count.isTyped { return .complete }
      return page.hasMore != true && hasWitness(page, response, progress) ? .complete : .probable
    }
    if !counter.countsPages {
      guard let total, let next = DecimalText(step.deciding), next >= total.value + counter.first else {
        return .unknown
      }
      return judged(total)
    }
    if let total, page.items.isEmpty, pages > 1, isRead(total) { return judged(total) }
    guard let rule = rules.deciding else { return .unknown }
    let start = counter.first
    let here = (try? rule.number(in: response.request, start)) ?? start
    // If numbers start at 0, the last page has the count less one.
    if let count = page.counts.pages, count.firm != nil,
      here + DecimalText(start == DecimalText(0) ? 1 : 0) >= count.value
    {
      return judged(count)
    }
    // Items can be counted only if the walk began at the first page.
    guard let total, ((try? rule.number(in: response.first, start)) ?? start) == start, isRead(total) else {
      return .unknown
    }
    return judged(total)
  }

  /// Whether something else shows that a page is the last one, too: it is short, or says so, or the number of items is
  /// that of the ids that were read, or fits the number of pages.
  private func hasWitness(_ page: Page, _ response: NextResponse, _ progress: WalkProgress) -> Bool {
    let count = page.items.count
    if count < largest || page.counts.all != nil || facts(page, response).hasEnd { return true }
    guard let total = page.counts.items?.value else { return false }
    if DecimalText(count) < total, let received = progress.received(page), DecimalText(received) == total {
      return true
    }
    guard let said = page.counts.pages, let pages = NumberedPages.int(said.value),
      let items = NumberedPages.int(total), largest > 0
    else { return false }
    return pages == items / largest + (items % largest == 0 ? 0 : 1)
  }
}

extension NextRule {
  /// Where all items have the same value, if this rule sends that of one of them; nil if they have not.
  func same(_ items: [JSONValue]) -> String? {
    guard case .item(_, let pointer?, _) = source, items.count > 1, let value = items[0].value(at: pointer)?.text else {
      return nil
    }
    return items.allSatisfy { $0.value(at: pointer)?.text == value } ? pointer.shown : nil
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
