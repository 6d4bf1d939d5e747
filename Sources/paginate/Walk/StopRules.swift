// When a walk ends. The rules are combined by OR: the first one that applies ends the walk.
//
//     the page says that there is no more          even if there is a link or cursor
//     there is no link, or no cursor               null, absent or "" (unless --empty-cursor follow)
//     the page is empty                            unless it says itself where the next one is
//     everything is read                           the total for an offset or a page number, or on an empty page
//     the status says that there is no page        --end-status; never for the first page
//     the page leads to itself and is empty        with Solr's cursorMark, even if it is not empty
//
// A short page never ends a walk: servers filter after counting.

import FeedCore
import FeedHTTP

/// Why a walk has ended.
enum Ending: Equatable, Sendable {
  /// `--has-more` says so.
  case noMore
  /// No link or cursor.
  case noNext
  case emptyPage
  /// As many items were read as the page says there are.
  case total
  /// The page leads to itself.
  case sameCursor
  /// There is no page: the server answered with a status of `--end-status`.
  case pastEnd
  /// The page says nothing about a next one, and nothing shows that there is none (`OnlyPage`).
  case onlyPage
  /// `--limit`, `--max-pages`, `--stop-before`.
  case limit, maxPages, stopBefore

  /// Whether the feed itself has ended.
  var isEndOfFeed: Bool {
    switch self {
    case .limit, .maxPages, .stopBefore: false
    default: true
    }
  }
}

/// The requests of a walk.
struct LoopGuard: Sendable {
  /// After this many pages in a row without new items, the feed is taken to be endless.
  static let staleLimit = 1000

  /// After this many numbered pages in a row that are the same, the server is taken not to know the number.
  static let sameLimit = 10

  private var requests = SeenIDs()
  private var cursors = SeenIDs()
  private var staleCount = 0
  /// The last numbered page, and how many in a row were the same.
  private var lastPage: Digest?
  private var sameCount = 0

  /// Whether the last page had no new item.
  var hasNothingNew: Bool { staleCount > 0 }

  /// Pages are to be read again.
  mutating func forgetRequests() {
    (requests, cursors) = (SeenIDs(), SeenIDs())
    (lastPage, sameCount) = (nil, 0)
  }

  /// Records how many items of a page are new.
  mutating func add(newItems count: Int) { staleCount = count == 0 ? staleCount + 1 : 0 }

  /// Records a page whose number was in the request. It may have no ids, so nothing else shows that it came before.
  mutating func add(numbered page: JSONDocument) {
    let digest = Digest(of: page.bytes)
    sameCount = digest == lastPage ? sameCount + 1 : 1
    lastPage = digest
  }

  /// Records a request.
  mutating func add(_ request: PageRequest) { _ = requests.insert(request.identity) }

  /// - Throws: if a request or cursor would be used again, or if nothing new comes.
  mutating func check(_ next: PageRequest, cursor: [UInt8]?) throws(WalkError) {
    if staleCount >= Self.staleLimit { throw WalkError(.loop, "\(staleCount) pages without a new item") }
    if sameCount >= Self.sameLimit {
      throw WalkError(.loop, "the last \(sameCount) pages are the same, so the server may ignore their number (--next)")
    }
    if requests.contains(next.identity) {
      throw WalkError(.loop, "the next page was already read in this run, so it would never end")
    }
    if let cursor, !cursors.insert(cursor) {
      throw WalkError(.loop, "the next page's cursor was already used in this run, so it would never end")
    }
  }
}

enum StopRules {
  /// Whether a page is the last one, by its contents.
  /// - Parameters:
  ///   - pages: how many pages have been read, including this one.
  ///   - received: how many items, including those of the page.
  static func ending(
    _ rule: NextRule, _ step: NextStep, after context: PageContext, first: PageRequest, pages: Int, received: Int
  ) throws(WalkError) -> Ending? {
    let page = context.page
    if page.hasMore == false { return .noMore }
    guard step != .none else {
      if pages == 1, page.hasMore == true || context.nextLink != nil { try refuseMissing(rule, context) }
      return .noNext
    }
    if page.items.isEmpty, !rule.isToldByPage { return .emptyPage }
    let total = firm(page.counts.items)
    if let total, case .offset(let name, let start) = rule,
      case .request(let next, _) = step,
      let offset = QueryString(next.url).value(of: name).flatMap({ DecimalText($0) }),
      !(offset < total + (start ?? DecimalText(0)))
    {
      return .total
    }
    if page.items.isEmpty, pages > 1, let total, !(DecimalText(received) < total) {
      return .total
    }
    if case .page(let name, let start) = rule, isLastPage(name, start, context, first, received) { return .total }
    return nil
  }

  /// Refuses a first page that announces more but has nothing where `--next` points: the option is wrong.
  private static func refuseMissing(_ rule: NextRule, _ context: PageContext) throws(WalkError) {
    let pointer: JSONPointer
    switch rule {
    case .pointer(let from), .cursor(_, .body(let from)), .cursorHeader(_, .body(let from)), .cursorBody(_, let from),
      .parameters(let from), .post(_, _, let from):
      pointer = from
    case .cursor(_, .header(let field)), .cursorHeader(_, .header(let field)):
      throw WalkError(.page, "the page says that there is more, but has no header '\(quoted(field))' (--next)", at: 0)
    default: return
    }
    guard context.page.root.value(at: pointer) == nil else { return }
    throw WalkError(.page, "the page says that there is more, but has nothing at \(pointer.shown) (--next)", at: 0)
  }

  /// A count that may end a walk.
  private static func firm(_ count: PageCounts.Count?) -> DecimalText? {
    count.flatMap { $0.isFirm ? $0.value : nil }
  }

  /// Whether there is no next page number: by a count of pages, or of items.
  private static func isLastPage(
    _ name: [UInt8], _ start: DecimalText, _ context: PageContext, _ first: PageRequest, _ received: Int
  ) -> Bool {
    let here = QueryString(context.request.url).value(of: name).flatMap { DecimalText($0) } ?? start
    // If numbers start at 0, the last page has the count less one.
    if let pages = firm(context.page.counts.pages),
      !(here + DecimalText(start == DecimalText(0) ? 1 : 0) < pages)
    {
      return true
    }
    guard let total = firm(context.page.counts.items) else { return false }
    // Items can be counted only if the walk began at the first page.
    let began = QueryString(first.url).value(of: name).flatMap { DecimalText($0) } ?? start
    return began == start && !(DecimalText(received) < total)
  }
}
