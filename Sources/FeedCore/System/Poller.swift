// Waiting for descriptors: for a few by poll(2), and for many at once by `Poller`, whose cost depends on what has
// happened, not on how many are watched: by epoll(7) on Linux, by kqueue(2) elsewhere. All are level-triggered: they
// report an event again until it is handled, so a caller may take a piece from each descriptor and come back.

#if os(Linux)
  import CLinux
#endif

/// The events to wait for, and the events that happened.
package struct PollEvents: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Bytes to read, the end of the input, or an error that a read will return.
  package static let input = PollEvents(rawValue: 1)
  /// Room to write, or an error that a write will return.
  package static let output = PollEvents(rawValue: 2)
  /// Only that the other side has closed (a closed pipe, a socket hung up), which poll(2) reports in any case.
  package static let hangUp: PollEvents = []
}

/// The events of the descriptor that is watched under a token.
package struct PollNotice: Equatable, Sendable {
  /// The number that `add` was given with the descriptor.
  package let token: UInt64
  package internal(set) var events: PollEvents
}

/// Watches descriptors, each under a token chosen by the caller.
package struct Poller {
  private var queue: EventQueue
  /// Descriptors that the system cannot watch (files, devices) are always ready, as in poll(2).
  private var alwaysReady: [(number: Int32, notice: PollNotice)] = []

  package init(calls: SystemCalls = .libc) throws(SystemError) { queue = try EventQueue(calls) }

  /// - Throws: also if the system cannot watch more of them (`SystemError.isExhausted`).
  package mutating func add(_ added: Descriptor, _ events: PollEvents, as token: UInt64) throws(SystemError) {
    if try queue.add(added, events, as: token) { return }
    alwaysReady.append((added.number, PollNotice(token: token, events: events)))
  }

  /// Waits for other events of a descriptor that is watched.
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

extension Descriptor {
  /// A descriptor and the events to wait for.
  package struct Interest: Sendable {
    let descriptor: Descriptor
    let events: PollEvents

    package init(_ descriptor: Descriptor, _ events: PollEvents) {
      (self.descriptor, self.events) = (descriptor, events)
    }
  }

  /// Waits until at least one of `interests` is ready. Starts again after a signal.
  /// - Parameter milliseconds: the longest wait; -1 for ever, 0 does not wait.
  /// - Returns: for each interest, whether it is ready; all false after the timeout.
  package static func wait(for interests: [Interest], milliseconds: Int32) throws(SystemError) -> [Bool] {
    var polled = interests.map { interest in
      let input = interest.events.contains(.input) ? POLLIN : 0
      let output = interest.events.contains(.output) ? POLLOUT : 0
      return pollfd(fd: interest.descriptor.number, events: Int16(input | output), revents: 0)
    }
    let calls = interests.first?.descriptor.calls ?? .libc
    let deadline = milliseconds > 0 ? Clock.monotonic() + Double(milliseconds) / 1000 : 0
    _ = try calls.retrying(.poll) {
      let left = milliseconds > 0 ? max(0, Int32((deadline - Clock.monotonic()) * 1000)) : milliseconds
      return unsafe poll(&polled, nfds_t(polled.count), left)
    }
    return polled.map { $0.revents != 0 }
  }

  /// Whether a read would return at once.
  package var hasInput: Bool {
    get throws(SystemError) { try Self.wait(for: [.init(self, .input)], milliseconds: 0)[0] }
  }

  /// Whether the other end of this pipe has no reader any more. Files and terminals never report this.
  package var isHungUp: Bool {
    get throws(SystemError) { try Self.wait(for: [.init(self, .hangUp)], milliseconds: 0)[0] }
  }
}

#if os(Linux)
  /// The kernel interface of the poller: epoll(7).
  @safe struct EventQueue {
    private let descriptor: Descriptor
    private var found = unsafe [epoll_event](repeating: epoll_event(), count: 256)

    init(_ calls: SystemCalls) throws(SystemError) {
      let number = try calls.retrying(.createPoller) { epoll_create1(Int32(EPOLL_CLOEXEC)) }
      descriptor = Descriptor(number, calls: calls)
    }

    /// - Returns: false for a descriptor that cannot be watched, because it never waits.
    func add(_ added: Descriptor, _ events: PollEvents, as token: UInt64) throws(SystemError) -> Bool {
      do { try control(EPOLL_CTL_ADD, added, events, token) } catch {
        guard error.code == EPERM else { throw error }
        return false
      }
      return true
    }

    func change(_ changed: Descriptor, _ events: PollEvents, as token: UInt64) throws(SystemError) {
      try control(EPOLL_CTL_MOD, changed, events, token)
    }

    func remove(_ removed: Descriptor) throws(SystemError) { try control(EPOLL_CTL_DEL, removed, [], 0) }

    private func control(
      _ operation: Int32, _ watched: Descriptor, _ events: PollEvents, _ token: UInt64
    ) throws(SystemError) {
      var event = unsafe epoll_event()
      if events.contains(.input) { unsafe event.events |= feed_epoll_in }
      if events.contains(.output) { unsafe event.events |= feed_epoll_out }
      unsafe event.data.u64 = token
      _ = try descriptor.calls.retrying(.controlPoller) {
        unsafe epoll_ctl(descriptor.number, operation, watched.number, &event)
      }
    }

    mutating func wait(milliseconds: Int32) throws(SystemError) -> [PollNotice] {
      let count = descriptor.calls.once(.waitForPoller) {
        unsafe epoll_wait(descriptor.number, &found, Int32(found.count), milliseconds)
      }
      if count < 0, errno != EINTR { throw SystemError.last }
      return unsafe found.prefix(max(0, Int(count))).map { event in
        let bits = unsafe event.events
        var events: PollEvents = []
        if bits & (feed_epoll_broken | feed_epoll_in) != 0 { events.insert(.input) }
        if bits & (feed_epoll_broken | feed_epoll_out) != 0 { events.insert(.output) }
        return unsafe PollNotice(token: event.data.u64, events: events)
      }
    }
  }
#else
  /// The kernel interface of the poller: kqueue(2), with one filter for input and one for output.
  @safe struct EventQueue {
    private let descriptor: Descriptor
    private var found: [kevent] = unsafe Array(repeating: kevent(), count: 256)

    init(_ calls: SystemCalls) throws(SystemError) {
      let number = try calls.retrying(.createPoller) { kqueue() }
      descriptor = Descriptor(number, calls: calls)
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }

    /// - Returns: false for a descriptor that cannot be watched, because it never waits.
    func add(_ added: Descriptor, _ events: PollEvents, as token: UInt64) throws(SystemError) -> Bool {
      // For a file, kqueue reports nothing at its end.
      if added.fileType == S_IFREG { return false }
      do { try change(added, events, as: token) } catch {
        // A device such as /dev/null.
        guard error.code == EINVAL, !added.isTerminal else { throw error }
        return false
      }
      return true
    }

    func change(_ changed: Descriptor, _ events: PollEvents, as token: UInt64) throws(SystemError) {
      // A disabled filter keeps its place. Adding a new one could fail when the system is short of memory.
      try control(changed, EVFILT_READ, events.contains(.input) ? EV_ADD | EV_ENABLE : EV_DISABLE, token)
      try control(changed, EVFILT_WRITE, events.contains(.output) ? EV_ADD | EV_ENABLE : EV_DISABLE, token)
    }

    func remove(_ removed: Descriptor) throws(SystemError) {
      try control(removed, EVFILT_READ, EV_DELETE, 0)
      try control(removed, EVFILT_WRITE, EV_DELETE, 0)
    }

    private func control(
      _ watched: Descriptor, _ filter: Int32, _ flags: Int32, _ token: UInt64
    ) throws(SystemError) {
      var event = unsafe kevent()
      unsafe event.ident = UInt(watched.number)
      unsafe event.filter = Int16(filter)
      unsafe event.flags = UInt16(flags)
      unsafe event.udata = UnsafeMutableRawPointer(bitPattern: UInt(token))
      do {
        _ = try descriptor.calls.retrying(.controlPoller) { unsafe kevent(descriptor.number, &event, 1, nil, 0, nil) }
      } catch {
        // A filter that was never added is disabled already.
        guard error.code == ENOENT, flags & EV_ADD == 0 else { throw error }
      }
    }

    mutating func wait(milliseconds: Int32) throws(SystemError) -> [PollNotice] {
      var limit = timespec(tv_sec: Int(milliseconds) / 1000, tv_nsec: Int(milliseconds) % 1000 * 1_000_000)
      let count = descriptor.calls.once(.waitForPoller) {
        let room = unsafe Int32(found.count)
        if milliseconds < 0 { return unsafe kevent(descriptor.number, nil, 0, &found, room, nil) }
        return unsafe kevent(descriptor.number, nil, 0, &found, room, &limit)
      }
      if count < 0, errno != EINTR { throw SystemError.last }
      var notices: [PollNotice] = []
      var places: [UInt64: Int] = [:]
      for index in 0..<max(0, Int(count)) {
        let event = unsafe found[index]
        let token = unsafe UInt64(UInt(bitPattern: event.udata))
        let isInput = unsafe Int32(event.filter) == EVFILT_READ
        // At the end of the other side's output we can still answer; not after an error, or if the other side no longer
        // reads.
        let isBroken = unsafe Int32(event.flags) & EV_EOF != 0 && (!isInput || event.fflags != 0)
        let events: PollEvents = isBroken ? [.input, .output] : isInput ? .input : .output
        if let place = places[token] {
          notices[place].events.formUnion(events)
        } else {
          places[token] = notices.count
          notices.append(PollNotice(token: token, events: events))
        }
      }
      return notices
    }
  }
#endif
