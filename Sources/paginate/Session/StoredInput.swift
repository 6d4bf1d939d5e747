// Pages for a feed in a store that come by themselves, such as those of RSS by a pipe. None can ask for another one.

import FeedCore
import FeedHTTP

extension StoredWalk {
  /// The most lines of a page.
  private static let lineLimit = 1000

  /// Makes a run for each page of a file or standard input. With `--items lines`, a page is the lines that have come.
  /// - Returns: the status of the last page.
  static func run(
    _ operand: InputFile, _ store: Options.Store, _ options: Options, _ streams: StandardStreams
  ) throws(ToolFailure) -> ExitStatus {
    let (file, descriptor) = try options.openPages(operand, streams)
    defer { if !file.isStandardInput { descriptor.closeQuietly() } }
    let areLines = try remembered(options, store).walk.items == .lines
    var input = DocumentInput(
      file, descriptor, maxDepth: options.maxDepth, maxSize: options.maxSize, record: areLines ? "item" : "page")
    var state = try PollState(options)
    var status = ExitStatus.yes
    var lines: [StreamedDocument] = []
    func take(_ page: InputPage) throws(ToolFailure) {
      status = try StoredWalk(.page(page), store, options, streams).run(&state)
    }
    func takeLines() throws(ToolFailure) {
      guard let first = lines.first else { return }
      let text = lines.map { Array($0.document.root.text) }.joined(separator: [UInt8(ascii: ",")])
      lines = []
      let array = JSONDocument(known: [UInt8(ascii: "[")] + text + [UInt8(ascii: "]")])
      try take(InputPage(file: file, document: array, number: first.number))
    }
    var isEmpty = true
    while state.remaining != 0 {
      let next = try input.next(
        orHangUpOf: streams.output, beforeWaiting: { () throws(ToolFailure) in try takeLines() })
      guard let page = next else { break }
      isEmpty = false
      if areLines {
        lines.append(page)
      } else {
        try take(InputPage(file: file, document: page.document, number: page.number, position: page.position))
      }
      if lines.count == lineLimit { try takeLines() }
    }
    try takeLines()
    // Nothing at all is no page: what should have made one has failed.
    if isEmpty, !areLines { throw .failed(.error, "expected a page, found nothing", source: file.name) }
    return status
  }
}

/// A page from a file.
struct InputPage {
  let file: InputFile
  let document: JSONDocument
  /// The number of the document, or that of the first one if they are items.
  let number: Int
  /// Nil if the page was made of lines.
  var position: TextPlace?
}

/// One page, as a response to the only request.
struct DocumentFetcher: ReportingFetcher {
  private let page: InputPage
  private let streams: StandardStreams
  private var walker: Walker
  private(set) var failure: ToolFailure?
  private(set) var complaint: ToolFailure?
  let doubt: ToolFailure? = nil
  let since: SinceReader? = nil
  let newMark: SinceMark? = nil
  let retryWait: Int? = nil
  let hasRead = true

  init(_ page: InputPage, _ walk: WalkOptions, _ streams: StandardStreams) throws(ToolFailure) {
    (self.page, self.streams) = (page, streams)
    walker = try Walker(walk, asking: nil)
  }

  var shape: Shape? { walker.shape }

  mutating func fetch(_ request: [UInt8], ifNoneMatch: [UInt8]?, after progress: WalkProgress) -> FeedResponse {
    do throws(NextError) {
      let step = try walker.take(nil, nil, page.document, after: progress)
      if walker.options.id == nil, let id = shape?.id {
        streams.say(Diagnostic("using \(id.shown) as the id of an item (--id-from)", source: page.file.name))
      }
      complaint = step.complaint.map { .failed(.no, $0, source: page.file.name, record: "page \(page.number)") }
      var found = FeedPage(items: ItemTexts(step.page).all, end: step.end)
      found.isUncertain = complaint != nil
      if case .failure(let error) = step.outcome, error.kind == .failed {
        let failure = self.failure(error)
        self.failure = failure
        found.failure = FeedFailure(status: failure.status, message: failure.message)
        found.isUncertain = true
      }
      return .page(found)
    } catch {
      let failure = failure(error)
      self.failure = failure
      return .failed(FeedFailure(status: failure.status, message: failure.message))
    }
  }

  private func failure(_ error: NextError) -> ToolFailure {
    var error = error
    if page.position == nil { error.offset = nil }
    return error.failure(
      in: page.file.name, page: page.number, isLocal: true, body: page.document.bytes,
      from: page.position ?? TextPlace())
  }
}
