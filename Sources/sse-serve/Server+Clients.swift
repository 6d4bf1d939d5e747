// What the server does for its clients: the requests and answers of one, and what is sent to all.

import FeedCore

extension Server {
  // MARK: One client

  mutating func read(_ connection: Connection) {
    bytes.removeAll(keepingCapacity: true)
    let count: Int?
    do { count = try connection.socket.readAvailable(upTo: 4096, into: &bytes) } catch {
      return close(connection, lost: error)
    }
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
  mutating func serve(_ connection: Connection) {
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

  mutating func refuse(
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
  mutating func push(_ connection: Connection) {
    switch connection.push(publisher.log) {
    case .lost(let error): return close(connection, lost: error)
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
    do { try poller.change(connection.socket, interest, as: connection.token) } catch {
      close(connection, lost: error)
    }
  }

  /// - Parameter error: why, where that is not how it should be.
  mutating func close(_ connection: Connection, lost error: SystemError? = nil) {
    guard clients[connection.token] != nil else { return }
    if let error {
      tell("lost: \(error.message)", of: connection)
    } else if connection.state == .streaming {
      tell("ends", of: connection)
    }
    // What is closed is not watched any more, whatever this says.
    try? poller.remove(connection.socket)
    connection.socket.closeQuietly()
    clients.remove(connection)
    // After a pause the clock decides.
    if !isFull, listeners.openAgain == nil { letIn() }
  }

  // MARK: All clients

  /// Sends to all what is new, drops who is too far behind, and forgets what nobody needs.
  mutating func broadcast() {
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
}
