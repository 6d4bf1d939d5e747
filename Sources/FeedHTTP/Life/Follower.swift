// Follows a feed: connects, judges how the connection ended, waits, and connects again. The tool defines what a
// connection is and what happens with the data.

import FeedCore

/// A feed that is followed over any number of connections.
package protocol Followed {
  /// For the message "connecting": the place where the next connection resumes, such as ` after event ID '7'`; empty at
  /// the start.
  var resumption: String { get }
  /// The number of events or messages received.
  var count: Int { get }

  /// Throws if the tool cannot send what the options now contain: their files are read again while it runs.
  func check(_ http: HTTPOptions) throws(ToolFailure)
  /// What the other side said when it closed the last connection, without secrets; nil if nothing. The code is that of
  /// a WebSocket close frame (RFC 6455 §7.4).
  var closing: (code: Int?, reason: String?)? { get }

  /// Connects, and runs until the connection has ended.
  mutating func connect(_ follower: inout Follower) throws(ToolFailure) -> ConnectionEnding
  /// Prints a note after the earlier output. Called only if notes are wanted.
  mutating func print(_ note: Note) throws(ToolFailure)
  /// Flushes the output.
  mutating func flush() throws(ToolFailure)
  /// Writes out the complete part of the output, after an error that ends the tool.
  mutating func abandon()
}

extension Followed {
  package var resumption: String { "" }
  package var closing: (code: Int?, reason: String?)? { nil }
  package func check(_ http: HTTPOptions) throws(ToolFailure) {}
}

/// The connections to one feed, one after the other, and the waits between them.
package struct Follower {
  /// When to end, by the monotonic clock.
  package let deadline: Double?
  /// What ends a wait before its time: signals, and a reader of our output that has gone.
  package let interrupts: Interrupts
  /// The request options; their files are read again for each connection.
  package private(set) var http: HTTPOptions
  let options: ConnectionOptions
  private let streams: StandardStreams
  private let sleep: (Double) throws(ToolFailure) -> Interruption?
  private var reconnection: Reconnection
  private var hasReportedDelay = false
  /// The wait for the head of a response.
  private var responseWait = SilentWait()
  /// When the last connection was started.
  private var beginning = 0.0
  /// The URL of the open connection, as messages show it.
  private var openURL: String?

  /// - Parameter signals: the source of signals, if the tool must close its connections before it dies of one.
  package init(
    _ options: ConnectionOptions, _ http: HTTPOptions, _ feed: FollowedFeed, _ streams: StandardStreams,
    signals: Descriptor? = nil
  ) {
    let interrupts = Interrupts(streams.output, signals: signals)
    self.init(options, http, Reconnection(options, feed), streams, interrupts) { deadline throws(ToolFailure) in
      try interrupts.sleep(until: deadline)
    }
  }

  /// For a test, with its own random numbers and time.
  init(
    _ options: ConnectionOptions, _ http: HTTPOptions, _ reconnection: Reconnection, _ streams: StandardStreams,
    _ interrupts: Interrupts,
    sleep: @escaping (_ deadline: Double) throws(ToolFailure) -> Interruption?
  ) {
    self.options = options
    self.http = http
    self.reconnection = reconnection
    self.streams = streams
    self.interrupts = interrupts
    self.sleep = sleep
    deadline = options.maxTime.map { Clock.monotonic() + $0 }
  }

  /// Follows a feed to its end.
  package mutating func run(_ feed: inout some Followed) throws(ToolFailure) -> ExitStatus {
    do throws(ToolFailure) {
      while true {
        log("connecting" + feed.resumption)
        let problem = http.readAgain { (http) throws(ToolFailure) in try feed.check(http) }
        if let problem { complain(problem) }
        let before = feed.count
        beginning = Clock.monotonic()
        let ending = try feed.connect(&self)
        if case .interrupted(.hangUp) = ending { throw ToolFailure.brokenPipe }
        try feed.flush()
        if let status = try judge(ending, broughtAny: feed.count > before, of: &feed) { return status }
      }
    } catch {
      // If output is no longer possible, the end of the connection cannot be noted either.
      if error != .brokenPipe { try? noteClosed(of: &feed, nil, error.message) }
      feed.abandon()
      throw error
    }
  }

  // MARK: Events of a connection

  /// The connection has become a feed.
  /// - Parameters:
  ///   - url: the URL after redirects, as messages show it.
  ///   - detail: what -v adds to the message.
  package mutating func open(
    _ feed: inout some Followed, at url: String, _ detail: String = ""
  ) throws(ToolFailure) {
    log("open" + detail)
    reconnection.open()
    openURL = url
    try note(Note(.open, url: url), of: &feed)
  }

  /// Sets the delay before each reconnection, in seconds, as the feed asks.
  package mutating func setDelay(_ seconds: Double) {
    reconnection.setDelay(seconds)
    guard seconds > RetryPolicy.longWait, !hasReportedDelay else { return }
    hasReportedDelay = true
    complain("the stream asks to wait \(secondsText(seconds)) s before each reconnection ('retry')")
  }

  /// The URL of the feed, as messages show it.
  var source: String { reconnection.feed.source }

  /// Prints a message about the feed on standard error, unless `--silent` is given.
  package func complain(_ message: String) { complain(Diagnostic(message, source: source)) }

  private func complain(_ diagnostic: Diagnostic) { if !http.isSilent { streams.say(diagnostic) } }

  private func log(_ message: String) { if options.isVerbose { complain(message) } }

  // MARK: Waits

  /// Opens a connection. Names a response that does not come.
  /// - Parameter open: runs until a time of the monotonic clock, and returns nil if there is no response then.
  package mutating func open<Outcome>(
    _ feed: inout some Followed, _ open: (_ moment: Double?) -> Outcome?
  ) throws(ToolFailure) -> Outcome {
    responseWait.begin(streams)
    defer { responseWait.end() }
    while true {
      if let outcome = open(responseWait.dueTime) { return outcome }
      if let report = responseWait.report() { try warn(report, report.words("no response"), of: &feed) }
    }
  }

  /// Names something that does not come.
  package func warn(
    _ report: SilentWait.Report, _ text: String, of feed: inout some Followed
  ) throws(ToolFailure) {
    try note(Note(.waiting, url: openURL ?? source, reason: text), of: &feed)
    if options.printsNotes { try feed.flush() }
    if report.isFirst { complain(text) } else { log(text) }
  }

  // MARK: Between connections

  /// - Returns: the exit status, or nil when it is time to connect again.
  private mutating func judge(
    _ ending: ConnectionEnding, broughtAny: Bool, of feed: inout some Followed
  ) throws(ToolFailure) -> ExitStatus? {
    if case .stopped = ending { log(ending.reason ?? "") }
    try noteClosed(of: &feed, ending.code, ending.reason)
    let verdict = try reconnection.judge(ending, broughtAny: broughtAny)
    if case .wait(let seconds, _, _) = verdict {
      let delay = max(seconds, beginning + reconnection.spacing - Clock.monotonic())
      try note(Note(.retrying, url: source, delay: delay, reason: ending.reason), of: &feed)
    }
    if options.printsNotes { try feed.flush() }
    switch verdict {
    case .end(let status):
      if case .closed = ending { log("closed by the server") }
      return status
    case .die(let number): Signals.die(of: number)
    case .wait(let seconds, let message, let isReported):
      if isReported { complain(message) } else { log(message) }
      let until = max(Clock.monotonic() + seconds, beginning + reconnection.spacing)
      if let interruption = try sleep(min(until, deadline ?? until)) {
        return try judge(.interrupted(interruption), broughtAny: false, of: &feed)
      }
      if let deadline, deadline <= until { return try reconnection.timeLimitStatus() }
      return nil
    }
  }

  // MARK: Notes

  /// Notes the end of a connection, if there was one. Nothing is flushed here: after an error, `abandon` knows what may
  /// be written.
  /// - Parameters:
  ///   - status: the status of a response that was not a feed.
  ///   - reason: nil if the tool ended the connection itself.
  private mutating func noteClosed(
    of feed: inout some Followed, _ status: Int?, _ reason: String?
  ) throws(ToolFailure) {
    defer { openURL = nil }
    guard let url = openURL ?? status.map({ _ in source }) else { return }
    let closing = openURL == nil ? nil : feed.closing
    try note(Note(.closed, url: url, code: status ?? closing?.code, reason: closing?.reason ?? reason), of: &feed)
  }

  private func note(_ note: Note, of feed: inout some Followed) throws(ToolFailure) {
    if options.printsNotes { try feed.print(note) }
  }
}
