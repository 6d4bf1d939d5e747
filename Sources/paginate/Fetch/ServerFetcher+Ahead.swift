// Pages that were requested ahead are used if they fit the page before.

import FeedCore
import FeedHTTP

extension ServerFetcher {
  /// Requests a page.
  mutating func response(
    to request: PageRequest, ifNoneMatch: [UInt8]?, _ endStatuses: StatusSet
  ) throws(ToolFailure) -> PageSource.ServedPage? {
    let ahead = numbered.ahead(of: request)
    let response = try source.page(request, ifNoneMatch: ifNoneMatch, endStatuses: endStatuses, ahead: ahead)
    guard var found = response, found.document != nil else { return response }
    if numbered.mayBeEarly(request) {
      let fits = read(found).map { numbered.continuity.fits($0) } ?? false
      if numbered.judge(fits: fits) { source.slowDown(because: "the feed changes fast") }
      if !fits {
        // The requests that were made together with this one may have been answered before it.
        source.forget(because: "the feed has changed")
        if found.wasAhead {
          source.log("the feed has changed, reading the page again", found.response.url)
          found = try again(request)
        }
      }
    }
    return found
  }

  private mutating func again(_ request: PageRequest) throws(ToolFailure) -> PageSource.ServedPage {
    guard let found = try source.page(request) else {
      throw .failed(.remote, "unexpected HTTP 304", source: source.home.display)
    }
    return found
  }

  /// The page in a response; nil if it cannot be read, which the walker reports.
  private func read(_ found: PageSource.ServedPage) -> Page? {
    guard let document = found.document else { return nil }
    return try? walker.shape?.read(document, found.response.head)
  }

  /// Decides which pages to request ahead.
  /// - Parameter wanted: how many more items are wanted; nil for all.
  mutating func plan(after step: Walker.Step, of request: PageRequest, _ response: HTTPResponse, wanted: Int?) {
    let hadReason = numbered.reasonAgainst != nil
    numbered.add(step, of: request, walker.shape, wanted: wanted)
    if let reason = numbered.reasonAgainst, !hadReason {
      source.note("one request at a time (--parallel): \(reason)", response.url)
    }
  }
}
