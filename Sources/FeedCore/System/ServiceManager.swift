// What a service manager such as systemd tells a process that it starts, and wants to be told: sd_listen_fds(3) and
// sd_notify(3), by their protocols alone. Both are environment variables and, for the second, datagrams.

package enum ServiceManager {
  /// The descriptors of the sockets that were passed to this very process: from 3 on.
  ///
  /// Other processes of a pipeline inherit the variables too, but `LISTEN_PID` is only one of them.
  package static var passedSockets: Range<Int32>? {
    guard let process = Process.environment("LISTEN_PID"), Int32(decimal: process) == Process.identifier,
      let count = Process.environment("LISTEN_FDS").flatMap({ Int32(decimal: $0) }), 1...mostSockets ~= count
    else { return nil }
    return 3..<3 + count
  }

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
    if try socket.writeAvailable(Array(state.utf8), from: 0) == nil { throw SystemError(code: EAGAIN) }
  }
}
