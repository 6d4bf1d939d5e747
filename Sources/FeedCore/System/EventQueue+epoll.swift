#if os(Linux)
  import CLinux

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
#endif
