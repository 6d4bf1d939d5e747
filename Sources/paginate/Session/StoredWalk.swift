// A run on a stored feed: new items are fetched and printed, and gaps are found and filled.

import FeedCore
import FeedHTTP

extension Options.Store {
  /// The name of the feed of a request.
  func name(of first: PageRequest) -> [UInt8] {
    if let feedName { return feedName }
    let plain = SecretParameters(secretParameters, of: first, next: nil).redacted(first)
    guard let body = first.body else { return plain.url }
    // Another body asks for something else at the same URL. If a body may hold secrets, only its digest is used.
    return plain.url + [UInt8(ascii: " ")] + (plain.body ?? ItemVersion.of(body.span))
  }

  /// These options, with the parameters that earlier runs on the file named as secrets.
  func remembering(_ file: StoreFile) throws(ToolFailure) -> Self {
    var options = self
    let feeds = try stored(file.feeds())
    options.secretParameters += feeds.flatMap { RememberedOption.secretParameters(in: $0.options) }
    return options
  }

  /// The place of a reader that keeps it in a checkpoint, which the last program of its pipeline writes.
  /// - Returns: the release number up to which the reader has everything: 0 if it has nothing yet, nil without
  ///   `--resume-from`.
  func place(in store: FeedStore) throws(ToolFailure) -> Int? {
    guard let checkpoint else { return nil }
    guard let found = try Checkpoint.read(checkpoint), !found.id.isEmpty else { return 0 }
    let id = found.id
    // The checkpoint may have kept this member of the record.
    let again = found.extra["seq"].flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    guard let number = try stored(store.releaseNumber(of: id, again: again)) else {
      throw .failed(.error, "the store has no item '\(shortened(id))'", source: quoted(checkpoint))
    }
    return number
  }

  /// Converts a store error in `body` into an error of the tool.
  func stored<T>(_ body: @autoclosure () throws(StoreError) -> T) throws(ToolFailure) -> T {
    do { return try body() } catch { throw failure(error.message, error.kind == .busy ? .tryAgain : .error) }
  }

  func failure(_ message: String, _ status: ExitStatus = .error) -> ToolFailure {
    .failed(status, message, source: quoted(path))
  }
}

struct StoredWalk {
  enum Origin {
    case url(HTTPURL)
    case page(InputPage)
  }

  private let storeOptions: Options.Store
  private let options: Options
  private let streams: StandardStreams
  private let origin: Origin
  private let file: StoreFile
  private let first: PageRequest
  private let name: [UInt8]

  init(
    _ origin: Origin, _ storeOptions: Options.Store, _ options: Options, _ streams: StandardStreams
  ) throws(ToolFailure) {
    (self.origin, self.options, self.streams) = (origin, options, streams)
    // A checkpoint survives a power cut, so the store must survive it too.
    let isDurable = storeOptions.isDurable || storeOptions.checkpoint != nil
    file = try storeOptions.stored(StoreFile(storeOptions.path, isDurable: isDurable))
    self.storeOptions = try storeOptions.remembering(file)
    first =
      switch origin {
      case .url(let url): PageRequest(first: options.http.request(url))
      case .page: Self.fileRequest
      }
    name = self.storeOptions.name(of: first)
  }

  /// The options of a feed whose pages come from a file, with those that the store remembers of it.
  static func remembered(_ options: Options, _ storeOptions: Options.Store) throws(ToolFailure) -> Options {
    var options = options
    let file = try storeOptions.stored(StoreFile(storeOptions.path))
    if let known = try storeOptions.stored(file.feed(named: storeOptions.name(of: fileRequest))) {
      try storeOptions.stored(RememberedOption.fill(&options, from: known.options))
    }
    return options
  }

  /// What stands for the request of a page that comes from a file.
  private static let fileRequest = PageRequest(url: [UInt8(ascii: "-")])

  /// For messages.
  private var source: String {
    switch origin {
    case .url(let url): url.display
    case .page(let page): page.file.name
    }
  }

  /// - Parameter state: what goes on from run to run; it is valid even if the run fails.
  /// - Returns: 1 also if this or an earlier run has found that items are lost, however well it ended.
  func run(_ state: inout PollState) throws(ToolFailure) -> ExitStatus {
    let first = try attempt(&state)
    guard let status = if let first { first } else { try attempt(&state) } else {
      throw .failed(.remote, "the server refuses its own value of --since; type --full", source: source)
    }
    return status == .yes && state.hasLostItems ? .no : status
  }

  /// - Returns: nil if the server has refused the value of `--since`, which is forgotten then.
  private func attempt(_ state: inout PollState) throws(ToolFailure) -> ExitStatus? {
    let record = try feedRecord()
    let reporting = options.http.isSilent ? nil : streams
    guard let lock = try storeOptions.stored(file.lock(record, waiting: storeOptions.wait, reporting)) else {
      state.failureKind = .network(.transient)
      throw storeOptions.failure("another run is using the feed (--wait)", .tryAgain)
    }
    defer { withExtendedLifetime(lock) {} }
    // Only now: the run that we waited for may have added the feed.
    guard let known = try storeOptions.stored(file.feed(named: name)) else {
      throw storeOptions.failure("the feed was removed from the store meanwhile")
    }
    let store = try storeOptions.stored(file.open(known))
    if state.place == nil { state.place = try storeOptions.place(in: store) }
    var options = options
    try storeOptions.stored(RememberedOption.fill(&options, from: known.options))
    var walk = options.walk
    walk.findsID = !walk.hasIDs
    walk.keepsRequests = true
    let secrets = secrets(walk)
    guard known.url == secrets.redacted(first).url else {
      throw storeOptions.failure("feed '\(shortened(name))' is the feed of another URL, \(shortened(known.url))")
    }
    let since = try since(walk, store)
    // The whole feed and its older pages do not depend on the mark.
    var command = storeOptions.command
    // The last page has the value, so everything is read as long as there is none.
    if command == .refresh, since?.isOfPage == true, since?.isFiltered == false { command = .full }
    if options.order == FeedOrder.none {
      if command == .more {
        throw .usage("option '--older' has no meaning for a feed in no order: each run reads it whole")
      }
      if since?.isFiltered != true { command = .full }
    }
    let asksForNewer = command == .refresh || (command == .more && options.order == .oldestFirst)
    let first: PageRequest
    do throws(NextError) { first = asksForNewer ? try since?.applied(to: self.first) ?? self.first : self.first } catch
    {
      throw .usage(error.message)
    }
    var feed = feedOptions(first, walk, options, secrets)
    feed.command = command
    feed.since = since.map { since in
      FeedOptions.Since(
        isFiltered: since.isFiltered && asksForNewer, mustJoin: since.mustJoin,
        // After an item, nothing can shift. Nobody knows what is in a link or a cursor.
        mayShift: walk.next?.needsItems != true, isOfPage: since.isOfPage)
    }
    feed.isConditional = first == self.first || state.firstRequest == feed.firstRequest
    let described = walk
    // An item with another value may have moved.
    walk.orderKey = walk.orderKey ?? walk.since?.itemPointer
    switch origin {
    case .page(let page):
      let fetcher = try DocumentFetcher(page, walk, streams)
      // Lines are what is new, wherever they begin.
      if walk.items == .lines { feed.since = FeedOptions.Since(isFiltered: true) }
      return try run(fetcher, feed, described, known, store, &state)
    case .url(let url):
      var fetcher = try ServerFetcher(
        walk, options, self.first, first: first, since: since, hiding: secrets, state.client, streams)
      if storeOptions.interval != nil, !state.isOpen { fetcher.opening = NotePrinter(options, streams) }
      try waitForServer(url, store, &fetcher, &state)
      return try run(fetcher, feed, described, known, store, &state)
    }
  }

  private func secrets(_ walk: WalkOptions) -> SecretParameters {
    guard case .url(let url) = origin else { return SecretParameters([], of: first, next: nil) }
    return SecretParameters(
      storeOptions.secretParameters, of: first, next: walk.next, credentials: options.http.request(url).secrets)
  }

  /// The feed's record, created if it does not exist. Options are remembered only after a page has shown that they fit.
  private func feedRecord() throws(ToolFailure) -> FeedRecord {
    let known = try storeOptions.stored(file.feed(named: name))
    if let known { return known }
    try refuseUnknownURL()
    let url = secrets(options.walk).redacted(first).url
    return try storeOptions.stored(file.add(name, url: url))
  }

  /// The store has other feeds but not this one, and no option describes it: probably the URL is wrong.
  private func refuseUnknownURL() throws(ToolFailure) {
    let isDescribed = options.walk.id != nil || options.walk.items != nil || options.walk.next != nil
    guard !isDescribed, storeOptions.feedName == nil else { return }
    let feeds = try storeOptions.stored(file.feeds())
    if feeds.isEmpty { return }
    let what = if case .url = origin { "of this URL" } else { "'\(shortened(name))'" }
    throw storeOptions.failure(
      "the store has no feed \(what)\(FeedRecord.names(feeds)); to add one, give its '--id-from'")
  }

  private func since(_ walk: WalkOptions, _ store: FeedStore) throws(ToolFailure) -> SinceReader? {
    guard let rule = walk.since else { return nil }
    return SinceReader(rule, try storeOptions.stored(store.mark()))
  }

  private func feedOptions(
    _ first: PageRequest, _ walk: WalkOptions, _ options: Options, _ secrets: SecretParameters
  ) -> FeedOptions {
    var feed = FeedOptions(firstRequest: secrets.redacted(first).json)
    feed.order = options.order
    feed.printsChanged = storeOptions.printsChanged
    if !storeOptions.ignored.isEmpty {
      let ignored = storeOptions.ignored
      feed.isEdit = { old, new in Self.isEdit(old, new, ignoring: ignored) }
    }
    feed.maxPages = options.maxPages == .max ? nil : options.maxPages
    number(&feed, first, walk, secrets)
    return feed
  }

  private static func isEdit(_ old: [UInt8], _ new: [UInt8], ignoring pointers: [JSONPointer]) -> Bool {
    var scope = Scope()
    for pointer in pointers { scope.add(Scope.Rule(purpose: .ignore, pointer: pointer, text: pointer.shown)) }
    guard let old = try? Side(JSONDocument(known: old), scope), let new = try? Side(JSONDocument(known: new), scope)
    else {
      return true
    }
    return !Sides.areEqual(old, new)
  }

  /// Tells the engine how to request a page by number, if the rule uses numbers.
  private func number(
    _ feed: inout FeedOptions, _ first: PageRequest, _ walk: WalkOptions, _ secrets: SecretParameters
  ) {
    guard let rule = walk.next?.deciding, let counter = rule.counter else { return }
    feed.numbering = counter.countsPages ? .pages : .offsets
    let begin = (try? rule.number(in: first, counter.first)) ?? counter.first
    feed.numberedRequest = { number in
      let request = number == 0 ? first : try? rule.setting(begin + DecimalText(number), in: first)
      return secrets.redacted(request ?? first).json
    }
  }

  /// An earlier run may have been asked for a longer wait than this run accepts.
  private func waitForServer(
    _ url: HTTPURL, _ store: FeedStore, _ fetcher: inout ServerFetcher, _ state: inout PollState
  ) throws(ToolFailure) {
    let left = try storeOptions.stored(store.retryWait(now: Self.now))
    guard let left else { return }
    // With a shorter --max-wait, one request is made: the server may have changed its mind.
    let asksAgain = options.isGiven(\.maxWait) && Double(left) > options.maxWait
    if !asksAgain, Double(left) > options.maxWait {
      state.asked = Double(left)
      throw .failed(.tryAgain, "the server wants no request for another \(left) s (--max-wait)", source: url.display)
    }
    if !asksAgain { try fetcher.source.hold(until: Clock.monotonic() + Double(left), url) }
    try storeOptions.stored(store.setRetryWait(nil, now: Self.now))
  }

  /// In seconds since 1970.
  private static var now: Int { Int(Clock.now() / 1_000_000) }

  private func run(
    _ fetcher: some ReportingFetcher, _ feed: FeedOptions, _ walk: WalkOptions, _ known: FeedRecord, _ store: FeedStore,
    _ state: inout PollState
  ) throws(ToolFailure) -> ExitStatus? {
    var printer = FeedPrinter(options, streams)
    printer.place = state.place
    printer.remaining = state.remaining
    var session = FeedSession(store, feed, fetcher, printer)
    session.redelivers = storeOptions.redelivers
    var lostGaps = 0
    session.note = { note in
      report(note, feed.order)
      if note == .gapLost { lostGaps += 1 }
    }
    var remembered: [UInt8] = []
    session.willCommit = { (fetcher, order) throws(StoreError) in
      var feed = feed
      feed.order = order
      let json = RememberedOption.json(walk, fetcher.shape, feed, storeOptions.secretParameters)
      if json != remembered { try file.save(json, for: known) }
      remembered = json
    }
    let hadGap = FeedRuns(try storeOptions.stored(store.runs())).hasOpenGap
    defer { state.update(session.printer, session.fetcher as? ServerFetcher) }
    let outcome = try storeOptions.stored(session.run())
    if let wait = session.fetcher.retryWait { try storeOptions.stored(store.setRetryWait(wait, now: Self.now)) }
    if let error = outcome.outputError { throw .output(error) }
    if outcome.failure == nil, feed.since?.isFiltered == true { state.firstRequest = feed.firstRequest }
    if lostGaps > 0 { state.hasLostItems = true }
    try noteGaps(lost: lostGaps, feed.order, isOpen: outcome.hasOpenGap, wasOpen: hadGap)
    // The exit status is 1, and nothing else says why.
    if outcome.hasOpenGap, options.isVerbose {
      streams.say(Diagnostic(Self.openGap, source: source))
    }
    // With --full, no value was asked for.
    if storeOptions.command != .full, outcome.failure?.isForgotten == true, !session.fetcher.hasRead,
      let mark = session.fetcher.newMark
    {
      try storeOptions.stored(store.replace(mark))
      if feed.since?.isFiltered == true {
        report(.sinceReplaced, feed.order)
        state.hasLostItems = true
      }
      return nil
    }
    if outcome.failure?.isForgotten == true, feed.since?.isFiltered == true, !session.fetcher.hasRead {
      try storeOptions.stored(store.forgetMark())
      report(.sinceForgotten, feed.order)
      return nil
    }
    let status = try session.fetcher.status(outcome, streams) { found in
      found.status == .error
        ? storeOptions.failure(found.message) : .failed(found.status, found.message, source: source)
    }
    if let since = session.fetcher.since, since.isOfPage, since.mark == nil, feed.command == .full,
      FeedRuns(try storeOptions.stored(store.runs())).head?.lowerEnd == .end
    {
      throw .failed(.remote, "no page had the value of \(since.shown)\(since.advice)", source: source)
    }
    return status
  }

  /// Prints notes about the gaps of this run.
  private func noteGaps(lost: Int, _ order: FeedOrder?, isOpen: Bool, wasOpen: Bool) throws(ToolFailure) {
    var notes = NotePrinter(options, streams)
    for _ in 0..<lost { try notes.print(.gap, source, FeedNote.gapLost.text(order)) }
    if isOpen, !wasOpen { try notes.print(.gap, source, Self.openGap) }
    if wasOpen, !isOpen, lost == 0 { try notes.print(.gap, source, "the gap is filled") }
  }

  private static let openGap = "items are missing; a later run reads them"

  private func report(_ note: FeedNote, _ order: FeedOrder?) {
    // That a feed ends with its first page, the user has said. So each run reads it all, in any order.
    if note == .looksSorted, options.walk.next?.isNone == true { return }
    if !options.http.isSilent { streams.say(Diagnostic(note.text(order), source: source)) }
  }
}
