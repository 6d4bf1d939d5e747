// Follows a feed: connects, judges how the connection ended, waits, and connects again. The tool says what a connection is
// and what is done with the data.

import FeedCore

/// A feed that is followed over as many connections as it takes.
package protocol Followed {
  /// For the message "connecting": where the next connection resumes, such as ` after event ID '7'`; empty at the start.
  var resumption: String { get }
  /// How many events or messages have come.
  var count: Int { get }

  /// Throws when the tool cannot send what the options now say: files that they name are read again while it runs.
  func check(_ http: HTTPOptions) throws(ToolFailure)
  /// What the other end said as it closed the last connection; nil where nothing was said.
  var closing: Closing? { get }

  /// Connects, and goes on until the connection has ended.
  mutating func connect(_ follower: inout Follower) throws(ToolFailure) -> ConnectionEnding
  /// Prints a note after what has been printed. Only called where notes are wanted.
  mutating func print(_ note: Note) throws(ToolFailure)
  /// Writes out what has been printed.
  mutating func flush() throws(ToolFailure)
  /// Writes out what was good, after an error that ends the tool.
  mutating func abandon()
}

extension Followed {
  package var resumption: String { "" }
  package var closing: Closing? { nil }
  package func check(_ http: HTTPOptions) throws(ToolFailure) {}
}

package struct Follower {
  /// When the time is up, by the monotonic clock.
  package let deadline: Double?
  package let interrupts: Interrupts
  /// What options say of a request; files that they name are read again for each connection.
  package private(set) var http: HTTPOptions
  private let options: ConnectionOptions
  private let source: String
  private let streams: StandardStreams
  private let sleep: (Double) throws(ToolFailure) -> Interruption?
  private var reconnection: Reconnection
  private var hasToldDelay = false
  /// When the last connection was begun.
  private var beginning = 0.0
  /// Where the connection goes that is open, as messages show it.
  private var openURL: String?

  /// - Parameters:
  ///   - source: the URL, for messages.
  ///   - missing: what there was none of when the time was up.
  ///   - awaited: likewise, where the feed was open and something in it was waited for.
  ///   - signals: where signals come, if the tool must close its connections before it dies of one.
  package init(
    _ options: ConnectionOptions, _ http: HTTPOptions, source: String, missing: String, awaited: String? = nil,
    rule: Reconnection.Rule = .events, _ streams: StandardStreams, signals: Descriptor? = nil
  ) {
    let interrupts = Interrupts(streams.output, signals: signals)
    self.init(
      options, http, Reconnection(options, source: source, missing: missing, awaited: awaited, rule: rule),
      source: source, streams, interrupts
    ) { deadline throws(ToolFailure) in try interrupts.sleep(until: deadline) }
  }

  /// For a test, which has its own random numbers and time.
  init(
    _ options: ConnectionOptions, _ http: HTTPOptions, _ reconnection: Reconnection, source: String,
    _ streams: StandardStreams, _ interrupts: Interrupts,
    sleep: @escaping (_ deadline: Double) throws(ToolFailure) -> Interruption?
  ) {
    self.options = options
    self.http = http
    self.reconnection = reconnection
    self.source = source
    self.streams = streams
    self.interrupts = interrupts
    self.sleep = sleep
    deadline = options.maxTime.map { Clock.monotonic() + $0 }
  }

  /// Follows a feed to its end.
  package mutating func run(_ feed: inout some Followed) throws(ToolFailure) -> ExitStatus {
    do throws(ToolFailure) {
      while true {
        tell("connecting" + feed.resumption)
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
      // What cannot be printed any more has no end either.
      if error != .brokenPipe { try? noteClosed(of: &feed, nil, error.message) }
      feed.abandon()
      throw error
    }
  }

  // MARK: What a connection says

  /// A connection has become a feed.
  /// - Parameters:
  ///   - url: where it goes, after redirects, as messages show it.
  ///   - detail: what -v adds to the message.
  package mutating func open(
    _ feed: inout some Followed, at url: String, _ detail: String = ""
  ) throws(ToolFailure) {
    tell("open" + detail)
    reconnection.open()
    openURL = url
    try note(Note(.open, url: url), of: &feed)
  }

  /// The feed says how long to wait before each reconnection, in seconds.
  package mutating func setDelay(_ seconds: Double) {
    reconnection.setDelay(seconds)
    guard seconds > RetryPolicy.longWait, !hasToldDelay else { return }
    hasToldDelay = true
    complain("the stream asks to wait \(secondsText(seconds)) s before each reconnection ('retry')")
  }

  package func complain(_ message: String) { complain(Diagnostic(message, source: source)) }

  private func complain(_ diagnostic: Diagnostic) { if !http.isSilent { streams.say(diagnostic) } }

  private func tell(_ message: String) { if options.isVerbose { complain(message) } }

  // MARK: Between connections

  /// - Returns: the exit status, or nil when it is time to connect again.
  private mutating func judge(
    _ ending: ConnectionEnding, broughtAny: Bool, of feed: inout some Followed
  ) throws(ToolFailure) -> ExitStatus? {
    if case .stopped = ending { tell(ending.reason ?? "") }
    try noteClosed(of: &feed, ending.code, ending.reason)
    let verdict = try reconnection.judge(ending, broughtAny: broughtAny)
    if case .wait(let seconds, _, _) = verdict {
      let delay = max(seconds, beginning + reconnection.spacing - Clock.monotonic())
      try note(Note(.retrying, url: source, delay: delay, reason: ending.reason), of: &feed)
    }
    if options.printsNotes { try feed.flush() }
    switch verdict {
    case .end(let status):
      if case .closed = ending { tell("closed by the server") }
      return status
    case .die(let number): Signals.die(of: number)
    case .wait(let seconds, let message, let isTold):
      if isTold { complain(message) } else { tell(message) }
      let until = max(Clock.monotonic() + seconds, beginning + reconnection.spacing)
      if let interruption = try sleep(min(until, deadline ?? until)) {
        return try judge(.interrupted(interruption), broughtAny: false, of: &feed)
      }
      if let deadline, deadline <= until { return try reconnection.timeLimitStatus() }
      return nil
    }
  }

  // MARK: Notes

  /// Notes the end of a connection, if there was one. Nothing is written out here: after an error, `abandon` knows what
  /// may be.
  /// - Parameters:
  ///   - status: of an answer that was no feed.
  ///   - reason: nil where the tool ended it itself.
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
