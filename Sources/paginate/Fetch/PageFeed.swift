// Gets the pages of a feed from a server, with or without a store. It requests a page, passes it to the walker, and
// makes messages of its errors.

import FeedCore
import FeedHTTP

struct PageFeed {
  /// A page that was read.
  struct Fetched {
    let answer: HTTPAnswer
    let step: Walker.Step
    /// The error that the page reports although it has items.
    let complaint: ToolFailure?
  }

  private let first: PageRequest
  var walker: Walker
  var source: PageSource
  var numbered: ShiftingPages

  /// - Parameters:
  ///   - home: the request of the command line, whose origin gets its secrets.
  ///   - secrets: values that no message may quote.
  init(
    _ first: PageRequest, of home: PageRequest, _ walk: WalkOptions, _ options: Options,
    hiding secrets: SecretParameters,
    _ client: HTTPClient, _ streams: StandardStreams
  ) throws(ToolFailure) {
    self.first = first
    // A store may have filled in some.
    var pageOptions = options
    pageOptions.walk = walk
    walker = try Walker(walk, asking: home)
    walker.first = first
    guard let origin = walker.origin else { throw .usage("no URL given") }
    source = try PageSource(pageOptions, origin, secrets, client, streams)
    numbered = ShiftingPages(options)
  }

  /// Seconds for which the server wants no request, if that ended the walk.
  var retryWait: Int? { source.retryWait }

  mutating func hold(until deadline: Double, _ url: HTTPURL) throws(ToolFailure) {
    try source.hold(until: deadline, url)
  }

  /// Requests a page.
  /// - Parameter ifNoneMatch: an ETag that makes the request conditional.
  /// - Returns: nil if it has not changed (304).
  mutating func fetch(
    _ request: PageRequest, ifNoneMatch: [UInt8]? = nil, after progress: WalkProgress
  ) throws(ToolFailure) -> Fetched? {
    // The first page is never past the end: an error there is an error.
    let endStatuses = request == first ? .none : walker.options.endStatuses
    guard let found = try page(request, ifNoneMatch: ifNoneMatch, endStatuses: endStatuses) else { return nil }
    let answer = found.answer
    guard let document = found.document else {
      return Fetched(answer: answer, step: walker.pastEnd(), complaint: nil)
    }
    let isFirst = walker.shape == nil
    defer { if isFirst { source.tell(walker.shape, beyond: walker.options, answer.url) } }
    let progress = numbered.counting(progress, request)
    var step = try take(request, answer, document, progress)
    while case .part(let next) = step.outcome {
      guard let part = try source.page(next), let document = part.document else {
        throw .failed(.otherEnd, "unexpected HTTP 304", source: source.home.display)
      }
      step = try take(next, part.answer, document, progress)
    }
    let count = step.page.items.count
    plan(after: step, of: request, answer, wanted: progress.wanted.map { max($0 - count, 0) })
    source.progress.items += count
    let complaint = step.complaint.map { text in
      source.safe(
        .failed(.otherEnd, text, source: answer.url.display, record: "page \(walker.pages)"), about: answer)
    }
    return Fetched(answer: answer, step: step, complaint: complaint)
  }

  private mutating func take(
    _ request: PageRequest, _ answer: HTTPAnswer, _ document: JSONDocument, _ progress: WalkProgress
  ) throws(ToolFailure) -> Walker.Step {
    do { return try walker.take(request, answer.head, document, from: answer.url, after: progress) } catch {
      throw source.failure(error, answer, page: walker.pages + 1)
    }
  }

  /// The failure that prevents the walk from going on after the last page.
  func failure(_ error: WalkError, after page: Fetched) -> ToolFailure {
    source.failure(error, page.answer, page: walker.pages)
  }

  /// Prints a message that belongs to the first reading of a feed.
  func note(_ message: String, _ url: HTTPURL, isReasonForStatus: Bool = false) {
    source.note(message, url, isReasonForStatus: isReasonForStatus)
  }
}
