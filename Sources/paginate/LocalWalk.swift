// Reads pages from a file or standard input, without a network.

import FeedCore
import FeedHTTP

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
    // A missing answer is not the last page.
    if isEmpty, options.form == .nextLink {
      throw .failed(.trouble, "expected a page, found nothing", source: file.name)
    }
    return options.form == .nextLink && !hasLink ? .no : .yes
  }

  /// - Returns: whether nothing more is wanted.
  private mutating func take(
    _ page: StreamedDocument, _ printer: inout PagePrinter, _ hasLink: inout Bool
  ) throws(ToolFailure) -> Bool {
    let step: Walker.Step
    do { step = try walker.take(request, nil, page.document) } catch { throw failure(error, page) }
    try printer.print(step)
    switch step.outcome {
    case .next(let next), .part(let next):
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
