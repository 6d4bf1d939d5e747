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

  let options: Options
  let streams: StandardStreams
  var router: Router
  let maxClients: Int
  var poller: Poller
  private var signals: Descriptor?
  var listeners = Listeners(firstToken: PollToken.listeners)
  private var addresses: [SocketAddress] = []
  /// How many clients have come by a Unix domain socket.
  private var unixClients = 0

  var table: StreamTable
  private(set) var input: RecordInput
  private(set) var isReading = true
  /// Whether clients can connect.
  private var isOpen = false
  var clients = ConnectionTable()
  var metrics: Metrics
  var bytes: [UInt8] = []

  var now = Clock.monotonic()
  private var lingerEnd: Double?
  var end: EndReason?
  private var shutdownDeadline = Double.infinity
  private var nextSweep = 0.0
  /// Whether it was reported that no more clients can be accepted.
  private var hasReportedExhaustion = false

  init(_ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.options = options
    self.streams = streams
    router = Router(
      token: options.token, takesTokenFromQuery: options.takesTokenFromQuery, isPlain: options.isPlain,
      isMany: options.sources != nil)
    maxClients = try ServingLimits.clients(options)
    metrics = Metrics(maxClients: maxClients)
    table = try StreamTable(options)
    input = try RecordInput(options, streams)
    Signals.ignoreBrokenPipe()
    poller = try naming(options.place, Poller())
  }

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
      if end != nil, clients.isEmpty || now >= shutdownDeadline { break }
    }
    switch end {
    case .signal(let number): Signals.die(of: number)
    case .failure(let error): throw error
    case .input, nil: return try input.isOfUse() && !input.hasSkipped ? .yes : .no
    }
  }

  // MARK: Beginning and end

  private mutating func begin() throws(ToolFailure) {
    // Bound even with --wait-ready, so that an error in the address is reported before the wait.
    addresses = try listeners.bind(options)
    router.hosts = options.hosts(on: addresses)
    if options.waitsUntilReady { inform("not listening until the note 'live' comes") } else { try open() }
    try naming(options.place, poller.add(input.descriptor, .input, as: PollToken.input))
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
    try naming(options.place, poller.add(signals, .input, as: PollToken.signal))
  }

  /// Accepts no more clients, reads no more input, and closes each connection after its last output.
  private mutating func shutDown(_ reason: EndReason) {
    guard end == nil else { return }
    end = reason
    shutdownDeadline = now + ServingLimits.shutdownTime
    notify("STOPPING=1")
    listeners.close(&poller)
    stopReading()
    for stream in table.all { resumeWaiting(of: stream) }
    for connection in clients.all {
      switch connection.state {
      case .asking, .closing: close(connection)
      case .waiting(let head): endWait(of: connection, head)
      case .responding: break
      case .streaming: advance(connection)
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
    }
  }

  /// Shuts down, because the poller has failed.
  private mutating func fail(_ error: SystemError) {
    shutDown(.failure(unableToServe(error)))
  }

  /// Accepts clients again, unless the server is shutting down.
  mutating func resumeAccepting() {
    guard end == nil else { return }
    do { try listeners.resume(&poller) } catch { fail(error) }
  }

  // MARK: Waiting

  /// The time until the next timer, in milliseconds.
  private var timeout: Int32 {
    var next = shutdownDeadline
    if let lingerEnd { next = min(next, lingerEnd) }
    if let time = listeners.resumeTime { next = min(next, time) }
    if let time = table.nextAlarm { next = min(next, time) }
    if let time = input.dueTime { next = min(next, time) }
    if hasTimed { next = min(next, nextSweep) }
    guard next < .infinity else { return -1 }
    return Int32(min(max(0, (next - now) * 1000), 3_600_000)) + 1
  }

  /// Whether there are clients with deadlines that are in no list.
  private var hasTimed: Bool { clients.count > clients.streamCount }

  /// Handles all timers that are due.
  private mutating func runTimers() {
    if let time = listeners.resumeTime, now >= time { resumeAccepting() }
    if let time = lingerEnd, now >= time { shutDown(.input) }
    while let stream = table.takeDue(now) { runTimers(of: stream) }
    input.reportUnusable()
    guard hasTimed, now >= nextSweep else { return }
    nextSweep = now + 1
    for connection in clients.all {
      guard let deadline = connection.deadline, now >= deadline else { continue }
      switch connection.state {
      case .asking(let reader) where !reader.isIdle:
        refuse(connection, reader, 408, "request timeout")
        advance(connection)
      case .responding:
        // The poller reports room only when much of the system's buffer is free. A slow client may have read something.
        advance(connection)
        if let deadline = connection.deadline, now >= deadline { close(connection) }
      case .asking, .waiting, .streaming, .closing: close(connection)
      }
    }
  }

  private mutating func runTimers(of stream: ServedStream) {
    if let keepalive = options.keepalive, !stream.clients.isEmpty, end == nil, now >= stream.lastSent + keepalive {
      broadcast(stream, comments: true)
    }
    expireWaiting(of: stream)
    // At the end no more comments are sent, so their time would stay in the past.
    if end == nil { table.setAlarm(stream) }
  }

  private mutating func handle(_ notice: PollNotice) throws(SystemError) {
    switch notice.token {
    case PollToken.signal:
      var numbers: [UInt8] = []
      _ = try signals?.read(upTo: 8, into: &numbers)
      if let number = numbers.first { shutDown(.signal(Int32(number))) }
    case PollToken.input: readInput()
    case PollToken.listeners...: try acceptAll(notice.token)
    default:
      guard let connection = clients[notice.token] else { return }
      if notice.events.contains(.output), connection.isBlocked { advance(connection) }
      if notice.events.contains(.input), clients[notice.token] != nil { read(connection) }
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
    switch options.ending {
    case .afterInput(let linger) where linger > 0: lingerEnd = now + linger
    case .afterInput: return shutDown(.input)
    case .never: break
    }
    endWaiting()
  }

  // MARK: New clients

  private mutating func acceptAll(_ token: UInt64) throws(SystemError) {
    for _ in 0..<ServingLimits.acceptsInTurn {
      // More clients wait in the system's queue until another one leaves.
      if isFull { return try listeners.suspend(&poller) }
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

  var isFull: Bool { clients.count >= maxClients + ServingLimits.otherConnections }

  private mutating func begin(_ socket: Descriptor, _ address: SocketAddress) throws(SystemError) {
    // Clients of a Unix domain socket have no address.
    if address.unixName != nil { unixClients += 1 }
    let name = !options.isVerbose ? "" : address.unixName == nil ? address.text : "unix:\(unixClients)"
    let connection = clients.insert(socket, name: name, deadline: now + ServingLimits.requestTime)
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

  func log(_ message: @autoclosure () -> String, of connection: ClientConnection? = nil) {
    guard options.isVerbose else { return }
    streams.say(Diagnostic(message(), source: connection?.name))
  }
}

/// The poller's tokens of everything except connections, whose tokens are lower.
private enum PollToken {
  static let signal = UInt64.max - 1
  static let input = UInt64.max - 2
  static let listeners = UInt64.max - 1000
}
