import FeedCore
import FeedHTTP

/// Gets page after page from a server and prints the items. With a store, StoredWalk does this.
struct ServerWalk {
  private let options: Options
  private let streams: StandardStreams
  private let url: HTTPURL
  private let first: PageRequest
  private var fetcher: ServerFetcher

  init(_ url: HTTPURL, _ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    (self.url, self.options, self.streams) = (url, options, streams)
    first = PageRequest(first: options.http.request(url))
    let secrets = SecretParameters([], of: first, next: options.walk.next)
    fetcher = try ServerFetcher(options.walk, options, first, hiding: secrets, PageSource.client(), streams)
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    if options.form == .nextLink { return try printNext() }
    var session = FeedSession(
      PassingStorage(dedupes: options.dedupes), FeedOptions(first, options), fetcher, FeedPrinter(options, streams))
    session.note = { [source = fetcher.source, url] note in source.note(note.text(nil), url) }
    let outcome: FeedOutcome
    // Nothing of it is on a disk.
    do { outcome = try session.run() } catch { throw .failed(.error, error.message, source: url.display) }
    if let error = outcome.outputError { throw .output(error) }
    return try status(outcome, session.fetcher)
  }

  private func status(_ outcome: FeedOutcome, _ fetcher: ServerFetcher) throws(ToolFailure) -> ExitStatus {
    try fetcher.status(outcome, streams) { .failed($0.status, $0.message, source: url.display) }
  }

  /// Prints the URL of the next page.
  private mutating func printNext() throws(ToolFailure) -> ExitStatus {
    var outcome = FeedOutcome(hasOpenGap: false)
    switch fetcher.fetch(first.json, ifNoneMatch: nil, after: WalkProgress()) {
    case .page(let page): outcome.failure = page.failure
    case .failed(let failure): outcome.failure = failure
    case .notModified: throw .failed(.remote, "unexpected HTTP 304", source: url.display)
    }
    // Also of a page that may lack items.
    let next = outcome.failure == nil ? fetcher.next : nil
    if let next {
      var output = ByteWriter(streams.output, records: .network)
      output.append(next.request.url)
      output.endLine()
      try output.flushOutput()
    }
    let status = try status(outcome, fetcher)
    return status == .yes && next == nil ? .no : status
  }
}

extension FeedOptions {
  /// The engine's options for a feed that is not kept: it is read whole.
  init(_ first: PageRequest, _ options: Options) {
    self.init(firstRequest: first.json)
    command = .full
    order = FeedOrder.none
    isKept = false
    dedupes = options.dedupes
    maxPages = options.maxPages == .max ? nil : options.maxPages
  }
}

extension FeedPrinter {
  /// A printer to standard output, in the form and up to the number that was asked for.
  init(_ options: Options, _ streams: StandardStreams) {
    let output = streams.output
    let records = RecordWrites(to: output, of: .network)
    self.init { bytes, ends in records.write(bytes, ends, to: output) }
    form = options.itemForm
    remaining = options.limit == .max ? nil : options.limit
  }
}
