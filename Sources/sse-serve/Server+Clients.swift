// What the server does for its clients: requests and answers of one client, and data for all of them.

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
    case .asking(var reader) where count > 0:
      reader.unread += bytes
      connection.state = .asking(reader)
      advance(connection)
    case .answering: break
    // A streaming client sends no more requests.
    case .asking, .waiting, .streaming, .closing: if count == 0 { close(connection) }
    }
  }

  /// Continues with a connection as far as possible without waiting: reads its requests one after another, and sends
  /// its output.
  mutating func advance(_ connection: Connection) {
    var hasAnswered = false
    do throws(SystemError) {
      var interest = PollEvents.input
      advancing: while true {
        switch connection.state {
        case .asking(let reader):
          guard answerNext(connection, reader) else { break advancing }
          hasAnswered = true
        case .answering(var answer):
          guard try answer.text.write(to: connection.socket) else {
            answer.deadline = now + Limits.answerTime
            connection.state = .answering(answer)
            // No further request is read until it is sent.
            interest = .output
            break advancing
          }
          if let unread = answer.unread, end == nil {
            connection.state = .asking(.init(deadline: now + Limits.requestTime, unread: unread))
          } else {
            connection.socket.endOutput()
            connection.state = .closing(deadline: now + Limits.closingTime)
          }
        case .waiting(var head):
          let hasAll = try head.write(to: connection.socket)
          connection.state = .waiting(head)
          if !hasAll { interest = [.input, .output] }
          break advancing
        case .streaming(var stream):
          let hasAll = try stream.write(publisher.log, to: connection.socket)
          connection.state = .streaming(stream)
          if !hasAll { interest = [.input, .output] }
          guard hasAll, end != nil else { break advancing }
          connection.socket.endOutput()
          connection.drain()
          return close(connection)
        case .closing: break advancing
        }
      }
      if interest != connection.interest {
        connection.interest = interest
        try poller.change(connection.socket, interest, as: connection.token)
      }
    } catch { close(connection, lost: error) }
    if hasAnswered { dropHoarders() }
  }

  /// Starts to answer the next request.
  /// - Returns: false if no request has come.
  private mutating func answerNext(_ connection: Connection, _ reader: Connection.RequestReader) -> Bool {
    var reader = reader
    do throws(RequestParser.Refusal) {
      let request = try reader.next()
      connection.state = .asking(reader)
      guard let request else { return false }
      answer(connection, reader, request)
    } catch {
      refuse(connection, reader, error.status, error.reason)
    }
    return true
  }

  private mutating func answer(
    _ connection: Connection, _ reader: Connection.RequestReader, _ request: ClientRequest
  ) {
    let route = router.route(request)
    if case .stream(let id) = route, request.method == .get {
      let count = clients.streaming.count + publisher.waiting.count
      if count < maxClients { return beginStream(connection, request, after: id) }
      return refuse(connection, reader, 503, "too many clients", request)
    }
    let snapshot = route == .snapshot ? publisher.currentSnapshot() : .none
    begin(Reply(route, request, options, snapshot: snapshot), connection, unread: reader.unread)
  }

  mutating func refuse(
    _ connection: Connection, _ reader: Connection.RequestReader, _ status: Int, _ reason: String,
    _ request: ClientRequest? = nil
  ) {
    var request = request ?? ClientRequest()
    if reader.asksForHead { request.method = .head }
    begin(Reply(.refused(status, reason), request, options, snapshot: .none), connection, unread: reader.unread)
  }

  private func begin(_ reply: Reply, _ connection: Connection, unread: [UInt8]) {
    tell("\(reply.status)", of: connection)
    connection.state = .answering(
      .init(
        text: .init(reply.text, reply.body), deadline: now + Limits.answerTime, unread: reply.closes ? nil : unread))
  }

  private mutating func beginStream(_ connection: Connection, _ request: ClientRequest, after id: [UInt8]) {
    let head = Reply.streamHead(request, options) + publisher.greeting
    if isReading, options.catchUp > 0, publisher.wait(connection.token, for: id, until: now + options.catchUp) {
      return beginWaiting(connection, head, id)
    }
    begin(connection, head, publisher.begin(after: id), after: id)
  }

  /// - Parameter unsent: text to send before the beginning.
  mutating func begin(
    _ connection: Connection, _ unsent: [UInt8], _ beginning: Publisher.Beginning, after id: [UInt8]
  ) {
    if clients.streaming.isEmpty { lastSent = now }
    clients.begin(
      .init(
        beginning: .init(unsent + beginning.preamble, beginning.document), place: beginning.place,
        begunAt: publisher.log.end, index: 0),
      of: connection)
    tell("begins" + (id.isEmpty ? "" : " after '\(shortened(id))'"), of: connection)
  }

  /// Closes the connections of clients that keep too many old documents in memory.
  mutating func dropHoarders() {
    while let text = publisher.excessText() {
      let holders = clients.all.filter { $0.heldText === text }
      if holders.isEmpty { return }
      for connection in holders {
        tell("dropped while it received an old document", of: connection)
        close(connection)
      }
    }
  }

  /// - Parameter error: why, if the connection was lost.
  mutating func close(_ connection: Connection, lost error: SystemError? = nil) {
    guard clients[connection.token] != nil else { return }
    if let error {
      tell("lost: \(error.message)", of: connection)
    } else if connection.stream != nil {
      tell("ends", of: connection)
    }
    publisher.waiting.remove(connection.token)
    // Once closed, it is no longer watched, even if this fails.
    try? poller.remove(connection.socket)
    connection.socket.closeQuietly()
    clients.remove(connection)
    // After descriptors ran out, a timer decides.
    if !isFull, listeners.resumeTime == nil { resumeAccepting() }
  }

  // MARK: All clients

  /// Sends new bytes to all clients, drops those that are too far behind, and removes bytes that everyone has.
  mutating func broadcast() {
    let logEnd = publisher.log.end
    guard logEnd > servedEnd else { return }
    servedEnd = logEnd
    lastSent = now
    var first = logEnd
    // From the last one, because the place of a closed one is given to the last.
    for index in clients.streaming.indices.reversed() {
      let connection = clients.streaming[index]
      if !connection.isBlocked {
        advance(connection)
      } else if let stream = connection.stream, isTooFarBehind(stream) {
        tell("dropped, \(logEnd - stream.place) bytes behind", of: connection)
        close(connection)
      }
      if let stream = connection.stream, clients[connection.token] != nil { first = min(first, stream.place) }
    }
    publisher.drop(before: first)
  }

  /// Whether more bytes wait for a client than --client-buffer allows. Bytes from before it came do not count, nor the
  /// rest of the event being sent: so an event larger than the buffer can be sent too.
  private func isTooFarBehind(_ stream: Connection.Stream) -> Bool {
    let end = publisher.log.end
    let place = max(stream.place, stream.begunAt)
    guard end - place > options.clientBuffer else { return false }
    if !stream.beginning.isEmpty { return true }
    return end - publisher.index.eventEnd(after: place) > options.clientBuffer
  }
}
