import FeedCore
import FeedHTTP

/// Polls: one loop for one URL and for a hundred. Each turn starts the requests that are due, reads the data that has
/// come, writes out what is new, and waits.
struct URLPoller {
  let options: Options
  let streams: StandardStreams
  private let client: HTTPClient
  private let interrupts: Interrupts
  private let limits: HTTPExchange.Bounds
  /// When to end, by the monotonic clock.
  private let deadline: Double?
  var http: HTTPOptions
  var list: URLList?
  var listLooked: Double
  var resources: [Resource] = []
  /// The requests in progress, each with the index of its resource.
  var running: [(index: Int, exchange: HTTPExchange)] = []
  /// The resources that are neither being requested nor over.
  var queue = PollQueue()
  var printer: BodyPrinter
  /// The checkpoint of the only resource; nil for a list.
  var checkpoint: PollCheckpoint?
  /// Begin the ids of records.
  var ids = EventIDs()
  var lastFailure: ToolFailure?
  var isFinished = false

  init(_ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.options = options
    self.streams = streams
    http = options.http
    client = try HTTPClient()
    interrupts = Interrupts(streams.output)
    printer = BodyPrinter(options, streams)
    let now = Clock.monotonic()
    listLooked = now
    deadline = options.connection.maxTime.map { now + $0 }
    limits = HTTPExchange.Bounds(
      noun: "body", maxSize: options.maxSize, idleTimeout: options.connection.idleTimeout ?? .infinity,
      requestTimeout: min(options.requestTimeout, options.interval?.longestPoll ?? .infinity),
      takesEventStreams: options.form == .bytes)
    switch options.task {
    case .stream: throw .usage("nothing to poll")
    case .poll(let url): try add(url, now)
    case .list(let path):
      let list = try URLList(path, http, streams)
      self.list = list
      for (index, entry) in list.entries.enumerated() {
        // Spreads the requests over the interval.
        let share = (interval?.seconds ?? 0) * Double(index) / Double(list.entries.count)
        resources.append(
          Resource(entry.url, name: entry.name, KeptValues(options.next.rules), due: now + share, policy))
        enqueue(index)
      }
      reportLateTurns()
    }
  }

  /// Adds the only resource, with what is known of it.
  private mutating func add(_ url: HTTPURL, _ now: Double) throws(ToolFailure) {
    let time = Int(Clock.now() / 1000)
    var checkpoint = try PollCheckpoint(options.checkpoint, of: url)
    var values = KeptValues(options.next.rules)
    var known = try checkpoint.read(&values, now: time)
    self.checkpoint = checkpoint
    if let resumed = options.resumed {
      values.resume(from: resumed)
      known = values.isUsed ? KnownBody() : KnownBody(id: resumed.id, of: url)
    }
    // The command line overrides the type of the first body.
    if options.form != .auto { known.type = nil }
    ids.resume(after: known.id)
    var wait = checkpoint.next - time
    if wait > 0, interval == nil {
      let text = "the server wants no request for another \(secondsText(Double(wait) / 1000)) s (--checkpoint)"
      throw .failed(.tryAgain, text, source: url.display)
    }
    if checkpoint.asked > 0, let interval { wait = max(wait, checkpoint.asked + Int(interval.seconds * 1000) - time) }
    let resource = Resource(
      url, name: options.stamp.source, known: known, values, due: now + Double(max(0, wait)) / 1000, policy)
    resources.append(resource)
    enqueue(0)
    if checkpoint.next > time {
      let reason = "the server has asked an earlier run to wait"
      note(.held, of: resource, delay: Double(wait) / 1000, reason: reason)
    }
  }

  var interval: Interval? { options.interval }

  var policy: RetryPolicy {
    let retries = options.connection.retries
    return RetryPolicy(
      polling: interval ?? .fixed(1), longest: options.maxBackoff,
      retries: interval == nil && retries == .max ? 0 : retries)
  }

  mutating func run() throws(ToolFailure) -> ExitStatus {
    do {
      while true {
        refreshList()
        try start()
        let wasBusy = try advance()
        reportLateResponses()
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

  mutating func flush() throws(ToolFailure) {
    try write { (printer) throws(ToolFailure) in try printer.flush() }
  }

  /// Prints or writes out. While a slow reader blocks us, nobody reads the responses, so this time does not count for
  /// them.
  mutating func write(_ work: (inout BodyPrinter) throws(ToolFailure) -> Void) throws(ToolFailure) {
    let before = Clock.monotonic()
    try work(&printer)
    let blocked = Clock.monotonic() - before
    for place in running.indices { running[place].exchange.extendTimeout(by: blocked) }
  }

  /// - Returns: nil while there is something to do.
  private func status() throws(ToolFailure) -> ExitStatus? {
    if isFinished { return done }
    let awaited = options.ends.awaited
    if running.isEmpty, queue.isEmpty {
      guard resources.allSatisfy(\.hasSucceeded), interval == nil else { return .remote }
      if let awaited { throw .ended(.remote, before: awaited, source: source) }
      return done
    }
    guard let deadline, Clock.monotonic() >= deadline else { return nil }
    let hasAnswered = resources.contains(where: \.hasSucceeded)
    if hasAnswered, awaited == nil { return done }
    var reason = ""
    if !resources.contains(where: \.isOpen), let lastFailure {
      // If there are many, the last failure represents them all.
      let source = list == nil ? nil : lastFailure.diagnostic.source
      reason = ": " + (source.map { $0 + ": " } ?? "") + lastFailure.message
    }
    let mayHaveTakenEffect = running.contains(where: \.exchange.mayHaveTakenEffect)
    if mayHaveTakenEffect, !hasAnswered { reason += HTTPError.effect }
    throw .outOfTime(
      mayHaveTakenEffect ? .remote : .tryAgain, options.connection.maxTime ?? 0,
      awaiting: hasAnswered ? awaited ?? "" : "response", source: source, reason)
  }

  /// The status at an end that was asked for.
  private var done: ExitStatus { resources.contains { $0.values.hasGap } ? .no : .yes }

  /// The URL for messages about all of it; nil for a list.
  private var source: String? { list == nil ? resources[0].url.display : nil }

  // MARK: Requests

  /// Starts the requests that are due.
  private mutating func start() throws(ToolFailure) {
    if isFinished { return }
    let now = Clock.monotonic()
    while running.count < options.parallel, let index = queue.next(now) { try ask(index, now) }
  }

  /// Adds the resource to the queue, for when it is due.
  mutating func enqueue(_ index: Int) {
    queue.add(index, to: resources[index].url.origin, due: resources[index].polls.due)
  }

  private mutating func ask(_ index: Int, _ now: Double) throws(ToolFailure) {
    // A file of headers may contain a secret now that it did not contain at the start.
    let list = list
    let problem = http.readAgain { (http) throws(ToolFailure) in
      if let refusal = list?.refusal(of: http) { throw .failed(.error, refusal) }
    }
    if let problem, !http.isSilent { streams.say(problem) }
    try checkpoint?.begin(resources[index].known, resources[index].values, now: Int(Clock.now() / 1000))
    resources[index].polls.begin(at: now)
    let url = resources[index].url
    var request = http.request(url)
    request.setDefault("Accept", Array("*/*".utf8))
    // Each poll of many is a request of its own.
    request.mayRepeat = interval != nil
    try resources[index].values.apply(to: &request)
    // What ends the tool may be in the body that an earlier run has printed, so this run must see it.
    if options.ends.isEmpty || resources[index].hasSucceeded {
      request.condition = resources[index].known.validators?.condition
    }
    do {
      let exchange = try HTTPExchange(request, of: client, limits) { [request] in
        StatusPolicy().verdict($0, to: request) == .taken
      }
      running.append((index, exchange))
      queue.begin(url.origin, now, pause: list == nil ? 0 : options.hostDelay)
      // A server that holds a request until there is something is not late.
      if !isHeld(index) { resources[index].responseWait.begin(streams, now) }
    } catch {
      try fail(index, PollFailure(error, of: url))
    }
  }

  /// Whether the server holds the request until it has something new.
  private func isHeld(_ index: Int) -> Bool { interval?.seconds == 0 && resources[index].hasSucceeded }

  // MARK: Waiting

  private mutating func wait() throws(ToolFailure) {
    var moments = running.map { $0.exchange.deadline } + running.compactMap { resources[$0.index].responseWait.dueTime }
    if running.count < options.parallel, let moment = queue.nextRequestTime() { moments.append(moment) }
    if list != nil, let interval { moments.append(listLooked + interval.seconds) }
    if let deadline { moments.append(deadline) }
    do throws(HTTPError) {
      guard case .interrupted = try client.wait(until: moments.min(), interrupts) else { return }
    } catch {
      throw error.failure("waiting")
    }
    throw .brokenPipe
  }
}
