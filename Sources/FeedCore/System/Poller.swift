// Waiting for many descriptors at once. The cost of a wait depends on what has happened, not on how many are watched:
// by epoll(7) on Linux, by kqueue(2) elsewhere. Both are level-triggered: they report an event again until it is
// handled, so a caller may take a piece from each descriptor and come back.

/// The events to wait for, and the events that happened.
package struct PollEvents: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Bytes to read, the end of the input, or an error that a read will return.
  package static let input = PollEvents(rawValue: 1)
  /// Room to write, or an error that a write will return.
  package static let output = PollEvents(rawValue: 2)
}

/// The events of the descriptor that is watched under a token.
package struct PollNotice: Equatable, Sendable {
  package let token: UInt64
  package internal(set) var events: PollEvents
}

/// Watches descriptors, each under a token chosen by the caller.
package struct Poller {
  private var queue: EventQueue
  /// Descriptors that the system cannot watch (files, devices) are always ready, as in poll(2).
  private var alwaysReady: [(number: Int32, notice: PollNotice)] = []

  package init(calls: SystemCalls = .libc) throws(SystemError) { queue = try EventQueue(calls) }

  package mutating func add(_ added: Descriptor, _ events: PollEvents, as token: UInt64) throws(SystemError) {
    if try queue.add(added, events, as: token) { return }
    alwaysReady.append((added.number, PollNotice(token: token, events: events)))
  }

  package mutating func change(_ changed: Descriptor, _ events: PollEvents, as token: UInt64) throws(SystemError) {
    try queue.change(changed, events, as: token)
  }

  /// Stops watching. A descriptor that is closed next is no longer watched in any case, whatever this throws.
  package mutating func remove(_ removed: Descriptor) throws(SystemError) {
    if let index = alwaysReady.firstIndex(where: { $0.number == removed.number }) {
      alwaysReady.remove(at: index)
    } else {
      try queue.remove(removed)
    }
  }

  /// Waits for events.
  /// - Parameter milliseconds: the longest wait; -1 for ever, 0 does not wait.
  /// - Returns: events, perhaps not all; none after the timeout or a signal.
  package mutating func wait(milliseconds: Int32) throws(SystemError) -> [PollNotice] {
    let notices = alwaysReady.map(\.notice)
    return try notices + queue.wait(milliseconds: notices.isEmpty ? milliseconds : 0)
  }
}
