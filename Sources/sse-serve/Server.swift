// The server: one thread that waits for all there is to wait for, and does a piece of work for each that is ready.
//
//     wait -> signals, new clients, requests, a piece of the input -> send what is new to all clients -> wait
//
// No step waits. A turn takes at most one read from the input and one from each client, so neither can keep the others
// waiting; what a client has no room for it is sent when the system says that there is room, and the input is read on
// meanwhile. A client that falls too far behind is dropped.

import FeedCore

struct Server {
  /// Why the server takes its leave.
  private enum End {
    case input
    case signal(Int32)
    case failure(ToolError)
  }

  private let options: Options
  private let streams: StandardStreams
  private var router: Router
  private let maxClients: Int
  private var poller: Poller
  private var signals: Descriptor?
  private var listeners = Listeners(firstToken: Token.listeners)

  private var publisher: Publisher
  private var input: RecordInput
  private var isReading = true
  private var clients = ConnectionTable()
  private var bytes: [UInt8] = []

  private var now = Clock.monotonic()
  /// Up to where in the log all have been served.
  private var servedEnd = 0
  /// When something was last sent to all.
  private var lastSent = Clock.monotonic()
  private var lingerEnd: Double?
  private var end: End?
  private var leaveEnd = Double.infinity
  private var nextSweep = 0.0
  /// Whether it was said that no more clients can be accepted.
  private var isExhausted = false

  init(_ options: Options, _ streams: StandardStreams) throws(ToolError) {
    self.options = options
    self.streams = streams
    router = Router(token: options.token)
    maxClients = try Limits.clients(options)
    publisher = Publisher(options, streams)
    input = RecordInput(options, streams)
    Signals.ignoreBrokenPipe()
    do { poller = try Poller() } catch { throw .system(error, options.place) }
  }

  mutating func run() throws(ToolError) -> ExitStatus {
    try open()
    while true {
      do throws(SystemError) {
        let notices = try poller.wait(milliseconds: timeout)
        now = Clock.monotonic()
        for notice in notices { try handle(notice) }
      } catch {
        throw .system(error, options.place)
      }
      keepTime()
      broadcast()
      if end != nil, clients.isEmpty || now >= leaveEnd { break }
    }
    switch end {
    case .signal(let number): Signals.die(of: number)
    case .failure(let error): throw error
    case .input, nil: return publisher.hasSkipped ? .no : .yes
    }
  }

  // MARK: Beginning and end

  private mutating func open() throws(ToolError) {
    let addresses = try listeners.listen(host: options.host, port: options.port, place: options.place)
    router.hosts = options.hosts(on: addresses)
    for address in addresses { tell("listening on http://\(address.text)/") }
    if let file = options.portFile, let port = addresses.first?.port {
      do { try AtomicFile.replace(file) { $0.append(Array("\(port)\n".utf8)) } } catch {
        throw .system(error, quoted(file))
      }
    }
    do {
      // Only now: whoever waits for a reader of the port is ended by a signal like any other.
      let signals = try Signals.caught()
      self.signals = signals
      try poller.add(signals, .input, as: Token.signal)
      try poller.add(input.descriptor, .input, as: Token.input)
    } catch {
      throw .system(error, options.place)
    }
    listeners.open(&poller)
  }

  /// Takes leave: nobody is accepted, nothing is read, and whoever has been sent all is let go.
  private mutating func leave(_ reason: End) {
    guard end == nil else { return }
    end = reason
    leaveEnd = now + Limits.leaveTime
    listeners.close(&poller)
    stopReading()
    for connection in clients.all {
      switch connection.state {
      case .asking, .leaving: close(connection)
      case .answering: break
      case .streaming: push(connection)
      }
    }
  }

  private mutating func stopReading() {
    guard isReading else { return }
    isReading = false
    poller.remove(input.descriptor)
  }

  // MARK: Waiting

  /// How long nothing has to be done, in milliseconds.
  private var timeout: Int32 {
    var next = leaveEnd
    if let lingerEnd { next = min(next, lingerEnd) }
    if let time = listeners.openAgain { next = min(next, time) }
    if let keepalive = options.keepalive, !clients.streaming.isEmpty { next = min(next, lastSent + keepalive) }
    if clients.hasTimed { next = min(next, nextSweep) }
    guard next < .infinity else { return -1 }
    return Int32(min(max(0, (next - now) * 1000), 3_600_000)) + 1
  }

  /// Does what is due by the clock.
  private mutating func keepTime() {
    if let time = listeners.openAgain, now >= time { listeners.open(&poller) }
    if let time = lingerEnd, now >= time { leave(.input) }
    if let keepalive = options.keepalive, !clients.streaming.isEmpty, end == nil, now >= lastSent + keepalive {
      publisher.appendComment()
    }
    guard clients.hasTimed, now >= nextSweep else { return }
    nextSweep = now + 1
    for connection in clients.all where connection.state != .streaming && now >= connection.deadline {
      if connection.state == .asking, !connection.isIdle {
        refuse(connection, 408, "request timeout")
      } else {
        close(connection)
      }
    }
  }

  private mutating func handle(_ notice: PollNotice) throws(SystemError) {
    switch notice.token {
    case Token.signal:
      var numbers: [UInt8] = []
      _ = try signals?.read(upTo: 8, into: &numbers)
      if let number = numbers.first { leave(.signal(Int32(number))) }
    case Token.input: readInput()
    case Token.listeners...: try acceptAll(notice.token)
    default:
      guard let connection = clients[notice.token] else { return }
      if notice.events.contains(.output), connection.interest.contains(.output) { push(connection) }
      if notice.events.contains(.input), clients[notice.token] != nil { read(connection) }
    }
  }

  private mutating func readInput() {
    guard isReading else { return }
    do throws(ToolError) {
      if try input.read(into: &publisher) { return }
    } catch {
      return leave(.failure(error))
    }
    stopReading()
    if case .afterInput(let linger) = options.ending {
      if linger > 0 { lingerEnd = now + linger } else { leave(.input) }
    }
  }

  // MARK: New clients

  private mutating func acceptAll(_ token: UInt64) throws(SystemError) {
    for _ in 0..<Limits.acceptsInTurn {
      // More wait in the system's queue until somebody leaves.
      if isFull { return listeners.shut(&poller) }
      do throws(SystemError) {
        guard let (socket, address) = try listeners.accept(token) else { return }
        try begin(socket, address)
      } catch {
        guard error.isExhausted else { throw error }
        if !isExhausted { complain("cannot accept clients: \(error.message)") }
        isExhausted = true
        return listeners.pause(&poller, now: now)
      }
    }
    isExhausted = false
  }

  private var isFull: Bool { clients.count >= maxClients + Limits.otherConnections }

  private mutating func begin(_ socket: Descriptor, _ address: SocketAddress) throws(SystemError) {
    let name = options.isVerbose ? address.text : ""
    let connection = clients.insert(socket, name: name, deadline: now + Limits.requestTime)
    do { try poller.add(socket, .input, as: connection.token) } catch {
      close(connection)
      throw error
    }
    nextSweep = min(nextSweep, now + 1)
  }

  // MARK: One client

  private mutating func read(_ connection: Connection) {
    bytes.removeAll(keepingCapacity: true)
    let count: Int?
    do { count = try connection.socket.readAvailable(upTo: 4096, into: &bytes) } catch { return close(connection) }
    guard let count else { return }
    switch connection.state {
    case .streaming, .leaving:
      // Nothing is asked any more on this connection.
      if count == 0 { close(connection) }
    case .asking:
      if count == 0 { return close(connection) }
      connection.receive(bytes)
      serve(connection)
    case .answering: break
    }
  }

  /// Answers the requests that have come, one after another.
  private mutating func serve(_ connection: Connection) {
    while connection.state == .asking {
      do throws(RequestParser.Refusal) {
        guard let request = try connection.nextRequest() else { break }
        answer(connection, request)
      } catch {
        refuse(connection, error.status, error.reason)
      }
    }
    updateInterest(connection)
  }

  private mutating func answer(_ connection: Connection, _ request: ClientRequest) {
    let isGet = request.method == .get
    let route = router.route(request)
    if case .stream(let id) = route, isGet { return beginStream(connection, request, after: id) }
    let snapshot = route == .snapshot ? publisher.currentSnapshot() : .none
    send(Reply(route, request, options, snapshot: snapshot), connection, withBody: isGet)
    dropHoarders()
  }

  private mutating func refuse(
    _ connection: Connection, _ status: Int, _ reason: String, _ request: ClientRequest? = nil
  ) {
    var request = request ?? ClientRequest()
    if connection.asksForHead { request.method = .head }
    send(Reply(.refused(status, reason), request, options, snapshot: .none), connection, withBody: false)
  }

  private mutating func send(_ reply: Reply, _ connection: Connection, withBody: Bool) {
    tell("\(reply.status)", of: connection)
    connection.answer(reply.text, withBody ? reply.body : nil, closes: reply.closes)
    connection.deadline = now + Limits.answerTime
    push(connection)
  }

  private mutating func beginStream(_ connection: Connection, _ request: ClientRequest, after id: [UInt8]) {
    guard clients.streaming.count < maxClients else {
      return refuse(connection, 503, "too many clients", request)
    }
    if clients.streaming.isEmpty { lastSent = now }
    let beginning = publisher.begin(after: id)
    connection.stream(
      Reply.streamHead(request, options) + beginning.greeting, beginning.document, from: beginning.place,
      of: publisher.log.end)
    clients.beginStream(connection)
    tell("begins" + (id.isEmpty ? "" : " after '\(shortened(id))'"), of: connection)
    push(connection)
    dropHoarders()
  }

  /// Lets clients go that keep old documents in memory, when that is too much.
  private mutating func dropHoarders() {
    while let text = publisher.textTooMany() {
      let holders = clients.all.filter { $0.heldText === text }
      if holders.isEmpty { return }
      for connection in holders {
        tell("dropped in the midst of an old document", of: connection)
        close(connection)
      }
    }
  }

  /// Writes what there is for a client, and does what comes after that.
  private mutating func push(_ connection: Connection) {
    switch connection.push(publisher.log) {
    case .lost: return close(connection)
    case .blocked: connection.deadline = now + Limits.answerTime
    case .done:
      switch connection.state {
      case .streaming where end != nil:
        connection.socket.endOutput()
        connection.drain()
        return close(connection)
      case .answering where connection.isLast || end != nil:
        connection.socket.endOutput()
        connection.state = .leaving
        connection.deadline = now + Limits.closingTime
      case .answering:
        connection.state = .asking
        connection.deadline = now + Limits.requestTime
        // What came behind the request, unless that is what brought us here.
        if connection.interest.contains(.output) { return serve(connection) }
      default: break
      }
    }
    updateInterest(connection)
  }

  private mutating func updateInterest(_ connection: Connection) {
    guard clients[connection.token] != nil else { return }
    // While an answer is on its way no further request is read.
    let isWaitingToAnswer = connection.state == .answering && connection.isBlocked
    let interest: PollEvents = isWaitingToAnswer ? .output : connection.isBlocked ? [.input, .output] : .input
    guard interest != connection.interest else { return }
    connection.interest = interest
    do { try poller.change(connection.socket, interest, as: connection.token) } catch { close(connection) }
  }

  private mutating func close(_ connection: Connection) {
    guard clients[connection.token] != nil else { return }
    if connection.state == .streaming { tell("ends", of: connection) }
    poller.remove(connection.socket)
    connection.socket.closeQuietly()
    clients.remove(connection)
    if end == nil, !isFull { listeners.open(&poller) }
  }

  // MARK: All clients

  /// Sends to all what is new, drops who is too far behind, and forgets what nobody needs.
  private mutating func broadcast() {
    let logEnd = publisher.log.end
    guard logEnd > servedEnd else { return }
    servedEnd = logEnd
    lastSent = now
    var first = logEnd
    // From the last one, for one that is closed gives its place to the last.
    for index in clients.streaming.indices.reversed() {
      let connection = clients.streaming[index]
      if !connection.isBlocked {
        push(connection)
      } else if isTooFarBehind(connection) {
        tell("dropped, \(logEnd - connection.place) bytes behind", of: connection)
        close(connection)
        continue
      }
      if clients[connection.token] != nil { first = min(first, connection.place) }
    }
    publisher.drop(before: first)
  }

  /// Whether more is waiting for a client than it may have, beside what it was given to begin with and the event that it
  /// is in the midst of: an event that is larger than the buffer can be had too.
  private func isTooFarBehind(_ connection: Connection) -> Bool {
    let end = publisher.log.end
    let place = max(connection.place, connection.begunAt)
    guard end - place > options.clientBuffer else { return false }
    if connection.isBeginning { return true }
    return end - publisher.index.eventEnd(after: place) > options.clientBuffer
  }

  // MARK: Words

  private func tell(_ message: String, of connection: Connection? = nil) {
    guard options.isVerbose else { return }
    streams.complain(ToolError(.yes, message, source: connection?.name), as: sseServe.name)
  }

  private func complain(_ message: String) {
    streams.complain(ToolError(.trouble, message, source: options.place), as: sseServe.name)
  }
}

/// What the poller's notices are of: connections have the tokens below these.
private enum Token {
  static let signal = UInt64.max - 1
  static let input = UInt64.max - 2
  static let listeners = UInt64.max - 1000
}
