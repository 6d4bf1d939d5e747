// A run on a feed in a store: what is new is fetched and printed, and what is missing is found and filled.

import FeedCore
import FeedHTTP

extension Settings.Store {
  /// What the feed of a request is called.
  func name(of first: PageRequest) -> [UInt8] {
    let plain = SecretParameters(secretParameters, of: first, next: nil).cut(first)
    // A body asks for something else at the same URL.
    return feedName ?? plain.url + (plain.body.map { [UInt8(ascii: " ")] + $0 } ?? [])
  }

  /// What goes wrong in `body`, as an error of the tool.
  func stored<T>(_ body: () throws(StoreError) -> T) throws(ToolError) -> T {
    do { return try body() } catch { throw error.toolError(quoted(path)) }
  }
}

struct StoredWalk {
  private let options: Settings.Store
  private let settings: Settings
  private let streams: StandardStreams
  private let url: HTTPURL
  private let file: StoreFile
  private let first: PageRequest
  private let name: [UInt8]

  init(
    _ url: HTTPURL, _ options: Settings.Store, _ settings: Settings, _ streams: StandardStreams
  ) throws(ToolError) {
    self.url = url
    self.options = options
    self.settings = settings
    self.streams = streams
    first = PageRequest(first: settings.http.request(url))
    name = options.name(of: first)
    file = try options.stored { () throws(StoreError) in
      try StoreFile(options.path, isDurable: options.isDurable)
    }
  }

  private func failure(_ message: String, _ status: ExitStatus) -> ToolError {
    ToolError(status, message, source: quoted(options.path))
  }

  func run() throws(ToolError) -> ExitStatus {
    let known = try options.stored { () throws(StoreError) in try file.feed(named: name) }
    var walk = settings.walk
    var given = options
    if let known, let problem = RememberedOptions.fill(&walk, &given, from: known.options) {
      throw failure(problem, .trouble)
    }
    let secrets = SecretParameters(options.secretParameters, of: first, next: walk.next)
    let url = secrets.cut(first).url
    if let known, known.url != url {
      throw failure("feed '\(shortened(name))' is that of another URL, \(shortened(known.url))", .trouble)
    }
    var feed = FeedOptions(firstRequest: secrets.cut(first).json)
    feed.command = options.command
    feed.overlap = given.overlap ?? 1
    feed.forgetsBelowGaps = given.forgetsBelowGaps ?? false
    feed.printsChanged = options.printsChanged
    feed.maxPages = walk.maxPages == .max ? nil : walk.maxPages
    guard walk.id != nil else { throw .usage("option '--store' needs '--id'") }
    // These are what the engine sees to.
    walk.dedupes = false
    walk.guardsLoops = false
    walk.maxItems = .max
    walk.maxPages = .max
    number(&feed, walk, secrets)

    let walker: Walker
    do { walker = try Walker(walk, first: first) } catch {
      throw error.toolError(in: self.url.display, page: 1, isLocal: false)
    }
    guard let origin = walker.origin else { throw .usage("no URL given") }
    var fetcher = StoredFetcher(try PageSource(settings, origin, secrets, streams), walker, secrets)
    let record = try options.stored { () throws(StoreError) in
      // What was given is remembered when a page has shown that it fits.
      if let known { return known }
      return try file.save(name, url: url, options: Array("{}".utf8))
    }
    guard let lock = try options.stored({ () throws(StoreError) in try file.lock(record, waits: options.waits) }) else {
      throw failure("another run is at work on the feed (--wait)", .later)
    }
    defer { withExtendedLifetime(lock) {} }
    let store = try options.stored { () throws(StoreError) in try file.open(record) }
    try restAsAsked(store, &fetcher)
    return try run(fetcher, feed, walk, url, store)
  }

  /// Tells the engine how to ask for a page by its number, where the rule is one of numbers.
  private func number(_ feed: inout FeedOptions, _ walk: WalkOptions, _ secrets: SecretParameters) {
    let first = first
    let name: [UInt8]
    let start: DecimalText
    switch walk.next {
    case .page(let parameter, let begin):
      (name, start) = (parameter, begin)
      feed.numbering = .pages
    case .offset(let parameter):
      (name, start) = (parameter, DecimalText(0))
      feed.numbering = .offsets
    default: return
    }
    let given = QueryString(first.url).value(of: name).flatMap { DecimalText($0) }
    feed.numberedRequest = { number in
      if number == 0 { return secrets.cut(first).json }
      var request = first
      var url = QueryString(request.url)
      url.set(name, to: ((given ?? start) + DecimalText(number)).text)
      request.url = url.text
      return secrets.cut(request).json
    }
  }

  /// The server may have asked an earlier run for a longer wait than that would wait.
  private func restAsAsked(_ store: FeedStore, _ fetcher: inout StoredFetcher) throws(ToolError) {
    let left = try options.stored { () throws(StoreError) in try store.retryWait(now: Self.now) }
    guard let left else { return }
    if Double(left) > settings.maxWait {
      throw ToolError(.later, "the server wants no request for another \(left) s (--max-wait)", source: url.display)
    }
    try fetcher.rest(until: Clock.monotonic() + Double(left))
    try options.stored { () throws(StoreError) in try store.setRetryWait(nil, now: Self.now) }
  }

  /// In seconds since 1970.
  private static var now: Int { Int(Clock.now() / 1_000_000) }

  private func run(
    _ fetcher: StoredFetcher, _ feed: FeedOptions, _ walk: WalkOptions, _ bareURL: [UInt8], _ store: FeedStore
  ) throws(ToolError) -> ExitStatus {
    let output = streams.output
    var printer = FeedPrinter { bytes in output.write(bytes) }
    printer.style = settings.form == .records ? .record : .data
    printer.remaining = settings.walk.maxItems == .max ? nil : settings.walk.maxItems
    var session = FeedSession(store, feed, fetcher, printer)
    session.redelivers = options.redelivers
    session.note = { tell($0) }
    let end = try options.stored { () throws(StoreError) in try session.run() }

    if let shape = session.fetcher.shape {
      _ = try options.stored { () throws(StoreError) in
        try file.save(name, url: bareURL, options: RememberedOptions(walk, shape, feed).json)
      }
    }
    if let wait = session.fetcher.retryWait {
      try options.stored { () throws(StoreError) in try store.setRetryWait(wait, now: Self.now) }
    }
    switch end {
    case .outputFailed(let error): throw .output(error)
    case .interrupted: return .trouble
    case .outcome(let outcome):
      if let found = outcome.failure {
        throw session.fetcher.failure ?? ToolError(found.status, found.message, source: url.display)
      }
      if let complaint = session.fetcher.complaint { throw complaint }
      return outcome.status
    }
  }

  private func tell(_ note: FeedNote) {
    let text =
      switch note {
      case .gapLost: "a gap cannot be filled any more: the feed ends above what was known"
      case .uncertain(let count): "of \(count) items it is not known whether they were printed (--redeliver)"
      }
    streams.complain(ToolError(.no, text, source: url.display), as: paginate.name)
  }
}
