import FeedCore

/// The sockets that accept clients. None is accepted while the connections are at their limit, or no descriptors are
/// left. The poller would report the waiting clients again and again, so it does not watch the sockets then.
struct Listeners {
  private var sockets: [Descriptor] = []
  private let firstToken: UInt64
  /// The name of a socket of our own in the file system.
  private var file: SocketFile?
  private var isOpen = false
  private var isInherited = false
  /// When to accept clients again, after descriptors had run out.
  private(set) var resumeTime = Double.infinity

  /// How long to accept no clients when there are no descriptors left.
  private static let backOffTime = 0.5

  /// - Parameter firstToken: the poller's token for the first socket; the others follow.
  init(firstToken: UInt64) { self.firstToken = firstToken }

  /// Takes the place, as far as that is possible before clients may connect, so that most errors are reported at once.
  /// - Returns: the addresses.
  mutating func bind(_ options: Options) throws(ToolFailure) -> [SocketAddress] {
    switch options.servingPlace {
    case .address(let host, let port): return try bind(host: host, port: port, place: options.place)
    case .inherited(let numbers):
      isInherited = true
      let addresses = try numbers.map { number throws(ToolFailure) in try take(number) }
      if options.portFile != nil, addresses.first?.unixName != nil { throw Options.noPort }
      return addresses
    case .socketFile(let path):
      if options.waitsUntilReady {
        do throws(SystemError) { try SocketFile.check(path) } catch { throw Self.failure(error, options) }
      }
      return [SocketAddress(unixName: path)].compactMap(\.self)
    }
  }

  /// Takes a socket of the parent process. Clients that connect before `begin` wait.
  private mutating func take(_ number: Int32) throws(ToolFailure) -> SocketAddress {
    let name = "fd:\(number)"
    let address: SocketAddress
    do throws(SystemError) {
      let socket = try Descriptor.inheritedListener(number)
      sockets.append(socket)
      address = try socket.localAddress()
    } catch {
      if error.isNoListener { throw .failed(.error, "no listening socket was passed", source: name) }
      throw .system(error, name)
    }
    guard address.isInternet || address.unixName != nil else {
      throw .failed(.error, "the socket is of an unknown kind", source: name)
    }
    return address
  }

  /// Binds one port on all addresses of the host. Clients are refused until it listens.
  /// - Returns: the addresses.
  private mutating func bind(host: [UInt8], port: UInt16, place: String) throws(ToolFailure) -> [SocketAddress] {
    let addresses: [SocketAddress]
    do { addresses = try SocketAddress.resolve(host: host, port: port) } catch {
      throw .failed(.error, error.message, source: place)
    }
    var bound: [SocketAddress] = []
    for (index, address) in addresses.enumerated() {
      var address = address
      address.port = bound.first?.port ?? port
      do throws(SystemError) {
        // A name such as `*` stands for both.
        let socket = try Descriptor.bound(to: address, includesIPv4: addresses.count == 1)
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

  /// Lets clients connect. A socket in the file system is made only now, with its mode and owner.
  /// - Throws: status 2 if the place is taken, or if it cannot be used.
  mutating func listen(_ options: Options) throws(ToolFailure) {
    do throws(SystemError) {
      switch options.servingPlace {
      case .address: for socket in sockets { try socket.listen() }
      // They do already, and the parent process has chosen how many clients may wait.
      case .inherited: break
      case .socketFile(let path):
        let made = try SocketFile.listen(path, mode: options.socketMode, owner: options.socketOwner)
        sockets = [made.socket]
        file = made.file
      }
    } catch { throw Self.failure(error, options) }
  }

  private static func failure(_ error: SystemError, _ options: Options) -> ToolFailure {
    if options.servingPlace.isSocketFile, error.isOtherFile {
      return .failed(.error, "there is a file that is not a socket", source: options.place)
    }
    let hint = options.socketOwner != nil && error.isNotPermitted ? " (--socket-owner)" : ""
    return .failed(.error, error.message + hint, source: options.place)
  }

  /// Starts to watch for clients.
  mutating func begin(_ poller: inout Poller) throws(SystemError) {
    for (index, socket) in sockets.enumerated() { try poller.add(socket, .input, as: firstToken + UInt64(index)) }
    isOpen = true
  }

  /// Accepts clients again, or none for now.
  mutating func setOpen(_ opens: Bool, _ poller: inout Poller) throws(SystemError) {
    resumeTime = .infinity
    guard opens != isOpen else { return }
    // The poller keeps its entries: adding new ones could fail when the system is short of memory.
    for (index, socket) in sockets.enumerated() {
      try poller.change(socket, opens ? .input : [], as: firstToken + UInt64(index))
    }
    isOpen = opens
  }

  /// Accepts no clients until descriptors may be free again.
  mutating func backOff(_ poller: inout Poller, now: Double) throws(SystemError) {
    try setOpen(false, &poller)
    resumeTime = now + Self.backOffTime
  }

  /// Accepts no more clients.
  mutating func close(_ poller: inout Poller) {
    isOpen = false
    resumeTime = .infinity
    file?.remove()
    file = nil
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
    // Another process that has the socket may have made it wait, for itself and for us.
    if isInherited { try sockets[index].stopWaiting() }
    return try sockets[index].accept()
  }
}
