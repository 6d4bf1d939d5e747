// Waiting until one of a few descriptors is ready, by poll(2).

extension Descriptor {
  /// A descriptor and the event to wait for.
  package struct Interest: Sendable {
    /// What to wait for (poll(2)).
    package enum Readiness: Sendable {
      /// Bytes to read, or the end of the input.
      case input
      /// Room to write.
      case output
      /// Only that the other side has closed (a closed pipe, a socket hung up).
      case hangUp
    }

    let descriptor: Descriptor
    let event: Readiness

    package init(_ descriptor: Descriptor, _ event: Readiness) {
      self.descriptor = descriptor
      self.event = event
    }

    var mask: Int16 {
      switch event {
      case .input: Int16(POLLIN)
      case .output: Int16(POLLOUT)
      case .hangUp: 0
      }
    }
  }

  /// Waits until at least one of `interests` is ready. Starts again after a signal.
  /// - Parameter milliseconds: the longest wait; -1 for ever, 0 does not wait.
  /// - Returns: for each interest, whether it is ready; all false after the timeout.
  package static func wait(for interests: [Interest], milliseconds: Int32) throws(SystemError) -> [Bool] {
    var polled = interests.map { pollfd(fd: $0.descriptor.number, events: $0.mask, revents: 0) }
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
