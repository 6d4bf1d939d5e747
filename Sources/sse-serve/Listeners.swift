// The sockets that accept clients. None is accepted while the connections are at their limit, or no descriptors are
// left. The poller would report the waiting clients again and again, so it does not watch the sockets then.

import FeedCore

struct Listeners {
  private var sockets: [Descriptor] = []
  private let firstToken: UInt64
  private var isOpen = false
  /// When to accept clients again, after descriptors had run out.
  private(set) var resumeTime: Double?

  /// How long to accept no clients when there are no descriptors left.
  private static let backOffTime = 0.5

  /// - Parameter firstToken: the poller's token for the first socket; the others follow.
  init(firstToken: UInt64) { self.firstToken = firstToken }

  /// Binds one port on all addresses of the host. Clients are refused until it listens.
  /// - Returns: the addresses.
  mutating func bind(host: [UInt8], port: UInt16, place: String) throws(ToolFailure) -> [SocketAddress] {
    let addresses: [SocketAddress]
    do { addresses = try SocketAddress.resolve(host: host, port: port) } catch {
      throw .failed(.trouble, error.message, source: place)
    }
    var bound: [SocketAddress] = []
    for (index, address) in addresses.enumerated() {
      var address = address
      address.port = bound.first?.port ?? port
      do throws(SystemError) {
        let socket = try Descriptor.bound(to: address)
        sockets.append(socket)
        bound.append(try socket.localAddress())
      } catch {
        // `localhost` may resolve to an IPv6 address even if the machine has no IPv6.
        if error.isUnknownAddress, !sockets.isEmpty || index + 1 < addresses.count { continue }
        throw .system(error, place)
      }
    }
    return bound
  }

  func listen() throws(SystemError) { for socket in sockets { try socket.listen() } }

  /// Starts to watch for clients.
  mutating func begin(_ poller: inout Poller) throws(SystemError) {
    for (index, socket) in sockets.enumerated() { try poller.add(socket, .input, as: firstToken + UInt64(index)) }
    isOpen = true
  }

  /// Accepts clients again.
  mutating func resume(_ poller: inout Poller) throws(SystemError) {
    resumeTime = nil
    if !isOpen { try watch(for: .input, &poller) }
    isOpen = true
  }

  /// Accepts no clients for now.
  mutating func suspend(_ poller: inout Poller) throws(SystemError) {
    if isOpen { try watch(for: [], &poller) }
    isOpen = false
  }

  /// The poller keeps its entries for them: adding new ones could fail when the system is short of memory.
  private func watch(for events: PollEvents, _ poller: inout Poller) throws(SystemError) {
    for (index, socket) in sockets.enumerated() {
      try poller.change(socket, events, as: firstToken + UInt64(index))
    }
  }

  /// Accepts no clients until descriptors may be free again.
  mutating func backOff(_ poller: inout Poller, now: Double) throws(SystemError) {
    try suspend(&poller)
    resumeTime = now + Self.backOffTime
  }

  /// Accepts no more clients.
  mutating func close(_ poller: inout Poller) {
    isOpen = false
    resumeTime = nil
    for socket in sockets {
      // Once closed, it is no longer watched, even if this fails.
      try? poller.remove(socket)
      socket.closeQuietly()
    }
    sockets = []
  }

  /// The next client of the listener with this token; none while no clients are accepted.
  func accept(_ token: UInt64) throws(SystemError) -> Descriptor.Accepted {
    let index = Int(token - firstToken)
    guard isOpen, index < sockets.count else { return .none }
    return try sockets[index].accept()
  }
}
