// Polls: one loop for one URL and for a hundred. Each turn asks for what is due, reads what has come, writes out what is
// new, and waits.

import FeedCore
import FeedHTTP

struct Poller {
  /// A request under way.
  private struct Running {
    let index: Int
    var exchange: HTTPExchange
  }

  let options: Options
  let streams: StandardStreams
  private let client: HTTPClient
  private let interrupts: Interrupts
  private let limits: HTTPExchange.Limits
  /// When the time is up, by the monotonic clock.
  private let deadline: Double?
  private let interval: Interval?
  private var http: HTTPOptions
  private var list: URLList?
  private var listLooked: Double
  private var resources: [Resource] = []
  private var running: [Running] = []
  private var origins = Origins()
  var printer: BodyPrinter
  /// Of the only resource; nil for a list.
  private var checkpoint: PollCheckpoint?
  /// When the last body came, in milliseconds; each one comes later.
  private var lastMilliseconds: Int
  private var lastFailure: ToolFailure?
  private var isFinished = false

  init(_ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    guard case .poll(let subject, let interval) = options.task else { throw .usage("nothing to poll") }
    self.options = options
    self.streams = streams
    self.interval = interval
    http = options.http
    client = try HTTPClient()
    interrupts = Interrupts(streams.output)
    printer = BodyPrinter(options, streams)
    let now = Clock.monotonic()
    listLooked = now
    deadline = options.connection.maxTime.map { now + $0 }
    limits = HTTPExchange.Limits(
      noun: "body", maxSize: options.maxSize, idleTimeout: options.connection.idleTimeout ?? .infinity,
      requestTimeout: min(options.requestTimeout, interval?.longestPoll ?? .infinity))
    lastMilliseconds = 0
    switch subject {
    case .url(let url): try add(url, now)
    case .list(let path):
      let list = try URLList(path, http, streams.input)
      self.list = list
      for (index, entry) in list.entries.enumerated() {
        // Spread over the interval, so that they are not all asked for at one moment.
        let share = (interval?.seconds ?? 0) * Double(index) / Double(list.entries.count)
        resources.append(Resource(entry.url, name: entry.name, due: now + share, policy))
      }
    }
  }

  /// The only resource, with what is known of it.
  private mutating func add(_ url: HTTPURL, _ now: Double) throws(ToolFailure) {
    let time = Int(Clock.now() / 1000)
    var checkpoint = try PollCheckpoint(options.checkpoint, of: url)
    var known = try checkpoint.read(now: time)
    self.checkpoint = checkpoint
    if !options.resumeID.isEmpty { known = KnownBody(id: options.resumeID, of: url) }
    // What the command line says counts, and not what the first body was taken for.
    if options.form != .auto { known.type = nil }
    lastMilliseconds = known.milliseconds
    var wait = checkpoint.next - time
    if wait > 0, interval == nil {
      let text = "the server wants no request for another \(secondsText(Double(wait) / 1000)) s (--checkpoint)"
      throw .failed(.later, text, source: url.display)
    }
    if checkpoint.asked > 0, let interval { wait = max(wait, checkpoint.asked + Int(interval.seconds * 1000) - time) }
    let resource = Resource(url, known: known, due: now + Double(max(0, wait)) / 1000, policy)
    resources.append(resource)
    if checkpoint.next > time { noteHeld(resource, seconds: Double(wait) / 1000) }
  }

  private var policy: RetryPolicy {
    let base = interval?.seconds ?? 1
    let longest = options.maxBackoff ?? max(60, (interval == nil ? 1 : 10) * base)
    let retries = options.connection.retries
    return RetryPolicy(base: base, .spread(longest: longest), retries: interval == nil && retries == .max ? 0 : retries)
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    do {
      while true {
        refreshList()
        try start()
        let wasBusy = try advance()
        try flush()
        if let status = try status() {
          noteClosed(resources)
          try printer.flush()
          return status
        }
        if !wasBusy { try wait() }
      }
    } catch {
      if error != .brokenPipe {
        noteClosed(resources, error.message)
        try? printer.flush()
      }
      throw error
    }
  }

  private mutating func flush() throws(ToolFailure) {
    let before = Clock.monotonic()
    try printer.flush()
    // While the reader was slow, nobody looked at the answers.
    let blocked = Clock.monotonic() - before
    for place in running.indices { running[place].exchange.excuse(blocked) }
  }

  /// - Returns: nil as long as there is something to do.
  private func status() throws(ToolFailure) -> ExitStatus? {
    if isFinished { return .yes }
    if running.isEmpty, resources.allSatisfy(\.isOver) {
      return resources.allSatisfy(\.hasSucceeded) && interval == nil ? .yes : .otherEnd
    }
    guard let deadline, Clock.monotonic() >= deadline else { return nil }
    let hasAnswered = resources.contains(where: \.hasSucceeded)
    if hasAnswered, options.until == nil { return .yes }
    var reason = ""
    if !resources.contains(where: \.isOpen), let lastFailure {
      // Of many, the one that has failed last stands for all.
      let source = list == nil ? nil : lastFailure.diagnostic.source
      reason = ": " + (source.map { $0 + ": " } ?? "") + lastFailure.message
    }
    throw options.outOfTime(
      hasAnswered ? "no match" : "no answer", reason, source: list == nil ? resources[0].url.display : nil)
  }

  private mutating func wait() throws(ToolFailure) {
    var moments = running.map(\.exchange.deadline)
    if running.count < options.parallel {
      for index in resources.indices where isWaiting(index) && !origins.isBusy(resources[index].url.origin) {
        moments.append(max(resources[index].due, origins.notBefore(resources[index].url.origin)))
      }
    }
    if list != nil, let interval { moments.append(listLooked + interval.seconds) }
    if let deadline { moments.append(deadline) }
    do throws(HTTPError) {
      guard case .interrupted = try client.wait(until: moments.min(), interrupts) else { return }
    } catch {
      throw error.failure("waiting")
    }
    throw .brokenPipe
  }

  // MARK: The list

  private mutating func refreshList() {
    guard let interval, list != nil, Clock.monotonic() >= listLooked + interval.seconds else { return }
    listLooked = Clock.monotonic()
    guard let (isChanged, problem) = list?.refresh(http) else { return }
    if let problem, !http.isSilent { streams.say(problem) }
    if isChanged { replaceResources(by: list?.entries ?? [], every: interval) }
  }

  /// What stays in the list keeps what is known of it, and its requests.
  private mutating func replaceResources(by entries: [URLList.Entry], every interval: Interval) {
    let old = resources
    // No name stands in a list twice.
    let places = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1.name ?? [], $0) })
    var newPlaces: [Int: Int] = [:]
    resources = entries.enumerated().map { index, entry in
      if let place = places[entry.name], old[place].url == entry.url {
        newPlaces[place] = index
        return old[place]
      }
      return Resource(
        entry.url, name: entry.name, due: listLooked + interval.seconds * Double.random(in: 0..<1), policy)
    }
    noteClosed(old.indices.filter { newPlaces[$0] == nil }.map { old[$0] })
    running = running.compactMap { request in
      if let index = newPlaces[request.index] { return Running(index: index, exchange: request.exchange) }
      origins.end(old[request.index].url.origin)
      return nil
    }
  }

  // MARK: Asking

  /// Asks for what is due.
  private mutating func start() throws(ToolFailure) {
    if isFinished { return }
    let now = Clock.monotonic()
    let due = resources.indices.filter { resources[$0].due <= now && isWaiting($0) }
      .sorted { resources[$0].due < resources[$1].due }
    for index in due where running.count < options.parallel {
      let origin = resources[index].url.origin
      guard !origins.isBusy(origin), origins.notBefore(origin) <= now else { continue }
      try ask(index, now)
    }
  }

  private func isWaiting(_ index: Int) -> Bool {
    !resources[index].isOver && !running.contains { $0.index == index }
  }

  private mutating func ask(_ index: Int, _ now: Double) throws(ToolFailure) {
    // A file of headers may hold a secret now that it did not hold at the start.
    let list = list
    let problem = http.readAgain { (http) throws(ToolFailure) in
      if let refusal = list?.refusal(of: http) { throw .failed(.trouble, refusal) }
    }
    if let problem, !http.isSilent { streams.say(problem) }
    try checkpoint?.begin(resources[index].known, now: Int(Clock.now() / 1000))
    resources[index].begin(at: now)
    let url = resources[index].url
    var request = http.request(url)
    request.setDefault("Accept", Array("*/*".utf8))
    request.condition = resources[index].known.validators?.condition
    do {
      running.append(
        Running(index: index, exchange: try HTTPExchange(request, of: client, limits) { $0.status == 200 }))
      origins.begin(url.origin, now, pausing: list != nil)
    } catch {
      try fail(index, PollFailure(error, of: url))
    }
  }

  // MARK: Answers

  /// Reads what has come.
  /// - Returns: whether an answer was complete, so that another may be asked for.
  private mutating func advance() throws(ToolFailure) -> Bool {
    var isBusy = false
    var place = 0
    while place < running.count, !isFinished {
      let index = running[place].index
      var answer: HTTPAnswer?
      var failure: PollFailure?
      do { answer = try running[place].exchange.advance() } catch {
        failure = PollFailure(error, of: resources[index].url)
      }
      guard answer != nil || failure != nil else {
        place += 1
        continue
      }
      isBusy = true
      origins.end(resources[index].url.origin)
      running.remove(at: place)
      if let answer { try take(answer, index) }
      if let failure { try fail(index, failure) }
    }
    return isBusy
  }

  private mutating func take(_ answer: HTTPAnswer, _ index: Int) throws(ToolFailure) {
    let time = Clock.now()
    let milliseconds = max(Int(time / 1000), lastMilliseconds + 1)
    let result: PollResult
    let wasOpen = resources[index].isOpen
    do {
      result = try resources[index].take(answer, options) { validators, digest in
        KnownBody.id(milliseconds: milliseconds, validators, digest: digest)
      }
    } catch {
      return try fail(index, error)
    }
    tell(answer, result)
    if !wasOpen { noteOpen(resources[index], at: answer.url) }
    switch result {
    case .unchanged: break
    case .empty:
      if !resources[index].hasToldEmpty { complain(answer, "nothing to print (HTTP \(answer.head.status))") }
      resources[index].hasToldEmpty = true
    case .changed(let body):
      if let until = options.until, body.holds(until) {
        isFinished = true
        return
      }
      lastMilliseconds = milliseconds
      printer.print(body, of: resources[index], answer, now: time)
      isFinished = printer.count >= options.limit
    }
    if let interval {
      let random = Double.random(in: 0...1)
      resources[index].schedule(
        after: answer.head, every: interval, jitter: options.jitter, now: Clock.monotonic(), random: random)
    } else {
      resources[index].isOver = true
    }
    try save(index, next: 0)
  }

  /// A poll has failed.
  /// - Throws: what ends the tool.
  private mutating func fail(_ index: Int, _ failure: PollFailure) throws(ToolFailure) {
    lastFailure = failure.failure
    let now = Clock.monotonic()
    let asked = failure.asked ?? 0
    if asked > 0, failure.kind == .status(429) { origins.hold(resources[index].url.origin, until: now + asked) }
    try save(index, next: asked > 0 ? Int(Clock.now() / 1000) + Int(asked * 1000) : 0)
    if failure.kind == .network(.local) { throw failure.failure }
    let isOver = failure.isFinal || (failure.isMistake && !resources[index].hasSucceeded && list == nil)
    let resource = resources[index]
    let pause = isOver ? nil : resources[index].fail(failure, now: now)
    note(failure, of: resource, pause: pause?.seconds)
    guard let pause else {
      resources[index].end()
      let failure = failure.failure.adding(isOver ? "" : resources[index].policy.gaveUp)
      if list == nil { throw failure }
      return streams.say(failure.diagnostic)
    }
    guard pause.isTold || options.connection.isVerbose, !http.isSilent else { return }
    streams.say(failure.failure.diagnostic.adding(RetryPolicy.words("retrying", in: pause.seconds)))
  }

  /// Saves what is known, once it has been written out.
  private mutating func save(_ index: Int, next: Int) throws(ToolFailure) {
    guard checkpoint != nil else { return }
    try flush()
    try checkpoint?.finish(resources[index].known, next: next)
  }

  // MARK: Messages

  private func complain(_ answer: HTTPAnswer, _ text: String) {
    if !http.isSilent { streams.say(Diagnostic(text, source: answer.url.display)) }
  }

  private func tell(_ answer: HTTPAnswer, _ result: PollResult) {
    guard options.connection.isVerbose else { return }
    var words = "HTTP \(answer.head.status)"
    if case .changed(let body) = result { words += ", \(body.text.count) bytes" }
    if case .unchanged = result { words += ", unchanged" }
    // Nobody knows whether that was meant.
    if answer.head.status == 200, !answer.head.marksEnd {
      words += "; the end of the connection was the end of the body"
    }
    complain(answer, words)
  }
}
