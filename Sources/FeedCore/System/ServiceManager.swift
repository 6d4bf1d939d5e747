/// What a service manager such as systemd tells a process that it starts, and wants to be told: sd_listen_fds(3) and
/// sd_notify(3), by their protocols alone. Both are environment variables and, for the second, datagrams.
package enum ServiceManager {
  /// The descriptors of the sockets that were passed to this very process: from 3 on.
  ///
  /// Other processes of a pipeline inherit the variables too, but `LISTEN_PID` is only one of them.
  package static var passedSockets: Range<Int32>? {
    guard let (receiver, numbers) = passed, receiver == Process.identifier else { return nil }
    return numbers
  }

  /// Whether sockets were passed to another process, of which this one may have inherited them.
  package static var hasPassedToOther: Bool { passed.map { $0.receiver != Process.identifier } ?? false }

  private static var passed: (receiver: Int32, numbers: Range<Int32>)? {
    guard let receiver = number("LISTEN_PID"), let count = number("LISTEN_FDS"), 1...mostSockets ~= count else {
      return nil
    }
    return (receiver, 3..<3 + count)
  }

  private static func number(_ name: String) -> Int32? { Process.environment(name).flatMap { Int32(decimal: $0) } }

  /// No unit has more.
  private static let mostSockets: Int32 = 100

  /// Sends a state such as `READY=1` to the service manager, if there is one that wants it.
  package static func notify(_ state: String, calls: SystemCalls = .libc) throws(SystemError) {
    guard var name = Process.environment("NOTIFY_SOCKET") else { return }
    // An abstract name, as systemd writes it.
    if name.first == UInt8(ascii: "@") { name[0] = 0 }
    guard let address = SocketAddress(unixName: name) else { throw SystemError(code: EINVAL) }
    let socket = try Descriptor.connected(to: address, isDatagram: true, calls: calls)
    defer { socket.closeQuietly() }
    if try socket.writeAvailable(Array(state.utf8), 0..<state.utf8.count) == nil { throw SystemError(code: EAGAIN) }
  }
}
