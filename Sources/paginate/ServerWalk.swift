// Gets page after page from a server and prints the items. With a store, StoredWalk does this.

import FeedCore
import FeedHTTP

struct ServerWalk {
  private let form: Options.Form
  private let streams: StandardStreams
  private let url: HTTPURL
  private let first: PageRequest
  private var feed: PageFeed
  private var printer: PagePrinter

  init(_ url: HTTPURL, _ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.url = url
    self.streams = streams
    form = options.form
    first = PageRequest(first: options.http.request(url))
    let secrets = SecretParameters([], of: first, next: options.walk.next)
    feed = try PageFeed(first, of: first, options.walk, options, hiding: secrets, PageSource.client(), streams)
    printer = PagePrinter(form, streams.output)
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    var request = first
    var hasComplained = false
    while let page = try feed.fetch(request) {
      if let complaint = page.complaint {
        hasComplained = true
        try printer.flush()
        streams.say(complaint.diagnostic)
      }
      if page.step.outcome == .end(.pastEnd) { return form == .nextLink ? .no : hasComplained ? .otherEnd : .yes }
      try printer.print(page.step)
      // Before the next request, which may take long.
      try printer.flush()
      switch page.step.outcome {
      case .next(let next):
        if form == .nextLink {
          printer.print(link: next.url)
          try printer.flush()
          return .yes
        }
        request = next
      case .end(.open(let reason)), .end(.incomplete(let reason)):
        feed.note(reason, page.answer.url, isReasonForStatus: true)
        return hasComplained ? .otherEnd : .no
      case .failure(let error): throw feed.failure(error, after: page)
      case .link, .part, .end: return form == .nextLink ? .no : hasComplained ? .otherEnd : .yes
      }
    }
    throw .failed(.otherEnd, "unexpected HTTP 304", source: url.display)
  }
}

extension Walker {
  /// The walk of a command line.
  init(_ options: WalkOptions, asking first: PageRequest?) throws(ToolFailure) {
    // Before the first page, only the options can be wrong.
    do { try self.init(options, first: first) } catch { throw .usage(error.message) }
  }
}

extension PageRequest {
  /// The request of a command line.
  init(first request: HTTPRequest) {
    self.init(url: Array(request.url.text.utf8), method: request.method, body: request.body)
  }
}
