// Where clients come in. Nobody is let in while there are as many connections as there may be, or no descriptors are left:
// who waits goes on being told by the poller, so to leave the listeners watched would be a busy loop.

import FeedCore

struct Listeners {
  private var sockets: [Descriptor] = []
  private let firstToken: UInt64
  private var isOpen = false
  /// When to let clients in again, after there were no descriptors left.
  private(set) var openAgain: Double?

  /// How long to let nobody in when there are no descriptors left.
  private static let pause = 0.5

  /// - Parameter firstToken: the token of the first one for the poller; the others follow.
  init(firstToken: UInt64) { self.firstToken = firstToken }

  /// Listens on all addresses that the host has, on one port.
  /// - Returns: where that is.
  mutating func listen(host: [UInt8], port: UInt16, place: String) throws(ToolFailure) -> [SocketAddress] {
    let addresses: [SocketAddress]
    do { addresses = try SocketAddress.resolve(host: host, port: port) } catch {
      throw .failed(.trouble, error.message, source: place)
    }
    var bound: [SocketAddress] = []
    for (index, address) in addresses.enumerated() {
      var address = address
      address.port = bound.first?.port ?? port
      do throws(SystemError) {
        let socket = try Descriptor.listen(on: address)
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

  /// Has the poller watch for clients, and lets them in.
  mutating func begin(_ poller: inout Poller) throws(SystemError) {
    for (index, socket) in sockets.enumerated() { try poller.add(socket, .input, as: firstToken + UInt64(index)) }
    isOpen = true
  }

  /// Lets clients in.
  mutating func open(_ poller: inout Poller) throws(SystemError) {
    openAgain = nil
    if !isOpen { try watch(for: .input, &poller) }
    isOpen = true
  }

  /// Lets nobody in for now.
  mutating func shut(_ poller: inout Poller) throws(SystemError) {
    if isOpen { try watch(for: [], &poller) }
    isOpen = false
  }

  /// The poller keeps its places for them: where the system has run short, new ones might not be had.
  private func watch(for events: PollEvents, _ poller: inout Poller) throws(SystemError) {
    for (index, socket) in sockets.enumerated() {
      try poller.change(socket, events, as: firstToken + UInt64(index))
    }
  }

  /// Lets nobody in until some descriptors may have become free.
  mutating func pause(_ poller: inout Poller, now: Double) throws(SystemError) {
    try shut(&poller)
    openAgain = now + Self.pause
  }

  /// Lets nobody in any more.
  mutating func close(_ poller: inout Poller) {
    isOpen = false
    openAgain = nil
    for socket in sockets {
      // What is closed is not watched any more, whatever this says.
      try? poller.remove(socket)
      socket.closeQuietly()
    }
    sockets = []
  }

  /// The next client at the listener of a token; none where nobody is let in.
  func accept(_ token: UInt64) throws(SystemError) -> Descriptor.Accepted {
    let index = Int(token - firstToken)
    guard isOpen, index < sockets.count else { return .none }
    return try sockets[index].accept()
  }
}
