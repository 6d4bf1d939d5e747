// Pages that are requested by number: which of them are read again because the feed has shifted, and with `--parallel`,
// which of them are requested before they are wanted. The walk itself stays one page after another.

import FeedCore
import FeedHTTP

struct ShiftingPages {
  /// After this many pages in a row that did not fit, the feed changes too fast for requests ahead.
  private static let mostMisfits = 3

  private let first: PageRequest
  private let options: Options
  private let width: Int
  /// The request that the last page led to.
  private var next: PageRequest?
  private var requests: [PageRequest] = []
  /// By how much the number of the last page and that of the next one differ.
  private var step = 0
  private var numbers: NumberedPages?
  private var pages = 0
  private var misfits = 0
  private var rereads = RereadLimit()
  /// Why a shift cannot be mended, if that has happened.
  private(set) var warning: String?
  private(set) var seams: Seams
  /// Why no page is requested ahead, if the first page has shown it.
  private(set) var reasonAgainst: String?

  init(_ first: PageRequest, _ options: Options) {
    self.first = first
    self.options = options
    width = options.parallel
    // An item is looked for only among pages of different moments.
    seams = Seams(depth: width > 1 ? width : 0)
  }

  /// Whether a page follows the last one, and may come from an earlier moment.
  func mayBeEarly(_ request: PageRequest) -> Bool { width > 1 && request == next }

  /// The requests that will probably follow a request.
  func ahead(of request: PageRequest) -> [PageRequest] { request == next ? requests : [] }

  /// The request for the page before; nil for the first page.
  func request(before request: PageRequest) -> PageRequest? {
    numbers?.request(before: request, step: step, first: first)
  }

  /// How many items are on the pages before this one, once the number of received items does not say it any more.
  func itemsBefore(_ request: PageRequest) -> Int? {
    guard seams.hasShifted, seams.smallest < .max else { return nil }
    return numbers?.position(of: request, size: seams.smallest)
  }

  /// Counts a page that follows the last one.
  /// - Returns: whether too many in a row did not fit.
  mutating func judge(fits: Bool) -> Bool {
    misfits = fits ? 0 : misfits + 1
    if !fits { seams.shift() }
    return misfits >= Self.mostMisfits
  }

  /// Whether pages can be read again without printing an item twice.
  private var canReread: Bool {
    guard case .items = options.form else { return false }
    return options.walk.dedupes && options.walk.hasIDs
  }

  /// Whether the feed has become smaller since the last page, so that items may have been pulled up to that page. With a
  /// store, the engine looks at this.
  func isSmaller(_ counts: PageCounts, _ request: PageRequest) -> Bool {
    options.store == nil && numbers != nil && request == next && warning == nil && seams.isSmaller(counts)
  }

  /// Records that the feed has become smaller.
  /// - Returns: whether pages are to be read again.
  mutating func startReread() -> Bool {
    seams.shift()
    if !canReread {
      warning = "the feed has become smaller while it is read, so items may be missing (--id)"
    } else if !rereads.isAllowed() {
      warning = RereadLimit.message
    }
    return warning == nil
  }

  /// Goes back by one page.
  mutating func goBack() { pages -= 1 }

  /// Takes note of a page.
  /// - Parameter printed: how many items are printed or will be.
  mutating func add(_ read: Walker.Step, of request: PageRequest, _ shape: Shape?, printed: Int) {
    next = nil
    requests = []
    pages += 1
    if !read.items.isEmpty { rereads.reset() }
    guard case .next(let next) = read.outcome else { return seams.add(read.page, isLast: true) }
    seams.add(read.page, isLast: false)
    self.next = next
    numbers = NumberedPages(shape?.next)
    guard let numbers, let here = numbers.number(of: request), let there = numbers.number(of: next) else {
      if width > 1 { reasonAgainst = "pages are not numbered" }
      return
    }
    self.step = there - here
    guard let end = numbers.end(read.page.counts, size: seams.largest) else {
      if width > 1 { reasonAgainst = "no total is known (--total)" }
      return
    }
    reasonAgainst = nil
    requests = numbers.requests(after: next, from: request, before: end, atMost: wanted(printed) - 1)
  }

  /// How many pages are wanted now: no more than the limits of the command line.
  private func wanted(_ printed: Int) -> Int {
    if options.store?.command == .more, options.walk.maxPages == .max { return 1 }
    var count = min(width, max(options.walk.maxPages - pages, 0))
    if options.walk.limit < .max, seams.largest > 0 {
      count = min(count, (max(options.walk.limit - printed, 0) - 1) / seams.largest + 1)
    }
    return count
  }
}
