// A run on a feed in a store: what is new is fetched and printed, and what is missing is found and filled.

import FeedCore
import FeedHTTP

extension Options.Store {
  /// What the feed of a request is called.
  func name(of first: PageRequest) -> [UInt8] {
    if let feedName { return feedName }
    let plain = SecretParameters(secretParameters, of: first, next: nil).cut(first)
    guard let body = first.body else { return plain.url }
    // A body asks for something else at the same URL. One that may hold anything is told from others only.
    return plain.url + [UInt8(ascii: " ")] + (plain.body ?? ItemVersion.of(body.span))
  }

  /// These options, with the parameters that earlier runs on the file were told to be secrets.
  func remembering(_ file: StoreFile) throws(ToolFailure) -> Self {
    var options = self
    let feeds = try stored(file.feeds())
    options.secretParameters += feeds.flatMap { RememberedOptions.secretParameters(in: $0.options) }
    return options
  }

  /// What goes wrong in `body`, as an error of the tool.
  func stored<T>(_ body: @autoclosure () throws(StoreError) -> T) throws(ToolFailure) -> T {
    do { return try body() } catch { throw failure(error.message, error.kind == .busy ? .later : .trouble) }
  }

  func failure(_ message: String, _ status: ExitStatus = .trouble) -> ToolFailure {
    .failed(status, message, source: quoted(path))
  }
}

struct StoredWalk {
  private let options: Options.Store
  private let settings: Options
  private let streams: StandardStreams
  private let url: HTTPURL
  private let file: StoreFile
  private let first: PageRequest
  private let name: [UInt8]

  init(
    _ url: HTTPURL, _ options: Options.Store, _ settings: Options, _ streams: StandardStreams
  ) throws(ToolFailure) {
    self.url = url
    self.settings = settings
    self.streams = streams
    let file = try options.stored(StoreFile(options.path, isDurable: options.isDurable))
    self.file = file
    self.options = try options.remembering(file)
    first = PageRequest(first: settings.http.request(url))
    name = self.options.name(of: first)
  }

  func run() throws(ToolFailure) -> ExitStatus {
    let record = try enter()
    guard let lock = try options.stored(file.lock(record, waits: options.waits)) else {
      throw options.failure("another run is at work on the feed (--wait)", .later)
    }
    defer { withExtendedLifetime(lock) {} }
    // Only now: the run that was waited for may have been the first.
    guard let known = try options.stored(file.feed(named: name)) else {
      throw options.failure("the feed was taken out meanwhile")
    }
    let store = try options.stored(file.open(known, isVersioned: true))
    var walk = settings.walk
    var given = options
    try options.stored(RememberedOptions.fill(&walk, &given, from: known.options))
    walk.findsID = walk.id == nil
    let secrets = secrets(walk)
    guard known.url == secrets.cut(first).url else {
      throw options.failure("feed '\(shortened(name))' is that of another URL, \(shortened(known.url))")
    }
    let feed = feedOptions(walk, given, secrets)
    // These are what the engine sees to.
    walk.dedupes = false
    walk.guardsLoops = false
    walk.maxItems = .max
    walk.maxPages = .max
    var fetcher = try fetcher(walk, secrets)
    try restAsAsked(store, &fetcher)
    return try run(fetcher, feed, walk, known, store)
  }

  private func secrets(_ walk: WalkOptions) -> SecretParameters {
    SecretParameters(
      options.secretParameters, of: first, next: walk.next, credentials: settings.http.request(url).secrets)
  }

  /// The feed's record, which is made where there is none. What was given is only remembered when a page has shown that
  /// it fits.
  private func enter() throws(ToolFailure) -> FeedRecord {
    let known = try options.stored(file.feed(named: name))
    if let known { return known }
    try refuseSlip()
    let url = secrets(settings.walk).cut(first).url
    return try options.stored(file.add(name, url: url))
  }

  /// A store that has feeds, and not this one, of which nothing is said either: more likely another URL was meant.
  private func refuseSlip() throws(ToolFailure) {
    let isDescribed = settings.walk.id != nil || settings.walk.items != nil || settings.walk.next != nil
    guard !isDescribed, options.feedName == nil else { return }
    let feeds = try options.stored(file.feeds())
    guard let known = feeds.first else { return }
    let more = feeds.count == 1 ? "" : " and \(feeds.count - 1) more"
    throw options.failure(
      "no feed of this URL (it has '\(shortened(known.name))'\(more)); to add one, give its '--id'")
  }

  private func fetcher(_ walk: WalkOptions, _ secrets: SecretParameters) throws(ToolFailure) -> StoredFetcher {
    let walker = try Walker(walk, asking: first)
    guard let origin = walker.origin else { throw .usage("no URL given") }
    return StoredFetcher(
      try PageSource(settings, origin, secrets, streams), walker, secrets, method: first.method,
      store: options)
  }

  private func feedOptions(
    _ walk: WalkOptions, _ given: Options.Store, _ secrets: SecretParameters
  ) -> FeedOptions {
    var feed = FeedOptions(firstRequest: secrets.cut(first).json)
    feed.command = options.command
    feed.overlap = given.overlap ?? 1
    feed.forgetsBelowGaps = given.forgetsBelowGaps ?? false
    feed.printsChanged = options.printsChanged
    feed.maxPages = walk.maxPages == .max ? nil : walk.maxPages
    number(&feed, walk, secrets)
    return feed
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
    case .offset(let parameter, let begin):
      (name, start) = (parameter, begin ?? DecimalText(0))
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
  private func restAsAsked(_ store: FeedStore, _ fetcher: inout StoredFetcher) throws(ToolFailure) {
    let left = try options.stored(store.retryWait(now: Self.now))
    guard let left else { return }
    // Who says how long to wait, or not to wait, has the server asked once: it may have changed its mind.
    let asksAgain = options.asksNow || (settings.isMaxWaitGiven && Double(left) > settings.maxWait)
    if !asksAgain, Double(left) > settings.maxWait {
      throw .failed(.later, "the server wants no request for another \(left) s (--now)", source: url.display)
    }
    if !asksAgain { try fetcher.rest(until: Clock.monotonic() + Double(left)) }
    try options.stored(store.setRetryWait(nil, now: Self.now))
  }

  /// In seconds since 1970.
  private static var now: Int { Int(Clock.now() / 1_000_000) }

  private func run(
    _ fetcher: StoredFetcher, _ feed: FeedOptions, _ walk: WalkOptions, _ known: FeedRecord, _ store: FeedStore
  ) throws(ToolFailure) -> ExitStatus {
    let output = streams.output
    let records = RecordWrites(to: output, of: .network)
    var printer = FeedPrinter { bytes, ends in records.write(bytes, ends, to: output) }
    printer.style = settings.form == .records ? .record : .data
    printer.remaining = settings.walk.maxItems == .max ? nil : settings.walk.maxItems
    var session = FeedSession(store, feed, fetcher, printer)
    session.redelivers = options.redelivers
    session.note = { tell($0) }
    var remembered: [UInt8] = []
    session.willCommit = { (fetcher) throws(StoreError) in
      let json = RememberedOptions(walk, fetcher.shape, feed, options.secretParameters).json
      if json != remembered { try file.save(json, for: known) }
      remembered = json
    }
    let end = try options.stored(session.run())
    if let wait = session.fetcher.retryWait {
      try options.stored(store.setRetryWait(wait, now: Self.now))
    }
    switch end {
    case .outputFailed(let error): throw .output(error)
    case .interrupted: return .trouble
    case .outcome(let outcome):
      if let found = outcome.failure {
        throw session.fetcher.failure ?? .failed(found.status, found.message, source: url.display)
      }
      if let complaint = session.fetcher.complaint { throw complaint }
      return outcome.status
    }
  }

  private func tell(_ note: FeedNote) {
    let text =
      switch note {
      case .gapLost: "a gap cannot be filled any more: the feed ends above what was known"
      case .uncertain(1): "of 1 item it is not known whether it was printed (--redeliver)"
      case .uncertain(let count): "of \(count) items it is not known whether they were printed (--redeliver)"
      }
    if !settings.http.isSilent { streams.say(Diagnostic(text, source: url.display)) }
  }
}
