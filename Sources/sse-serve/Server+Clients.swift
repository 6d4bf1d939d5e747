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

  /// Continues with a connection as far as possible without waiting: reads its next request, and sends its output.
  mutating func advance(_ connection: Connection) {
    var hasAnswered = false
    do throws(SystemError) {
      var interest = PollEvents.input
      advancing: while true {
        switch connection.state {
        case .asking(let reader):
          // The next request has to wait for the next turn, which comes at once: there is room for output.
          if hasAnswered, !reader.unread.isEmpty { interest = .output }
          guard !hasAnswered, answerNext(connection, reader) else { break advancing }
          hasAnswered = true
        case .answering(var answer):
          let sent = metrics.sentBytes
          guard try answer.text.write(to: connection.socket, counting: &metrics.sentBytes) else {
            if metrics.sentBytes > sent { answer.deadline = now + Limits.answerTime }
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
          let hasAll = try head.write(to: connection.socket, counting: &metrics.sentBytes)
          connection.state = .waiting(head)
          if !hasAll { interest = [.input, .output] }
          break advancing
        case .streaming(var stream):
          guard let served = connection.served else { break advancing }
          let log = connection.gzip == nil ? served.publisher.log : served.publisher.gzip?.bytes ?? ByteLog()
          let hasAll = try stream.write(log, to: connection.socket, counting: &metrics.sentBytes)
          connection.state = .streaming(stream)
          if !hasAll { interest = [.input, .output] }
          guard hasAll, end != nil else { break advancing }
          if let member = connection.gzip, !member.isFinished, let end = served.publisher.gzip?.end {
            connection.stream?.beginning = .init(member.finish(at: end), nil)
            continue
          }
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
    if hasAnswered, let served = connection.served { dropHoarders(of: served) }
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
    var route = router.route(request)
    var snapshot = Publisher.Snapshot.none
    var list: StreamList?
    var page: [UInt8] = []
    switch route {
    case .stream(let name, let id):
      guard let stream = table.stream(named: name) else { route = Router.unknownStream; break }
      guard request.method == .get else { break }
      if clients.streamCount < maxClients { return beginStream(connection, stream, request, after: id) }
      return refuse(connection, reader, 503, "too many clients", request)
    case .snapshot(let name):
      guard let stream = table.stream(named: name) else { route = Router.unknownStream; break }
      snapshot = stream.publisher.currentSnapshot()
      dropHoarders(of: stream)
    case .metrics: page = metrics.text(input.counts, clients, table)
    case .list:
      list = table.list(asHTML: request.wantsHTML, now)
      dropListHoarders()
    case .health, .methods, .refused: break
    }
    let reply = Reply(route, request, options, snapshot: snapshot, list: list, metrics: page)
    begin(reply, connection, unread: reader.unread)
    tell("\(request.shown) \(reply.status)", of: connection)
  }

  /// - Parameter request: nil if it was not understood.
  mutating func refuse(
    _ connection: Connection, _ reader: Connection.RequestReader, _ status: Int, _ reason: String,
    _ request: ClientRequest? = nil
  ) {
    var answered = request ?? ClientRequest()
    if reader.asksForHead { answered.method = .head }
    begin(Reply(.refused(status, reason), answered, options), connection, unread: reader.unread)
    tell("\(request?.shown ?? "- -") \(status) \(reason)", of: connection)
  }

  private mutating func begin(_ reply: Reply, _ connection: Connection, unread: [UInt8]) {
    metrics.count(reply.status)
    connection.state = .answering(
      .init(
        text: .init(reply.text, reply.body), deadline: now + Limits.answerTime, unread: reply.closes ? nil : unread))
  }

  private mutating func beginStream(
    _ connection: Connection, _ stream: ServedStream, _ request: ClientRequest, after id: [UInt8]
  ) {
    clients.assign(connection, to: stream)
    metrics.count(200)
    let isPacked = options.compresses && request.acceptsGzip
    if isPacked { connection.gzip = GzipMember() }
    let head =
      Reply.streamHead(request, options) + (isPacked ? GzipMember.header : [])
      + connection.encoded(stream.publisher.greeting)
    if isReading, options.catchUp > 0, stream.publisher.wait(connection.token, for: id, until: now + options.catchUp) {
      return beginWaiting(connection, for: stream, head, id, request)
    }
    begin(connection, stream, head, stream.publisher.begin(after: id), after: id, request)
  }

  /// - Parameters:
  ///   - unsent: text to send before the beginning.
  ///   - request: nil if it was reported before.
  mutating func begin(
    _ connection: Connection, _ stream: ServedStream, _ unsent: [UInt8], _ beginning: Publisher.Beginning,
    after id: [UInt8], _ request: ClientRequest? = nil
  ) {
    metrics.streamsBegun += 1
    if beginning.isResumed { metrics.hits += 1 } else if !id.isEmpty { metrics.misses += 1 }
    if stream.clients.isEmpty { stream.lastSent = now }
    var beginning = beginning
    if let member = connection.gzip { beginning = stream.publisher.packed(beginning, for: member) }
    stream.begin(
      .init(
        beginning: .init(unsent + beginning.preamble, beginning.document), place: beginning.place,
        begunAt: stream.publisher.end(for: connection), index: 0),
      of: connection)
    table.setAlarm(stream)
    tell(
      (request.map { "\($0.shown) 200 " } ?? "") + "begins" + (id.isEmpty ? "" : " after '\(shortened(id))'"),
      of: connection)
  }

  /// Closes the connections of clients that keep too many old documents in memory.
  mutating func dropHoarders(of stream: ServedStream) {
    while let text = stream.publisher.excessText() { if !dropHolders(of: text, "document") { return } }
  }

  /// Closes the connections of clients that keep too many old lists in memory.
  private mutating func dropListHoarders() {
    while let text = table.heldLists.excess() { if !dropHolders(of: text, "list") { return } }
  }

  /// - Returns: whether there was one.
  private mutating func dropHolders(of text: SharedText, _ what: String) -> Bool {
    let holders = clients.all.filter { $0.heldText === text }
    for connection in holders {
      metrics.dropped += 1
      tell("dropped while it received an old \(what)", of: connection)
      close(connection)
    }
    return !holders.isEmpty
  }

  /// - Parameter error: why, if the connection was lost.
  mutating func close(_ connection: Connection, lost error: SystemError? = nil) {
    guard clients[connection.token] != nil else { return }
    if let error {
      tell("lost: \(error.message)", of: connection)
    } else if connection.stream != nil {
      tell("ends", of: connection)
    }
    // Once closed, it is no longer watched, even if this fails.
    try? poller.remove(connection.socket)
    connection.socket.closeQuietly()
    clients.remove(connection)
    // After descriptors ran out, a timer decides.
    if !isFull, listeners.resumeTime == nil { resumeAccepting() }
  }

  // MARK: All clients

  /// Sends what is new in the changed streams.
  mutating func broadcast() { for stream in table.takeChanged() { broadcast(stream) } }

  /// Sends new bytes to all clients of a stream, drops those that are too far behind, and removes bytes that everyone
  /// has.
  /// - Parameter comments: whether a client for which there is nothing gets a comment. Comments are not in the log, which
  ///   would grow as long as no events come.
  mutating func broadcast(_ stream: ServedStream, comments: Bool = false) {
    resumeWaiting(of: stream)
    let logEnd = stream.publisher.log.end
    guard logEnd > stream.servedEnd || comments else { return }
    stream.servedEnd = logEnd
    stream.lastSent = now
    var first = logEnd
    var firstPacked = stream.publisher.gzip?.end.packedPlace ?? 0
    // From the last one, because the place of a closed one is given to the last.
    for index in stream.clients.indices.reversed() {
      let connection = stream.clients[index]
      if !connection.isBlocked {
        if comments { addComment(for: connection, stream.publisher) }
        advance(connection)
      } else if let place = connection.stream, isTooFarBehind(place, connection, stream.publisher) {
        metrics.dropped += 1
        tell("dropped, \(stream.publisher.end(for: connection) - place.place) bytes behind", of: connection)
        close(connection)
      }
      guard let place = connection.stream?.place, clients[connection.token] != nil else { continue }
      if connection.gzip == nil { first = min(first, place) } else { firstPacked = min(firstPacked, place) }
    }
    stream.publisher.drop(before: first, packed: firstPacked)
  }

  /// Lets a client that has everything know that the connection is alive.
  private func addComment(for connection: Connection, _ publisher: borrowing Publisher) {
    guard let stream = connection.stream, stream.beginning.isEmpty,
      stream.place == publisher.end(for: connection)
    else { return }
    connection.stream?.beginning = .init(connection.encoded(Publisher.comment, after: publisher.gzip?.end), nil)
  }

  /// Whether more bytes wait for a client than --client-buffer allows. Bytes from before it came do not count, nor the
  /// rest of the event being sent: so an event larger than the buffer can be sent too.
  private func isTooFarBehind(
    _ stream: Connection.Stream, _ connection: Connection, _ publisher: borrowing Publisher
  ) -> Bool {
    let end = publisher.end(for: connection)
    let place = max(stream.place, stream.begunAt)
    guard end - place > options.clientBuffer else { return false }
    // A document. All other text is short.
    if stream.beginning.shared != nil { return true }
    let eventEnd =
      connection.gzip == nil ? publisher.index.eventEnd(after: place) : publisher.gzip?.pieceEnd(after: place) ?? place
    return end - eventEnd > options.clientBuffer
  }
}

extension Publisher {
  /// The end of the log that a client gets.
  func end(for connection: Connection) -> Int {
    connection.gzip == nil ? log.end : gzip?.end.packedPlace ?? 0
  }
}
