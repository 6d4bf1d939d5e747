// Waiting for many descriptors at once: epoll(7) on Linux, where a wait costs what has happened and not how many are
// watched; poll(2) elsewhere. Both tell again what has been told until it is dealt with (level-triggered), so that a
// caller may take a piece from each and come back.

#if canImport(Darwin)
  import Darwin
#else
  import CEpoll
  import Glibc
#endif

/// What is awaited of a descriptor, and what has come.
public struct PollEvents: OptionSet, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Bytes to read, the end of the input, or an error that a read will tell.
  public static let input = PollEvents(rawValue: 1)
  /// Room to write, or an error that a write will tell.
  public static let output = PollEvents(rawValue: 2)
}

/// What has come for the descriptor that is watched under a token.
public struct PollNotice: Equatable, Sendable {
  public let token: UInt64
  public let events: PollEvents
}

#if canImport(Darwin)
  public typealias Poller = PortablePoller
#else
  /// Watches descriptors, each under a token of the caller's.
  @safe public struct Poller {
    private let descriptor: Descriptor
    private var found: [epoll_event]
    /// What epoll does not take (files, devices) is always ready, as poll(2) has it.
    private var alwaysReady: [(number: Int32, notice: PollNotice)] = []

    public init(calls: SystemCalls = .libc) throws(SystemError) {
      let number = try calls.retrying(.createPoller) { epoll_create1(Int32(EPOLL_CLOEXEC)) }
      descriptor = Descriptor(number, calls: calls)
      unsafe found = [epoll_event](repeating: epoll_event(), count: 256)
    }

    public mutating func add(_ added: Descriptor, _ events: PollEvents, as token: UInt64) throws(SystemError) {
      do { try control(EPOLL_CTL_ADD, added, events, token) } catch {
        guard error.code == EPERM else { throw error }
        alwaysReady.append((added.number, PollNotice(token: token, events: events)))
      }
    }

    public mutating func change(_ changed: Descriptor, _ events: PollEvents, as token: UInt64) throws(SystemError) {
      try control(EPOLL_CTL_MOD, changed, events, token)
    }

    /// Watches no longer. A descriptor that is closed right after it is not watched either way, whatever this throws.
    public mutating func remove(_ removed: Descriptor) throws(SystemError) {
      if let index = alwaysReady.firstIndex(where: { $0.number == removed.number }) {
        alwaysReady.remove(at: index)
      } else {
        try control(EPOLL_CTL_DEL, removed, [], 0)
      }
    }

    private func control(
      _ operation: Int32, _ watched: Descriptor, _ events: PollEvents, _ token: UInt64
    ) throws(SystemError) {
      var event = unsafe epoll_event()
      if events.contains(.input) { unsafe event.events |= EPOLLIN.rawValue }
      if events.contains(.output) { unsafe event.events |= EPOLLOUT.rawValue }
      unsafe event.data.u64 = token
      _ = try descriptor.calls.retrying(.controlPoller) {
        unsafe epoll_ctl(descriptor.number, operation, watched.number, &event)
      }
    }

    /// Waits until something has come.
    /// - Parameter milliseconds: how long at most; -1 for ever, 0 just looks.
    /// - Returns: what has come, not necessarily all of it; nothing when the time is up or a signal came.
    public mutating func wait(milliseconds: Int32) throws(SystemError) -> [PollNotice] {
      let timeout = alwaysReady.isEmpty ? milliseconds : 0
      let count = descriptor.calls.once(.waitForPoller) {
        unsafe epoll_wait(descriptor.number, &found, Int32(found.count), timeout)
      }
      if count < 0, errno != EINTR { throw SystemError.last }
      var notices = alwaysReady.map(\.notice)
      for index in 0..<max(0, Int(count)) {
        let bits = unsafe found[index].events
        var events: PollEvents = []
        let isBroken = bits & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        if isBroken || bits & EPOLLIN.rawValue != 0 { events.insert(.input) }
        if isBroken || bits & EPOLLOUT.rawValue != 0 { events.insert(.output) }
        unsafe notices.append(PollNotice(token: found[index].data.u64, events: events))
      }
      return notices
    }
  }
#endif

/// The same by poll(2).
public struct PortablePoller {
  private var polled: [pollfd] = []
  private var tokens: [UInt64] = []
  private var places: [Int32: Int] = [:]

  private let calls: SystemCalls

  public init(calls: SystemCalls = .libc) throws(SystemError) { self.calls = calls }

  public mutating func add(_ added: Descriptor, _ events: PollEvents, as token: UInt64) throws(SystemError) {
    places[added.number] = polled.count
    polled.append(pollfd(fd: added.number, events: Self.mask(events), revents: 0))
    tokens.append(token)
  }

  public mutating func change(_ changed: Descriptor, _ events: PollEvents, as token: UInt64) throws(SystemError) {
    guard let place = places[changed.number] else { throw SystemError(code: ENOENT) }
    polled[place].events = Self.mask(events)
    tokens[place] = token
  }

  public mutating func remove(_ removed: Descriptor) throws(SystemError) {
    guard let place = places.removeValue(forKey: removed.number) else { return }
    let last = polled.count - 1
    if place < last {
      (polled[place], tokens[place]) = (polled[last], tokens[last])
      places[polled[place].fd] = place
    }
    polled.removeLast()
    tokens.removeLast()
  }

  public mutating func wait(milliseconds: Int32) throws(SystemError) -> [PollNotice] {
    let count = calls.once(.waitForPoller) { unsafe poll(&polled, nfds_t(polled.count), milliseconds) }
    if count < 0, errno != EINTR { throw SystemError.last }
    guard count > 0 else { return [] }
    var notices: [PollNotice] = []
    for index in polled.indices where polled[index].revents != 0 {
      let bits = Int32(polled[index].revents)
      var events: PollEvents = []
      if bits & ~Int32(POLLOUT) != 0 { events.insert(.input) }
      if bits & ~Int32(POLLIN) != 0 { events.insert(.output) }
      notices.append(PollNotice(token: tokens[index], events: events))
    }
    return notices
  }

  private static func mask(_ events: PollEvents) -> Int16 {
    Int16((events.contains(.input) ? POLLIN : 0) | (events.contains(.output) ? POLLOUT : 0))
  }
}
