import FeedCore

/// Clients that are ahead: each has seen an event at another server of the same feed that has not come here yet. It
/// waits for that event and continues right after it, instead of getting an older document.
///
/// A new event is compared with the lowest awaited number. Only one that ends a wait costs a look at all waiting
/// clients, which is less than it costs to send them an event.
struct WaitingList {
  /// A client whose wait is over.
  struct Ready: Equatable {
    let token: UInt64
    let id: [UInt8]
    /// The end of the awaited event in the log; nil if the time is up, or if a greater number came instead.
    let place: Int?
  }

  private typealias Waiting = (id: [UInt8], number: DecimalText, deadline: Double)

  /// By token.
  private var clients: [UInt64: Waiting] = [:]
  /// The lowest awaited number, or a lower one of a client that has left.
  private var lowest: DecimalText?
  /// The next deadline, or an earlier one of a client that has left.
  private(set) var nextDeadline = Double.infinity
  private var ready: [Ready] = []

  var count: Int { clients.count }
  /// The clients that wait, in any order.
  var tokens: some Collection<UInt64> { clients.keys }

  /// Adds a client.
  /// - Parameters:
  ///   - id: what it has seen, without blanks around it.
  ///   - number: the same as a number.
  ///   - deadline: when its wait ends, by the monotonic clock.
  mutating func add(_ token: UInt64, id: [UInt8], number: DecimalText, deadline: Double) {
    clients[token] = (id, number, deadline)
    lowest = min(lowest ?? number, number)
    nextDeadline = min(nextDeadline, deadline)
  }

  /// Removes a client, which need not be there.
  mutating func remove(_ token: UInt64) { clients[token] = nil }

  /// Ends the waits for an event.
  /// - Parameters:
  ///   - id: without blanks around it.
  ///   - place: the event's end in the log.
  mutating func take(_ id: ArraySlice<UInt8>, endingAt place: Int) {
    guard let lowest, let number = DecimalText(id), lowest <= number else { return }
    // Ids are compared as text: 7 and 007 are two events.
    end({ $0.number <= number }, at: { $0.id[...] == id ? place : nil })
  }

  /// Ends the waits whose time is up; at infinity, all of them.
  mutating func expire(_ now: Double) {
    if nextDeadline <= now { end({ $0.deadline <= now }, at: { _ in nil }) }
  }

  private mutating func end(_ isOver: (Waiting) -> Bool, at place: (Waiting) -> Int?) {
    for (token, client) in clients where isOver(client) {
      clients[token] = nil
      ready.append(Ready(token: token, id: client.id, place: place(client)))
    }
    lowest = clients.values.lazy.map(\.number).min()
    nextDeadline = clients.values.lazy.map(\.deadline).min() ?? .infinity
  }

  /// The clients that can continue, each returned once.
  mutating func takeReady() -> [Ready] {
    defer { ready = [] }
    return ready
  }
}
