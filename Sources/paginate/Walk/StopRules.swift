// When a walk ends. The rules are OR-ed: whichever applies first ends it, and none needs another one.
//
//     the page says that there is no more          beats a link or cursor that is there all the same
//     there is no link, or no cursor               null, absent or "" (unless --empty-cursor follow)
//     the page is empty                            unless it says itself where the next one is
//     all are read                                 the total for an offset or a page number
//     the page leads to itself and is empty        or, with Solr's cursorMark, at all
//
// A short page never ends a walk: servers filter after they have counted.

import FeedCore
import FeedHTTP

/// Why a walk has ended.
enum Ending: Equatable, Sendable {
  /// `--has-more` says so.
  case noMore
  /// No link or cursor.
  case noNext
  case emptyPage
  /// As many items as the page says there are.
  case total
  /// The page leads to itself.
  case sameCursor
  /// It says nothing of a next page, and nothing shows that there is none (`OnlyPage`).
  case onlyPage
  /// `--limit`, `--max-pages`, `--until-id`.
  case limit, maxPages, untilID

  /// Whether the feed itself has come to its end.
  var isEndOfFeed: Bool {
    switch self {
    case .limit, .maxPages, .untilID: false
    default: true
    }
  }
}

/// What was asked for in a walk.
struct LoopGuard: Sendable {
  /// After this many pages in a row that bring nothing new, there is no end to it.
  static let staleLimit = 1000

  private var requests = SeenIDs()
  private var cursors = SeenIDs()
  private var staleCount = 0

  /// Takes in how many items of a page are new.
  mutating func add(newItems count: Int) { staleCount = count == 0 ? staleCount + 1 : 0 }

  /// Takes in a request that is made.
  mutating func add(_ request: PageRequest) { _ = requests.insert(request.identity) }

  /// - Throws: when a request would be made again, or with a cursor that had its turn, or when nothing new comes.
  mutating func check(_ next: PageRequest, cursor: [UInt8]?) throws(WalkError) {
    if staleCount >= Self.staleLimit { throw WalkError(.loop, "\(staleCount) pages without a new item") }
    if requests.contains(next.identity) {
      throw WalkError(.loop, "the next page was already read in this run, so it would never end")
    }
    if let cursor, !cursors.insert(cursor) {
      throw WalkError(.loop, "the next page's cursor was already used in this run, so it would never end")
    }
  }
}

enum StopRules {
  /// Whether a page is the last one by what it says and holds.
  /// - Parameters:
  ///   - pages: how many pages have been read, with this one.
  ///   - received: how many items, with those of the page.
  static func ending(
    _ rule: NextRule, _ step: NextStep, after context: PageContext, first: PageRequest, pages: Int, received: Int
  ) throws(WalkError) -> Ending? {
    let page = context.page
    if page.hasMore == false { return .noMore }
    guard step != .none else {
      if pages == 1, page.hasMore == true { try refuseMissing(rule, context) }
      return .noNext
    }
    if page.items.isEmpty, !rule.isToldByPage { return .emptyPage }
    if let total = page.total, isKnown(total, page), case .offset(let name, let start) = rule,
      case .request(let next, _) = step,
      let offset = QueryString(next.url).value(of: name).flatMap({ DecimalText($0) }),
      !(offset < total + (start ?? DecimalText(0)))
    {
      return .total
    }
    if case .page(let name, let start) = rule, isLastPage(name, start, context, first, received) { return .total }
    return nil
  }

  /// A first page that says that there is more, and has nothing where `--next` points to, is asked the wrong way.
  private static func refuseMissing(_ rule: NextRule, _ context: PageContext) throws(WalkError) {
    let pointer: JSONPointer
    switch rule {
    case .pointer(let from), .cursor(_, let from), .cursorHeader(_, let from), .cursorBody(_, let from): pointer = from
    default: return
    }
    guard context.page.root.value(at: pointer) == nil else { return }
    throw WalkError(.page, "the page says that there is more, but has nothing at \(pointer.shown) (--next)", at: 0)
  }

  /// Some servers say 0 where they have not counted.
  private static func isKnown(_ total: DecimalText, _ page: Page) -> Bool {
    total != DecimalText(0) || page.items.isEmpty
  }

  /// Whether no page number follows: by a header that counts pages (WordPress, GitLab), or by the total.
  private static func isLastPage(
    _ name: [UInt8], _ start: DecimalText, _ context: PageContext, _ first: PageRequest, _ received: Int
  ) -> Bool {
    let here = QueryString(context.request.url).value(of: name).flatMap { DecimalText($0) } ?? start
    // Where numbers begin at 0, the page before the count is the last.
    func isCount(_ pages: DecimalText) -> Bool {
      !(here + DecimalText(start == DecimalText(0) ? 1 : 0) < pages)
    }
    for header in ["x-wp-totalpages", "x-total-pages"] {
      if let pages = context.head?.value(of: header).flatMap({ DecimalText($0) }), isCount(pages) { return true }
    }
    guard let total = context.page.total, isKnown(total, context.page) else { return false }
    if context.countsPages { return isCount(total) }
    // Items can only be counted from the first page on.
    let began = QueryString(first.url).value(of: name).flatMap { DecimalText($0) } ?? start
    return began == start && !(DecimalText(received) < total)
  }
}
