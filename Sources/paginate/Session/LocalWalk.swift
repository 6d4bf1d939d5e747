import FeedCore
import FeedHTTP

/// Reads pages from a file or standard input, without a network.
struct LocalWalk {
  private let options: Options
  private let streams: StandardStreams
  private var file: InputFile
  private let storage: PassingStorage
  private var output: ByteWriter
  private var walker: Walker
  private var request: PageRequest?
  private var hasLink = false
  /// Why a page may lack items.
  private var complaint: ToolFailure?
  /// How many pages and items may still come.
  private var pagesLeft, left: Int

  init(_ file: InputFile, _ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    (self.file, self.options, self.streams) = (file, options, streams)
    (pagesLeft, left) = (options.maxPages, options.limit)
    storage = PassingStorage(dedupes: options.dedupes)
    output = ByteWriter(streams.output, records: .network)
    request = options.base.map { PageRequest(first: options.http.request($0)) }
    walker = try Walker(options.walk, asking: request)
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    let descriptor: Descriptor
    (file, descriptor) = try options.openPages(file, streams)
    defer { if !file.isStandardInput { descriptor.closeQuietly() } }
    var input = DocumentInput(
      file, descriptor, maxDepth: options.maxDepth, maxSize: options.maxSize, record: "page")
    var isEmpty = true
    do throws(ToolFailure) {
      while let page = try input.next(
        orHangUpOf: streams.output, beforeWaiting: { () throws(ToolFailure) in try output.flushOutput() })
      {
        isEmpty = false
        if try take(page) { break }
      }
    } catch {
      if error != .brokenPipe { try output.flushOutput() }
      throw error
    }
    try output.flushOutput()
    if let complaint { throw complaint }
    guard options.form == .nextLink else { return .yes }
    // A missing response is not the last page.
    if isEmpty { throw .failed(.error, "expected a page, found nothing", source: file.name) }
    return hasLink ? .yes : .no
  }

  /// - Returns: whether nothing more is wanted.
  private mutating func take(_ page: StreamedDocument) throws(ToolFailure) -> Bool {
    let step: Walker.Step
    do { step = try walker.take(request, nil, page.document, after: WalkProgress(wanted: left)) } catch {
      throw failure(error, page)
    }
    try print(step)
    if let text = step.complaint {
      complaint = complaint ?? .failed(.no, text, source: file.name, record: "page \(page.number)")
    }
    pagesLeft -= 1
    switch step.outcome {
    case .next(let next), .part(let next):
      request = next
      if options.form == .nextLink { print(link: next.url) }
    case .link(let link): print(link: link)
    case .failure(let error): if left > 0 || error.kind == .failed { throw failure(error, page) }
    case .end: break
    }
    return pagesLeft == 0 || left == 0 || step.end != nil
  }

  private mutating func print(link: [UInt8]) {
    hasLink = true
    output.append(link)
    output.endLine()
  }

  private mutating func print(_ step: Walker.Step) throws(ToolFailure) {
    guard case .items(let form) = options.form else {
      if options.form == .pages {
        for page in ItemTexts(whole: step.page).all {
          options.itemForm.write(WaitingItem(position: 0, page), to: &output)
        }
        left = max(left - step.page.items.count, 0)
      }
      return try output.checkOutput()
    }
    for item in ItemTexts(step.page).all.prefix(step.end ?? .max) where left > 0 && storage.add(item) {
      form.write(WaitingItem(position: 0, item), to: &output)
      left -= 1
    }
    try output.checkOutput()
  }

  private func failure(_ error: NextError, _ page: StreamedDocument) -> ToolFailure {
    error.failure(
      in: file.name, page: page.number, isLocal: true, body: page.document.bytes, from: page.position)
  }
}
