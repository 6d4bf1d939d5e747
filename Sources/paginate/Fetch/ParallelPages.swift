// `--parallel`: which pages are requested before they are wanted, and which of them are read again. The walk itself
// stays one page after another.

import FeedCore
import FeedHTTP

struct ParallelPages {
  /// After this many pages in a row that did not fit, the feed changes too fast for requests ahead.
  private static let mostMisfits = 3
  /// After going back this often without a new item, no page fits the one before.
  private static let mostReturns = 16

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
  private var returns = 0
  private(set) var seams: Seams
  /// Why no page is requested ahead, if the first page has shown it.
  private(set) var reasonAgainst: String?

  /// - Returns: nil without `--parallel`.
  init?(_ first: PageRequest, _ options: Options) {
    guard options.parallel > 1 else { return nil }
    self.first = first
    self.options = options
    width = options.parallel
    seams = Seams(depth: options.parallel)
  }

  /// Whether the last page led to a request.
  func isNext(_ request: PageRequest) -> Bool { request == next }

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

  /// Records that pages are read again.
  /// - Returns: whether that may help.
  mutating func goBack() -> Bool {
    seams.shift()
    returns += 1
    return returns <= Self.mostReturns
  }

  /// Takes note of a page.
  /// - Parameter printed: how many items are printed or will be.
  mutating func add(
    _ read: Walker.Step, _ counts: PageCounts, of request: PageRequest, _ shape: Shape?, printed: Int
  ) {
    next = nil
    requests = []
    pages += 1
    if !read.items.isEmpty { returns = 0 }
    guard case .next(let next) = read.outcome else { return seams.add(read.page, counts, isLast: true) }
    seams.add(read.page, counts, isLast: false)
    self.next = next
    numbers = NumberedPages(shape?.next)
    guard let numbers, let here = numbers.number(of: request), let there = numbers.number(of: next) else {
      reasonAgainst = "pages are not numbered"
      return
    }
    self.step = there - here
    guard let end = numbers.end(counts, size: seams.largest) else {
      reasonAgainst = "no total is known (--total)"
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
