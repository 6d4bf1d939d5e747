// Pages that were requested ahead are used if they fit the page before.

import FeedCore
import FeedHTTP

extension ServerFetcher {
  /// Requests a page.
  mutating func answer(
    to request: PageRequest, ifNoneMatch: [UInt8]?, _ endStatuses: StatusSet
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
    return found
  }

  private mutating func again(_ request: PageRequest) throws(ToolFailure) -> PageSource.Found {
    guard let found = try source.page(request) else {
      throw .failed(.otherEnd, "unexpected HTTP 304", source: source.home.display)
    }
    return found
  }

  /// The page in an answer; nil if it cannot be read, which the walker reports.
  private func read(_ found: PageSource.Found) -> Page? {
    guard let document = found.document, let reader = walker.shape?.reader(walker.options) else { return nil }
    return try? reader.read(document, found.answer.head)
  }

  /// Decides which pages to request ahead.
  /// - Parameter wanted: how many more items are wanted; nil for all.
  mutating func plan(after step: Walker.Step, of request: PageRequest, _ answer: HTTPAnswer, wanted: Int?) {
    let hadReason = numbered.reasonAgainst != nil
    numbered.add(step, of: request, walker.shape, wanted: wanted)
    if let reason = numbered.reasonAgainst, !hadReason {
      source.note("one request at a time (--parallel): \(reason)", answer.url)
    }
  }
}
