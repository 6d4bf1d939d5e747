// Pages that were requested ahead are used if they fit the page before. If the feed has shrunk, pages are read again.

import FeedCore
import FeedHTTP

extension PageFeed {
  /// Requests a page.
  /// - Parameter request: the one that the walk wants; afterwards the one whose page was got.
  mutating func page(
    _ request: inout PageRequest, ifNoneMatch: [UInt8]?, endStatuses: StatusSet
  ) throws(ToolFailure) -> PageSource.Found? {
    let ahead = parallel?.ahead(of: request) ?? []
    let answer = try source.page(request, ifNoneMatch: ifNoneMatch, endStatuses: endStatuses, ahead: ahead)
    guard var found = answer, found.document != nil else { return answer }
    guard let follows = parallel?.isNext(request) else { return found }
    if follows {
      let fits = read(found).map { parallel?.seams.fits($0, counts($0, found)) == true } ?? false
      if parallel?.judge(fits: fits) == true { source.slowDown(because: "the feed changes fast") }
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
    walker.itemsBefore = parallel?.itemsBefore(request)
    return found
  }

  /// If items were deleted since the last page, others may have been pulled up to it: reads it again, and those before it
  /// until one shows an item that was read. With a store, the engine does this.
  private mutating func goBack(_ request: inout PageRequest, _ found: inout PageSource.Found) throws(ToolFailure) {
    guard walker.options.dedupes, let page = read(found), parallel?.seams.isSmaller(counts(page, found)) == true else {
      return
    }
    guard parallel?.goBack() == true else {
      throw .failed(
        FeedEngine.changesTooFast.status, FeedEngine.changesTooFast.message, source: found.answer.url.display)
    }
    walker.forgetRequests()
    while let before = parallel?.request(before: request) {
      source.tell("the feed has become smaller, reading the page before again", found.answer.url)
      request = before
      found = try again(request)
      if let page = read(found), parallel?.seams.overlaps(page) == true { return }
    }
  }

  private mutating func again(_ request: PageRequest) throws(ToolFailure) -> PageSource.Found {
    guard let found = try source.page(request) else {
      throw .failed(.otherEnd, "unexpected HTTP 304", source: source.home.display)
    }
    return found
  }

  /// The page in an answer; nil if it cannot be read, which the walker reports.
  private func read(_ found: PageSource.Found) -> Page? {
    found.document.flatMap { try? walker.shape?.reader(walker.options).read($0) }
  }

  private func counts(_ page: Page, _ found: PageSource.Found) -> PageCounts {
    PageCounts(page, found.answer.head, countsPages: walker.shape?.countsPages == true)
  }

  /// Decides which pages to request ahead.
  mutating func plan(after step: Walker.Step, of request: PageRequest, _ answer: HTTPAnswer) {
    guard parallel != nil else { return }
    let counts = PageCounts(step.page, answer.head, countsPages: walker.shape?.countsPages == true)
    let hadReason = parallel?.reasonAgainst != nil
    parallel?.add(step, counts, of: request, walker.shape, printed: walker.printed)
    if let reason = parallel?.reasonAgainst, !hadReason {
      source.note("one request at a time (--parallel): \(reason)", answer.url)
    }
  }
}
