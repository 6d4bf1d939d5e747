// What the server does for clients that wait for an event that another server has sent them (see WaitingList).

import FeedCore

extension Server {
  /// Sends the head, and nothing else until the event comes.
  mutating func beginWaiting(
    _ connection: ClientConnection, for stream: ServedStream, _ head: [UInt8], _ id: [UInt8], _ request: ClientRequest
  ) {
    if stream.publisher.waiting.count == 1 { stream.waitingCommentTime = now + (options.keepalive ?? 0) }
    connection.state = .waiting(.init(head, nil))
    table.setAlarm(stream)
    log("\(request.shown) 200 waits for the event '\(shortened(id))'", of: connection)
  }

  /// Continues with the clients of a stream whose wait is over. This must be at once, while the log still has what
  /// follows their events.
  mutating func resumeWaiting(of stream: ServedStream) {
    let ready = stream.publisher.waiting.takeReady()
    for client in ready {
      guard let connection = clients[client.token], case .waiting(let head) = connection.state else { continue }
      let beginning = stream.publisher.begin(after: client.id, at: client.place)
      begin(connection, stream, head.unsent, beginning, after: client.id)
      advance(connection)
    }
    if !ready.isEmpty { closeSlowClients(of: stream) }
  }

  /// Ends all waits, because no more events will come.
  mutating func endWaiting() {
    for stream in table.all where stream.publisher.waiting.count > 0 {
      stream.publisher.waiting.expireAll()
      resumeWaiting(of: stream)
    }
  }

  /// Ends the stream of a client that still waits. It gets no event, so it keeps its ID: another server may have those
  /// after that.
  mutating func endWait(of connection: ClientConnection, _ head: ClientConnection.Outgoing) {
    guard let stream = connection.served else { return close(connection) }
    if let mark = stream.publisher.gzip?.end { connection.gzip?.begin(at: mark) }
    let end = stream.publisher.end(for: connection)
    stream.begin(.init(beginning: head, place: end, begunAt: end, index: 0), of: connection)
    advance(connection)
  }

  /// Handles waits of a stream whose time is up.
  mutating func expireWaiting(of stream: ServedStream) {
    stream.publisher.waiting.expire(now)
    resumeWaiting(of: stream)
    guard let keepalive = options.keepalive, now >= stream.waitingCommentTime, end == nil else { return }
    stream.waitingCommentTime = now + keepalive
    for token in Array(stream.publisher.waiting.tokens) {
      guard let connection = clients[token], case .waiting(let head) = connection.state, head.isEmpty else { continue }
      connection.state = .waiting(.init(connection.encoded(Publisher.comment), nil))
      advance(connection)
    }
  }
}
