// What the server does for its clients: requests and responses of one client, and data for all of them.

import FeedCore

extension Server {
  // MARK: One client

  mutating func read(_ connection: ClientConnection) {
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
    case .responding: break
    // A streaming client sends no more requests.
    case .asking, .waiting, .streaming, .closing: if count == 0 { close(connection) }
    }
  }

  /// Continues with a connection as far as possible without waiting: reads its next request, and sends its output.
  mutating func advance(_ connection: ClientConnection) {
    var hasAnswered = false
    do throws(SystemError) {
      var interest = PollEvents.input
      advancing: while true {
        switch connection.state {
        case .asking(let reader):
          // The next request has to wait for the next turn, which comes at once: there is room for output.
          if hasAnswered, !reader.unread.isEmpty { interest = .output }
          guard !hasAnswered, respondToNext(connection, reader) else { break advancing }
          hasAnswered = true
        case .responding(var response):
          let sent = metrics.sentBytes
          guard try response.text.write(to: connection.socket, counting: &metrics.sentBytes) else {
            if metrics.sentBytes > sent { response.deadline = now + ServingLimits.responseTime }
            connection.state = .responding(response)
            // No further request is read until it is sent.
            interest = .output
            break advancing
          }
          if let unread = response.unread, end == nil {
            connection.state = .asking(.init(deadline: now + ServingLimits.requestTime, unread: unread))
          } else {
            connection.socket.endOutput()
            connection.state = .closing(deadline: now + ServingLimits.closingTime)
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
    if hasAnswered, let served = connection.served { closeSlowClients(of: served) }
  }

  /// Starts to answer the next request.
  /// - Returns: false if no request has come.
  private mutating func respondToNext(_ connection: ClientConnection, _ reader: ClientConnection.RequestReader) -> Bool
  {
    var reader = reader
    do throws(RequestParser.RequestProblem) {
      let request = try reader.next()
      connection.state = .asking(reader)
      guard let request else { return false }
      respond(to: request, connection, reader)
    } catch {
      refuse(connection, reader, error.status, error.reason)
    }
    return true
  }

  private mutating func respond(
    to request: ClientRequest, _ connection: ClientConnection, _ reader: ClientConnection.RequestReader
  ) {
    let response: Response
    switch router.route(request) {
    case .stream(let name, let id):
      if let stream = table.stream(named: name) {
        if request.method == .get {
          if clients.streamCount < maxClients { return beginStream(connection, stream, request, after: id) }
          return refuse(connection, reader, 503, "too many clients", request)
        }
        response = .stream(to: request, options)
      } else {
        response = unknownStream(to: request)
      }
    case .snapshot(let name):
      if let stream = table.stream(named: name) {
        response = Response(stream.publisher.currentSnapshot(), to: request, options)
        closeSlowClients(of: stream)
      } else {
        response = unknownStream(to: request)
      }
    case .list:
      response = Response(table.list(asHTML: request.wantsHTML, now), to: request, options)
      closeSlowListClients()
    case .metrics: response = .metrics(metrics.text(input.counts, clients, table), to: request, options)
    case .health: response = Response(200, "ok", to: request, options)
    case .methods: response = .methods(to: request, options)
    case .refused(let status, let reason): response = .refusal(status, reason, of: request, options)
    }
    begin(response, connection, unread: reader.unread)
    log("\(request.shown) \(response.status)", of: connection)
  }

  private func unknownStream(to request: ClientRequest) -> Response {
    Response(404, "unknown stream: GET / lists all streams", to: request, options)
  }

  /// - Parameter request: nil if it was not understood.
  mutating func refuse(
    _ connection: ClientConnection, _ reader: ClientConnection.RequestReader, _ status: Int, _ reason: String,
    _ request: ClientRequest? = nil
  ) {
    var refused = request ?? ClientRequest()
    if reader.asksForHead { refused.method = .head }
    begin(.refusal(status, reason, of: refused, options), connection, unread: reader.unread)
    log("\(request?.shown ?? "- -") \(status) \(reason)", of: connection)
  }

  private mutating func begin(_ response: Response, _ connection: ClientConnection, unread: [UInt8]) {
    metrics.count(response.status)
    connection.state = .responding(
      .init(
        text: .init(response.text, response.body), deadline: now + ServingLimits.responseTime,
        unread: response.closes ? nil : unread))
  }

  private mutating func beginStream(
    _ connection: ClientConnection, _ stream: ServedStream, _ request: ClientRequest, after id: [UInt8]
  ) {
    clients.assign(connection, to: stream)
    metrics.count(200)
    let isPacked = options.compresses && request.acceptsGzip
    if isPacked { connection.gzip = GzipMember() }
    let head =
      Response.stream(to: request, options).text + (isPacked ? GzipMember.header : [])
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
    _ connection: ClientConnection, _ stream: ServedStream, _ unsent: [UInt8], _ beginning: Publisher.Start,
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
    log(
      (request.map { "\($0.shown) 200 " } ?? "") + "begins" + (id.isEmpty ? "" : " after '\(shortened(id))'"),
      of: connection)
  }

  /// Closes the connections of clients that keep too many old documents in memory.
  mutating func closeSlowClients(of stream: ServedStream) {
    while let text = stream.publisher.excessText() { if !closeHolders(of: text, "document") { return } }
  }

  /// Closes the connections of clients that keep too many old lists in memory.
  private mutating func closeSlowListClients() {
    while let text = table.heldLists.excess() { if !closeHolders(of: text, "list") { return } }
  }

  /// - Returns: whether there was one.
  private mutating func closeHolders(of text: SharedText, _ what: String) -> Bool {
    let holders = clients.all.filter { $0.heldText === text }
    for connection in holders {
      metrics.dropped += 1
      log("dropped while it received an old \(what)", of: connection)
      close(connection)
    }
    return !holders.isEmpty
  }

  /// - Parameter error: why, if the connection was lost.
  mutating func close(_ connection: ClientConnection, lost error: SystemError? = nil) {
    guard clients[connection.token] != nil else { return }
    if let error {
      log("lost: \(error.message)", of: connection)
    } else if connection.stream != nil {
      log("ends", of: connection)
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
        log("dropped, \(stream.publisher.end(for: connection) - place.place) bytes behind", of: connection)
        close(connection)
      }
      guard let place = connection.stream?.place, clients[connection.token] != nil else { continue }
      if connection.gzip == nil { first = min(first, place) } else { firstPacked = min(firstPacked, place) }
    }
    stream.publisher.drop(before: first, packed: firstPacked)
  }

  /// Lets a client that has everything know that the connection is alive.
  private func addComment(for connection: ClientConnection, _ publisher: borrowing Publisher) {
    guard let stream = connection.stream, stream.beginning.isEmpty,
      stream.place == publisher.end(for: connection)
    else { return }
    connection.stream?.beginning = .init(connection.encoded(Publisher.comment, after: publisher.gzip?.end), nil)
  }

  /// Whether more bytes wait for a client than --client-buffer allows. Bytes from before it came do not count, nor the
  /// rest of the event being sent: so an event larger than the buffer can be sent too.
  private func isTooFarBehind(
    _ stream: ClientConnection.Stream, _ connection: ClientConnection, _ publisher: borrowing Publisher
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
  func end(for connection: ClientConnection) -> Int {
    connection.gzip == nil ? log.end : gzip?.end.packedPlace ?? 0
  }
}
