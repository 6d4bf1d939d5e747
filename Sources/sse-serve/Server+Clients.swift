// What the server does for its clients: requests and responses of one client, and data for all of them.

import FeedCore

extension Server {
  // MARK: One client

  /// Reads once what the client has sent: a part of a request, or the end of its side, which ends the connection.
  mutating func read(_ connection: ClientConnection) {
    bytes.removeAll(keepingCapacity: true)
    let count: Int?
    do { count = try connection.socket.readAvailable(upTo: 4096, into: &bytes) } catch {
      return close(connection, lost: error)
    }
    guard let count else { return }
    switch connection.state {
    case .asking where count > 0:
      connection.unread += bytes
      advance(connection)
    case .responding: break
    // A streaming client sends no more requests.
    case .asking, .streaming, .closing: if count == 0 { close(connection) }
    }
  }

  /// Continues with a connection as far as possible without waiting: reads its next request, and sends its output.
  mutating func advance(_ connection: ClientConnection) {
    var hasAnswered = false
    do throws(SystemError) {
      var interest = PollEvents.input
      advancing: while true {
        switch connection.state {
        case .asking(var parser):
          // The next request has to wait for the next turn, which comes at once: there is room for output.
          if hasAnswered, !connection.unread.isEmpty { interest = .output }
          if hasAnswered { break advancing }
          do throws(RequestParser.RequestProblem) {
            let request = try connection.nextRequest(&parser)
            connection.state = .asking(parser)
            guard let request else { break advancing }
            respond(to: request, connection)
          } catch {
            refuse(connection, error.status, error.reason, asHead: parser.asksForHead)
          }
          hasAnswered = true
        case .responding(var text, let closes):
          let sent = metrics.sentBytes
          guard try text.write(to: connection.socket, counting: &metrics.sentBytes) else {
            if metrics.sentBytes > sent { connection.deadline = now + ServingLimits.responseTime }
            connection.state = .responding(text, closes: closes)
            // No further request is read until it is sent.
            interest = .output
            break advancing
          }
          if closes || end != nil {
            connection.socket.endOutput()
            connection.deadline = now + ServingLimits.closingTime
            connection.state = .closing
          } else {
            connection.deadline = now + ServingLimits.requestTime
            connection.state = .asking(RequestParser())
          }
        case .streaming(let subscription):
          let hasAll = try subscription.write(to: connection.socket, counting: &metrics.sentBytes)
          if !hasAll { interest = [.input, .output] }
          guard hasAll, end != nil else { break advancing }
          if subscription.finish() { continue }
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
    if hasAnswered, let stream = connection.subscription?.stream { closeSlowClients(of: stream) }
  }

  // MARK: The streams

  /// Begins the stream, or a wait for an event that another server has sent the client (see WaitingList).
  /// - Returns: what to send in place of the stream.
  mutating func begin(_ stream: ServedStream, _ connection: ClientConnection, _ request: ClientRequest) -> Response? {
    let response = Response.stream(for: request, options)
    guard request.method == .get else { return response }
    guard streamCount < maxClients else {
      refuse(connection, 503, "too many clients", to: request)
      return nil
    }
    let log = stream.publisher.logs[options.compresses && request.acceptsGzip ? 1 : 0]
    let subscription = Subscription(
      stream, log, head: response.text(for: request, options), isChunked: request.takesChunks)
    connection.state = .streaming(subscription)
    connection.deadline = .infinity
    streamCount += 1
    metrics.requests[200, default: 0] += 1
    let id = request.lastEventID
    guard isReading, options.catchUp > 0,
      stream.publisher.wait(connection.token, for: id, until: now + options.catchUp)
    else {
      begin(connection, subscription, after: id, request)
      return nil
    }
    if stream.publisher.waiting.count == 1 { stream.waitingCommentTime = now + options.keepalive }
    table.setAlarm(stream)
    self.log("\(request.shown) 200 waits for the event '\(shortened(id))'", of: connection)
    return nil
  }

  /// - Parameters:
  ///   - place: the end of the event `id`, for a client that has waited for it.
  ///   - request: nil if it was reported before.
  private mutating func begin(
    _ connection: ClientConnection, _ subscription: Subscription, after id: [UInt8], at place: Int? = nil,
    _ request: ClientRequest? = nil
  ) {
    let stream = subscription.stream
    let start = stream.publisher.begin(after: id, at: place, in: subscription.log)
    metrics.streamsBegun += 1
    if start.isResumed { metrics.hits += 1 } else if !id.isEmpty { metrics.misses += 1 }
    if stream.clients.isEmpty { stream.lastSent = now }
    stream.begin(connection, subscription, at: start)
    table.setAlarm(stream)
    log(
      (request.map { "\($0.shown) 200 " } ?? "") + "begins" + (id.isEmpty ? "" : " after '\(shortened(id))'"),
      of: connection)
  }

  /// Continues with the clients of a stream whose wait is over. This must be at once, while the log still has what
  /// follows their events.
  mutating func resumeWaiting(of stream: ServedStream) {
    let ready = stream.publisher.waiting.takeReady()
    for client in ready {
      guard let connection = clients[client.token], let subscription = connection.subscription,
        subscription.place == nil
      else { continue }
      begin(connection, subscription, after: client.id, at: client.place)
      advance(connection)
    }
    if !ready.isEmpty { closeSlowClients(of: stream) }
  }

  /// Handles waits of a stream whose time is up.
  mutating func expireWaiting(of stream: ServedStream) {
    stream.publisher.waiting.expire(now)
    resumeWaiting(of: stream)
    guard now >= stream.waitingCommentTime, end == nil else { return }
    stream.waitingCommentTime = now + options.keepalive
    for token in Array(stream.publisher.waiting.tokens) {
      guard let connection = clients[token] else { continue }
      connection.subscription?.addComment()
      advance(connection)
    }
  }

  /// Closes the connections of clients that keep too many old documents in memory.
  /// - Parameter stream: of the documents; nil for the lists of streams.
  mutating func closeSlowClients(of stream: ServedStream?) {
    while let text = stream == nil ? table.heldLists.excess() : stream?.publisher.excessText() {
      let holders = clients.values.filter { $0.heldText === text }
      for connection in holders {
        metrics.dropped += 1
        log("dropped while it received an old \(stream == nil ? "list" : "document")", of: connection)
        close(connection)
      }
      if holders.isEmpty { return }
    }
  }

  /// - Parameter error: why, if the connection was lost.
  mutating func close(_ connection: ClientConnection, lost error: SystemError? = nil) {
    guard connection.isOpen else { return }
    connection.isOpen = false
    if let error {
      log("lost: \(error.message)", of: connection)
    } else if connection.subscription?.place != nil {
      log("ends", of: connection)
    }
    // Once closed, it is no longer watched, even if this fails.
    try? poller.remove(connection.socket)
    connection.socket.closeQuietly()
    clients[connection.token] = nil
    if let subscription = connection.subscription {
      streamCount -= 1
      subscription.stream.remove(connection, subscription)
    }
    // After descriptors ran out, a timer decides.
    if !isFull, listeners.resumeTime == .infinity { resumeAccepting() }
  }

  // MARK: All clients

  /// Sends what is new in the changed streams.
  mutating func broadcast() {
    for stream in table.changed { broadcast(stream) }
    table.changed.removeAll(keepingCapacity: true)
  }

  /// Sends new bytes to all clients of a stream, drops those that are too far behind, and removes bytes that everyone
  /// has.
  /// - Parameter comments: whether a client for which there is nothing gets a comment. Comments are not in the log, which
  ///   would grow as long as no events come.
  mutating func broadcast(_ stream: ServedStream, comments: Bool = false) {
    resumeWaiting(of: stream)
    guard stream.publisher.end > stream.servedEnd || comments else { return }
    stream.servedEnd = stream.publisher.end
    stream.lastSent = now
    for log in stream.publisher.logs { log.sentEnd = log.end }
    // From the last one, because the place of a closed one is given to the last.
    for index in stream.clients.indices.reversed() {
      let connection = stream.clients[index]
      guard let subscription = connection.subscription else { continue }
      if !connection.isBlocked {
        if comments { subscription.addComment() }
        advance(connection)
      } else if subscription.isTooFarBehind(options.clientBuffer) {
        metrics.dropped += 1
        log("dropped, \(subscription.log.end - (subscription.place ?? 0)) bytes behind", of: connection)
        close(connection)
      }
      guard connection.isOpen, let place = subscription.place else { continue }
      subscription.log.sentEnd = min(subscription.log.sentEnd, place)
    }
    stream.publisher.dropSent()
  }
}
