// Waiting for many descriptors at once, where a wait costs what has happened and not how many are watched: by epoll(7) on
// Linux, by kqueue(2) elsewhere. Both tell again what has been told until it is dealt with (level-triggered), so that a
// caller may take a piece from each and come back.

/// What is awaited of a descriptor, and what has come.
package struct PollEvents: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Bytes to read, the end of the input, or an error that a read will tell.
  package static let input = PollEvents(rawValue: 1)
  /// Room to write, or an error that a write will tell.
  package static let output = PollEvents(rawValue: 2)
}

/// What has come for the descriptor that is watched under a token.
package struct PollNotice: Equatable, Sendable {
  package let token: UInt64
  package internal(set) var events: PollEvents
}

/// Watches descriptors, each under a token of the caller's.
package struct Poller {
  private var queue: EventQueue
  /// What the system does not watch (files, devices) is always ready, as poll(2) has it.
  private var alwaysReady: [(number: Int32, notice: PollNotice)] = []

  package init(calls: SystemCalls = .libc) throws(SystemError) { queue = try EventQueue(calls) }

  package mutating func add(_ added: Descriptor, _ events: PollEvents, as token: UInt64) throws(SystemError) {
    if try queue.add(added, events, as: token) { return }
    alwaysReady.append((added.number, PollNotice(token: token, events: events)))
  }

  package mutating func change(_ changed: Descriptor, _ events: PollEvents, as token: UInt64) throws(SystemError) {
    try queue.change(changed, events, as: token)
  }

  /// Watches no longer. A descriptor that is closed right after it is not watched either way, whatever this throws.
  package mutating func remove(_ removed: Descriptor) throws(SystemError) {
    if let index = alwaysReady.firstIndex(where: { $0.number == removed.number }) {
      alwaysReady.remove(at: index)
    } else {
      try queue.remove(removed)
    }
  }

  /// Waits until something has come.
  /// - Parameter milliseconds: how long at most; -1 for ever, 0 just looks.
  /// - Returns: what has come, not necessarily all of it; nothing when the time is up or a signal came.
  package mutating func wait(milliseconds: Int32) throws(SystemError) -> [PollNotice] {
    let notices = alwaysReady.map(\.notice)
    return try notices + queue.wait(milliseconds: notices.isEmpty ? milliseconds : 0)
  }
}
