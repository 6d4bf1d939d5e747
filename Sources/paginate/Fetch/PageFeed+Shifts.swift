// Pages that were requested ahead are used if they fit the page before. If the feed has shrunk, pages are read again.

import FeedCore
import FeedHTTP

extension PageFeed {
  /// Requests a page.
  /// - Parameter request: the one that the walk wants; afterwards the one whose page was got.
  mutating func page(
    _ request: inout PageRequest, ifNoneMatch: [UInt8]?, endStatuses: StatusSet
  ) throws(ToolFailure) -> PageSource.Found? {
    let ahead = numbered.ahead(of: request)
    let answer = try source.page(request, ifNoneMatch: ifNoneMatch, endStatuses: endStatuses, ahead: ahead)
    guard var found = answer, found.document != nil else { return answer }
    if numbered.mayBeEarly(request) {
      let fits = read(found).map { numbered.seams.fits($0) } ?? false
      if numbered.judge(fits: fits) { source.slowDown(because: "the feed changes fast") }
      if !fits {
        // The requests that were made together with this one may have been answered before it.
        source.forget(because: "the feed has changed")
        if found.wasAhead {
          source.tell("the feed has changed, reading the page again", found.answer.url)
          found = try again(request)
        }
      }
    }
    try goBack(&request, &found)
    walker.itemsBefore = numbered.itemsBefore(request)
    return found
  }

  /// If items were deleted since the last page, others may have been pulled up to it: reads it again, and those before it
  /// until one shows an item that was read. With a store, the engine does this.
  private mutating func goBack(_ request: inout PageRequest, _ found: inout PageSource.Found) throws(ToolFailure) {
    guard isSmaller(found, request) else { return }
    guard numbered.startReread() else {
      if let warning = numbered.warning { source.note(warning, found.answer.url) }
      return
    }
    while let before = numbered.request(before: request) {
      source.tell("the feed has become smaller, reading the page before again", found.answer.url)
      numbered.goBack()
      walker.goBack()
      request = before
      found = try again(request)
      if let page = read(found), walker.hasSeen(page) { return }
    }
  }

  private func isSmaller(_ found: PageSource.Found, _ request: PageRequest) -> Bool {
    // A look at the total is quick. Whether it is believed depends on the items.
    guard let page = read(found, itemsToo: false), numbered.isSmaller(page.counts, request) else { return false }
    return read(found).map { numbered.isSmaller($0.counts, request) } ?? false
  }

  private mutating func again(_ request: PageRequest) throws(ToolFailure) -> PageSource.Found {
    guard let found = try source.page(request) else {
      throw .failed(.otherEnd, "unexpected HTTP 304", source: source.home.display)
    }
    return found
  }

  /// The page in an answer; nil if it cannot be read, which the walker reports.
  private func read(_ found: PageSource.Found, itemsToo: Bool = true) -> Page? {
    guard let document = found.document, let reader = walker.shape?.reader(walker.options) else { return nil }
    return try? reader.read(document, found.answer.head, mayLackItems: !itemsToo)
  }

  /// Decides which pages to request ahead.
  mutating func plan(after step: Walker.Step, of request: PageRequest, _ answer: HTTPAnswer) {
    let hadReason = numbered.reasonAgainst != nil
    numbered.add(step, of: request, walker.shape, printed: walker.printed)
    if let reason = numbered.reasonAgainst, !hadReason {
      source.note("one request at a time (--parallel): \(reason)", answer.url)
    }
  }
}
