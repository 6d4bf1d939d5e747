import FeedCore

/// The server: one thread that waits for all events, and does a piece of work for each that happens.
///
///     wait -> signals, new clients, requests, a piece of the input -> send what is new to all clients -> wait
///
/// No step waits. A turn reads at most once from the input and once from each client, so no client delays the others. A
/// client without room gets the rest when the system reports room; meanwhile the input is read. A client that falls too
/// far behind is dropped.
struct Server {
  /// Why the server ends.
  enum EndReason {
    case input
    case signal(Int32)
    case failure(ToolFailure)
  }

  /// The poller's tokens of everything except connections, whose tokens are lower.
  private static let signalToken = UInt64.max - 1
  private static let inputToken = UInt64.max - 2
  private static let listenerToken = UInt64.max - 1000

  let options: Options
  let streams: StandardStreams
  let routes: [Route]
  var access: ClientAccess
  /// The most clients of all streams together. Fewer than --max-clients if the limit of open files is too low.
  let maxClients: Int
  var poller: Poller
  private var signals: Descriptor?
  var listeners = Listeners(firstToken: Self.listenerToken)
  private var addresses: [SocketAddress] = []
  /// How many clients have come by a Unix domain socket.
  private var unixClients = 0

  var table: StreamTable
  private(set) var input: RecordInput
  private(set) var isReading = true
  /// Whether clients can connect.
  private var isOpen = false
  /// All connections, by their tokens.
  var clients: [UInt64: ClientConnection] = [:]
  private var lastToken: UInt64 = 0
  /// How many of them get an event stream or wait for it.
  var streamCount = 0
  var metrics = Metrics()
  /// Room for what a client has sent, kept for the next one.
  var bytes: [UInt8] = []

  /// In seconds, by the monotonic clock, when the poller last returned.
  var now = Clock.monotonic()
  /// Nil until the server shuts down.
  var end: EndReason?
  private var shutdownDeadline = Double.infinity
  /// When it ends even for clients that still read, and how many bytes were sent at the last look.
  private var shutdownEnd = (time: Double.infinity, sent: 0)
  private var nextSweep = 0.0
  /// Whether it was reported that no more clients can be accepted.
  private var hasReportedExhaustion = false

  init(_ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.options = options
    self.streams = streams
    routes = Route.all(options)
    access = ClientAccess(token: options.token, takesTokenFromQuery: options.takesTokenFromQuery)
    maxClients = try ServingLimits.clients(options)
    table = try StreamTable(options)
    input = try RecordInput(options, streams)
    Signals.ignoreBrokenPipe()
    poller = try naming(options.place, Poller())
  }

  /// Serves until the input or a signal ends it. At a signal it does not return.
  /// - Returns: `.no` if records were skipped, or if the input had nothing to serve.
  mutating func run() throws(ToolFailure) -> ExitStatus {
    // Also if it fails: a socket in the file system must not stay.
    defer { listeners.close(&poller) }
    try begin()
    while true {
      do throws(SystemError) {
        let notices = try poller.wait(milliseconds: timeout)
        now = Clock.monotonic()
        for notice in notices { try handle(notice) }
      } catch {
        throw unableToServe(error)
      }
      runTimers()
      broadcast()
      if end != nil, metrics.sentBytes != shutdownEnd.sent {
        shutdownEnd.sent = metrics.sentBytes
        shutdownDeadline = min(now + ServingLimits.shutdownTime, shutdownEnd.time)
      }
      if end != nil, clients.isEmpty || now >= shutdownDeadline { break }
    }
    switch end {
    case .signal(let number): Signals.die(of: number)
    case .failure(let error): throw error
    case .input, nil: return try input.isOfUse() && input.withheld == 0 ? .yes : .no
    }
  }

  // MARK: Beginning and end

  private mutating func begin() throws(ToolFailure) {
    // Bound even with --wait-ready, so that an error in the address is reported before the wait.
    addresses = try listeners.bind(options)
    access.hosts = options.hosts(on: addresses)
    if options.waitsUntilReady { inform("not listening until the note 'live' comes") } else { try open() }
    try naming(options.place, poller.add(input.descriptor, .input, as: Self.inputToken))
  }

  /// Lets clients connect.
  private mutating func open() throws(ToolFailure) {
    isOpen = true
    // A socket in the file system is removed at a signal, so it is made when signals are caught.
    if options.servingPlace.isSocketFile { try catchSignals() }
    try listeners.listen(options)
    do { try listeners.begin(&poller) } catch { throw unableToServe(error) }
    for address in addresses {
      inform("listening on " + (address.unixName == nil ? "http://\(address.text)/" : address.text))
    }
    if let file = options.portFile, let port = addresses.first?.port {
      try naming(quoted(file), AtomicFile(file).replace { $0.append(Array("\(port)\n".utf8)) })
    }
    // Only now: before this, during a wait, a signal ends the tool as usual.
    if !options.servingPlace.isSocketFile { try catchSignals() }
    notify("READY=1")
  }

  private mutating func catchSignals() throws(ToolFailure) {
    let signals = try naming(options.place, Signals.caught())
    self.signals = signals
    try naming(options.place, poller.add(signals, .input, as: Self.signalToken))
  }

  /// Accepts no more clients, reads no more input, and closes each connection after its last output.
  private mutating func shutDown(_ reason: EndReason) {
    guard end == nil else { return }
    end = reason
    shutdownDeadline = now + ServingLimits.shutdownTime
    shutdownEnd = (now + ServingLimits.longestShutdownTime, metrics.sentBytes)
    notify("STOPPING=1")
    listeners.close(&poller)
    stopReading()
    for stream in table.all { resumeWaiting(of: stream) }
    for connection in connections {
      switch connection.state {
      case .asking, .closing: close(connection)
      case .responding: break
      case .streaming(let subscription):
        // A client that still waits gets no event, so it keeps its ID: another server may have those after that.
        if subscription.place == nil {
          let stream = subscription.stream
          stream.begin(connection, subscription, at: .init(place: stream.publisher.end))
        }
        advance(connection)
      }
    }
  }

  private mutating func stopReading() {
    guard isReading else { return }
    isReading = false
    do { try poller.remove(input.descriptor) } catch {
      // Otherwise the poller would report input without end.
      fail(error)
      shutdownDeadline = now
      shutdownEnd.time = now
    }
  }

  /// Shuts down, because the poller has failed.
  private mutating func fail(_ error: SystemError) {
    shutDown(.failure(unableToServe(error)))
  }

  /// Accepts clients again, unless the server is shutting down.
  mutating func resumeAccepting() {
    guard end == nil else { return }
    do { try listeners.setOpen(true, &poller) } catch { fail(error) }
  }

  // MARK: Waiting

  /// The time until the next timer, in milliseconds.
  private var timeout: Int32 {
    var next = min(shutdownDeadline, listeners.resumeTime, table.nextAlarm, input.dueTime ?? .infinity)
    if hasTimed { next = min(next, nextSweep) }
    guard next < .infinity else { return -1 }
    return Int32(min(max(0, (next - now) * 1000), 3_600_000)) + 1
  }

  /// Whether there are clients with deadlines.
  private var hasTimed: Bool { clients.count > streamCount }
  /// All of them, in the order in which they came.
  private var connections: [ClientConnection] { clients.values.sorted { $0.token < $1.token } }

  /// Handles all timers that are due.
  private mutating func runTimers() {
    if now >= listeners.resumeTime { resumeAccepting() }
    while let stream = table.takeDue(now) { runTimers(of: stream) }
    input.reportUnusable()
    guard hasTimed, now >= nextSweep else { return }
    nextSweep = now + 1
    for connection in connections where now >= connection.deadline {
      switch connection.state {
      case .asking(let parser) where !parser.isFresh || !connection.unread.isEmpty:
        refuse(connection, 408, "request timeout", asHead: parser.asksForHead)
        advance(connection)
      case .responding:
        // The poller reports room only when much of the system's buffer is free. A slow client may have read something.
        advance(connection)
        if now >= connection.deadline { close(connection) }
      case .asking, .streaming, .closing: close(connection)
      }
    }
  }

  private mutating func runTimers(of stream: ServedStream) {
    if !stream.clients.isEmpty, end == nil, now >= stream.lastSent + options.keepalive {
      broadcast(stream, comments: true)
    }
    expireWaiting(of: stream)
    // At the end no more comments are sent, so their time would stay in the past.
    if end == nil { table.setAlarm(stream) }
  }

  private mutating func handle(_ notice: PollNotice) throws(SystemError) {
    switch notice.token {
    case Self.signalToken:
      var numbers: [UInt8] = []
      _ = try signals?.read(upTo: 8, into: &numbers)
      if let number = numbers.first { shutDown(.signal(Int32(number))) }
    case Self.inputToken: readInput()
    case Self.listenerToken...: try acceptAll(notice.token)
    default:
      guard let connection = clients[notice.token] else { return }
      if notice.events.contains(.output), connection.isBlocked { advance(connection) }
      if notice.events.contains(.input), connection.isOpen { read(connection) }
    }
  }

  private mutating func readInput() {
    guard isReading else { return }
    do throws(ToolFailure) {
      let goesOn = try input.read(into: &table)
      if input.isLive, !isOpen { try open() }
      if goesOn { return }
      guard isOpen else {
        let text = "the input ended before the note 'live' (--wait-ready)"
        throw .failed(.no, text, source: InputFile.standardInput.name)
      }
    } catch {
      return shutDown(.failure(error))
    }
    stopReading()
    guard options.keepsServing else { return shutDown(.input) }
    // No more events will come.
    for stream in table.all where stream.publisher.waiting.count > 0 {
      stream.publisher.waiting.expire(.infinity)
      resumeWaiting(of: stream)
    }
  }

  // MARK: New clients

  private mutating func acceptAll(_ token: UInt64) throws(SystemError) {
    for _ in 0..<ServingLimits.acceptsInTurn {
      // More clients wait in the system's queue until another one leaves.
      if isFull { return try listeners.setOpen(false, &poller) }
      do throws(SystemError) {
        switch try listeners.accept(token) {
        case .none: return
        case .lost(let error): log("lost a client: \(error.message)")
        case .client(let socket, let address): try begin(socket, address)
        }
      } catch {
        guard error.isExhausted else { throw error }
        if !hasReportedExhaustion {
          streams.say(Diagnostic("cannot accept clients: \(error.message)", source: options.place))
        }
        hasReportedExhaustion = true
        return try listeners.backOff(&poller, now: now)
      }
    }
    hasReportedExhaustion = false
  }

  /// Whether no more connections are allowed. Beyond the clients of streams there is room for short requests.
  var isFull: Bool { clients.count >= maxClients + ServingLimits.otherConnections }

  private mutating func begin(_ socket: Descriptor, _ address: SocketAddress) throws(SystemError) {
    // Clients of a Unix domain socket have no address.
    if address.unixName != nil { unixClients += 1 }
    let name = !options.isVerbose ? "" : address.unixName == nil ? address.text : "unix:\(unixClients)"
    lastToken += 1
    let connection = ClientConnection(
      socket, token: lastToken, name: name, deadline: now + ServingLimits.requestTime)
    clients[lastToken] = connection
    do { try poller.add(socket, .input, as: connection.token) } catch {
      close(connection, lost: error)
      // An error of this client alone does not affect the others.
      if error.isExhausted { throw error }
      return
    }
    nextSweep = min(nextSweep, now + 1)
  }

  // MARK: Messages

  /// The failure for an error without which the server cannot work.
  private func unableToServe(_ error: SystemError) -> ToolFailure {
    .failed(.error, "cannot serve clients: \(error.message)", source: options.place)
  }

  /// Tells the service manager, which may do without.
  private func notify(_ state: String) {
    do { try ServiceManager.notify(state) } catch { log("cannot send \(state) to NOTIFY_SOCKET: \(error.message)") }
  }

  /// A message for a user who has started the server by hand and wants its address.
  private func inform(_ message: String) {
    if options.isVerbose || streams.error.isTerminal { streams.say(Diagnostic(message)) }
  }

  /// A message that only `-v` shows, with the name of the client.
  func log(_ message: @autoclosure () -> String, of connection: ClientConnection? = nil) {
    guard options.isVerbose else { return }
    streams.say(Diagnostic(message(), source: connection?.name))
  }
}

/// What a server allows its clients, in seconds and numbers. Each limit is higher than an honest client needs.
enum ServingLimits {
  /// The longest time for a request, and between two requests.
  static let requestTime = 10.0
  /// The longest time in which a client reads nothing of a response.
  static let responseTime = 30.0
  /// The longest time for a client to close after the response.
  static let closingTime = 2.0
  /// When the server ends: the longest time in which no client has room for more, and for all to read the rest.
  static let shutdownTime = 5.0
  static let longestShutdownTime = 60.0
  /// Connections besides those of stream clients, for all other requests.
  static let otherConnections = 128
  /// Descriptors besides the connections: standard streams, listeners, signals, the poller.
  private static let otherFiles = 32
  /// The most connections to accept in one turn.
  static let acceptsInTurn = 64

  /// How many clients are allowed, up to --max-clients, after raising the limit of open files.
  static func clients(_ options: Options) throws(ToolFailure) -> Int {
    let others = otherConnections + otherFiles
    let limit = Process.raiseLimitOfOpenFiles(to: options.maxClients + others)
    let (what, least) = options.isMaxClientsGiven ? ("option '--max-clients'", options.maxClients) : ("a server", 1)
    guard limit >= least + others else {
      throw .failed(.error, "\(what) needs \(least + others) open files, and the limit here is \(limit) (ulimit -n)")
    }
    return min(options.maxClients, limit - others)
  }
}
