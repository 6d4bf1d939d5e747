// What the server does for clients that wait for an event that another server has sent them (see WaitingList).

import FeedCore

extension Server {
  /// Sends the head, and nothing else until the event comes.
  mutating func beginWaiting(_ connection: Connection, _ head: [UInt8], _ id: [UInt8]) {
    if publisher.waiting.count == 1 { waitingCommentTime = now + (options.keepalive ?? 0) }
    connection.state = .waiting(.init(head, nil))
    tell("waits for the event '\(shortened(id))'", of: connection)
  }

  /// Continues with the clients whose wait is over. This must be at once, while the log still has what follows their
  /// events.
  mutating func resumeWaiting() {
    let ready = publisher.waiting.takeReady()
    for client in ready {
      guard let connection = clients[client.token], case .waiting(let head) = connection.state else { continue }
      begin(connection, head.unsent, publisher.begin(after: client.id, at: client.place), after: client.id)
      advance(connection)
    }
    if !ready.isEmpty { dropHoarders() }
  }

  /// Handles waits whose time is up.
  mutating func expireWaiting() {
    publisher.waiting.expire(now)
    resumeWaiting()
    guard let keepalive = options.keepalive, now >= waitingCommentTime, end == nil else { return }
    waitingCommentTime = now + keepalive
    for token in Array(publisher.waiting.tokens) {
      guard let connection = clients[token], case .waiting(let head) = connection.state, head.isEmpty else { continue }
      connection.state = .waiting(.init(Publisher.comment, nil))
      advance(connection)
    }
  }
}
