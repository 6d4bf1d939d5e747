// The sockets that accept clients. None are accepted while there are as many connections as there may be, or no
// descriptors are left. The poller would tell of the waiting clients again and again, so it does not watch then.

import FeedCore

struct Listeners {
  private var sockets: [Descriptor] = []
  private let firstToken: UInt64
  private var isOpen = false
  /// When to accept clients again, after there were no descriptors left.
  private(set) var resumeTime: Double?

  /// How long to accept none when there are no descriptors left.
  private static let backOffTime = 0.5

  /// - Parameter firstToken: the token of the first one for the poller; the others follow.
  init(firstToken: UInt64) { self.firstToken = firstToken }

  /// Takes one port of all addresses that the host has. Clients are refused until it listens there.
  /// - Returns: where that is.
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
        // `localhost` stands for an IPv6 address too where the machine has none.
        if error.isUnknownAddress, !sockets.isEmpty || index + 1 < addresses.count { continue }
        throw .system(error, place)
      }
    }
    return bound
  }

  func listen() throws(SystemError) { for socket in sockets { try socket.listen() } }

  /// Has the poller watch for clients.
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

  /// The poller keeps its places for them: where the system has run short, new ones might not be had.
  private func watch(for events: PollEvents, _ poller: inout Poller) throws(SystemError) {
    for (index, socket) in sockets.enumerated() {
      try poller.change(socket, events, as: firstToken + UInt64(index))
    }
  }

  /// Accepts no clients until some descriptors may have become free.
  mutating func backOff(_ poller: inout Poller, now: Double) throws(SystemError) {
    try suspend(&poller)
    resumeTime = now + Self.backOffTime
  }

  /// Accepts no more clients.
  mutating func close(_ poller: inout Poller) {
    isOpen = false
    resumeTime = nil
    for socket in sockets {
      // What is closed is not watched any more, whatever this says.
      try? poller.remove(socket)
      socket.closeQuietly()
    }
    sockets = []
  }

  /// The next client at the listener of a token; none while none are accepted.
  func accept(_ token: UInt64) throws(SystemError) -> Descriptor.Accepted {
    let index = Int(token - firstToken)
    guard isOpen, index < sockets.count else { return .none }
    return try sockets[index].accept()
  }
}
