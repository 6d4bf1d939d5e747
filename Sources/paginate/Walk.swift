// The two ways through a feed: page after page from a server, and pages that are there.

import FeedCore
import FeedHTTP

/// Asks a server for page after page.
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
    feed = try PageFeed(first, options.walk, options, hiding: secrets, streams)
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
      try printer.print(page.step)
      // Before the next request is made, which may take long.
      try printer.flush()
      switch page.step.outcome {
      case .next(let next):
        if form == .nextLink {
          printer.print(link: next.url)
          try printer.flush()
          return .yes
        }
        request = next
      case .end(.onlyPage):
        feed.note(Walker.onlyPage(page.step.page.root), page.answer.url)
        return hasComplained ? .otherEnd : .no
      case .failure(let error): throw feed.failure(error, after: page)
      case .link, .end: return form == .nextLink ? .no : hasComplained ? .otherEnd : .yes
      }
    }
    throw .failed(.otherEnd, "HTTP 304 without a condition", source: url.display)
  }
}

/// Takes pages as they come from a file or standard input.
struct LocalWalk {
  private let options: Options
  private let streams: StandardStreams
  private let file: InputFile
  private var walker: Walker
  private var request: PageRequest?

  init(_ file: InputFile, _ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.file = file
    self.options = options
    self.streams = streams
    request = options.base.map { PageRequest(first: options.http.request($0)) }
    walker = try Walker(options.walk, asking: request)
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    let descriptor = try file.openFeed(streams)
    defer { if !file.isStandardInput { descriptor.closeQuietly() } }
    var input = DocumentInput(
      file, descriptor, maxDepth: options.maxDepth, maxSize: options.maxSize, record: "page")
    var printer = PagePrinter(options.form, streams.output)
    var hasLink = false
    var isEmpty = true
    do throws(ToolFailure) {
      while let page = try input.next(
        orHangUpOf: streams.output, beforeWaiting: { () throws(ToolFailure) in try printer.flush() })
      {
        isEmpty = false
        if try take(page, &printer, &hasLink) { break }
      }
    } catch {
      if error != .brokenPipe { try printer.flush() }
      throw error
    }
    try printer.flush()
    // An answer that did not come is not the last page.
    if isEmpty, options.form == .nextLink {
      throw .failed(.trouble, "expected a page, found nothing", source: file.name)
    }
    return options.form == .nextLink && !hasLink ? .no : .yes
  }

  /// - Returns: whether nothing of what follows is wanted.
  private mutating func take(
    _ page: StreamedDocument, _ printer: inout PagePrinter, _ hasLink: inout Bool
  ) throws(ToolFailure) -> Bool {
    let step: Walker.Step
    do { step = try walker.take(request, nil, page.document) } catch { throw failure(error, page) }
    try printer.print(step)
    switch step.outcome {
    case .next(let next):
      request = next
      hasLink = true
      if options.form == .nextLink { printer.print(link: next.url) }
    case .link(let link):
      hasLink = true
      printer.print(link: link)
    case .failure(let error): throw failure(error, page)
    case .end(let ending): return !ending.isEndOfFeed
    }
    return false
  }

  private func failure(_ error: WalkError, _ page: StreamedDocument) -> ToolFailure {
    error.failure(
      in: file.name, page: page.number, isLocal: true, body: page.document.bytes, from: page.position)
  }
}

extension Walker {
  /// The walk of a command line.
  init(_ options: WalkOptions, asking first: PageRequest?) throws(ToolFailure) {
    // Before the first page only the options can be wrong.
    do { try self.init(options, first: first) } catch { throw .usage(error.message) }
  }
}

extension PageRequest {
  /// The request of a command line.
  init(first request: HTTPRequest) {
    self.init(url: Array(request.url.text.utf8), method: request.method, body: request.body)
  }
}
