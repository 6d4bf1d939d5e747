#if !os(Linux)
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
      if added.kind == .file { return false }
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
