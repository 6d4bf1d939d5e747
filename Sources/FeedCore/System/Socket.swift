// Server sockets: listening, accepting, and non-blocking reads and writes. An operation that would wait returns nil,
// and a poller says when to try again.

extension Descriptor {
  /// Opens a socket and binds it to an address. Clients are refused until it listens.
  /// - Parameter includesIPv4: whether `[::]` also stands for all IPv4 addresses.
  package static func bound(
    to address: SocketAddress, includesIPv4: Bool = true, calls: SystemCalls = .libc
  ) throws(SystemError) -> Descriptor {
    let family = Int32(address.storage.ss_family)
    let number = try calls.retrying(.socket) { socket(family, Platform.streamSocket, 0) }
    let opened = Descriptor(number, calls: calls)
    do throws(SystemError) {
      try opened.prepare()
      // A restarted server must not wait for old connections to time out.
      try opened.set(SOL_SOCKET, SO_REUSEADDR)
      // Otherwise the system decides whether `[::]` includes IPv4, and two tools on one port might not notice each
      // other.
      let isOnlyIPv6 = !(includesIPv4 && address.isUnspecified)
      if family == AF_INET6 { try opened.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, to: Int32(isOnlyIPv6 ? 1 : 0)) }
      _ = try calls.retrying(.bind) {
        unsafe address.withPointer { unsafe bind(opened.number, $0, address.length) }
      }
    } catch {
      opened.closeQuietly()
      throw error
    }
    return opened
  }

  /// A socket on which the parent process listens already, and which it has passed to us.
  ///
  /// Descriptors of the parent and of other processes share the setting "non-blocking": theirs become so too.
  /// - Throws: `isNoListener` if the descriptor is something else, or is not open.
  package static func inheritedListener(_ number: Int32, calls: SystemCalls = .libc) throws(SystemError) -> Descriptor {
    let socket = Descriptor(number, calls: calls)
    guard try socket.option(SO_TYPE) == Platform.streamSocket, try socket.option(SO_ACCEPTCONN) != 0 else {
      throw SystemError(code: ENOTSOCK)
    }
    try socket.prepare()
    return socket
  }

  /// Opens a socket and connects it to a Unix domain socket of the same kind. An operation that would wait is an error
  /// from the start.
  /// - Parameter isDatagram: whether it sends whole messages. Then writes wait for room, for a second.
  static func connected(
    to address: SocketAddress, isDatagram: Bool = false, calls: SystemCalls
  ) throws(SystemError) -> Descriptor {
    let kind = isDatagram ? Platform.datagramSocket : Platform.streamSocket
    let number = try calls.retrying(.socket) { socket(AF_UNIX, kind, 0) }
    let opened = Descriptor(number, calls: calls)
    do throws(SystemError) {
      try opened.prepare(isWaiting: isDatagram)
      if isDatagram { try opened.set(SOL_SOCKET, SO_SNDTIMEO, to: timeval(tv_sec: 1, tv_usec: 0)) }
      _ = try calls.retrying(.connect) {
        unsafe address.withPointer { unsafe connect(opened.number, $0, address.length) }
      }
    } catch {
      opened.closeQuietly()
      throw error
    }
    return opened
  }

  /// Starts to listen; `accept` does not wait for a client.
  package func listen() throws(SystemError) { _ = try calls.retrying(.listen) { systemListen(number, SOMAXCONN) } }

  /// The result of `accept`.
  package enum Accepted: Sendable {
    case client(Descriptor, SocketAddress)
    /// No client is waiting.
    case none
    /// A client was waiting, but it has left, or its socket is unusable.
    case lost(SystemError)
  }

  /// Accepts the next client. Its socket is non-blocking, and sends data at once.
  /// - Throws: an error of the listener, or of this process.
  package func accept() throws(SystemError) -> Accepted {
    var address = SocketAddress()
    let number: Int32
    do {
      number = try calls.retrying(.accept) { unsafe address.fill { unsafe systemAccept(self.number, $0, &$1) } }
    } catch {
      if error.wouldBlock { return .none }
      if error.isOfOneClient { return .lost(error) }
      throw error
    }
    let socket = Descriptor(number, calls: calls)
    do throws(SystemError) {
      try socket.prepare()
      if address.isInternet { try socket.set(Int32(IPPROTO_TCP), TCP_NODELAY) }
    } catch {
      // The client has probably left; macOS reports it here.
      socket.closeQuietly()
      return .lost(error)
    }
    return .client(socket, address)
  }

  /// The address of this socket; for a listener with port 0, with the port that the system chose.
  package func localAddress() throws(SystemError) -> SocketAddress {
    var address = SocketAddress()
    _ = try calls.retrying(.address) { unsafe address.fill { unsafe getsockname(number, $0, &$1) } }
    return address
  }

  /// Writes the bytes that the system takes without waiting.
  /// - Parameter range: which of `bytes`.
  /// - Returns: how many bytes; nil if there is no room.
  package func writeAvailable(_ bytes: [UInt8], _ range: Range<Int>) throws(SystemError) -> Int? {
    while true {
      let answer = calls.write(number, bytes.span.extracting(range))
      if answer.count >= 0 { return answer.count }
      if answer.errno == EINTR { continue }
      let error = SystemError(code: answer.errno)
      if error.wouldBlock { return nil }
      throw error
    }
  }

  /// Ends our output, so that the other side reads its end.
  package func endOutput() { _ = shutdown(number, Platform.shutWrite) }

  /// Makes the socket non-blocking unless it `isWaiting`, and not inherited by child processes.
  private func prepare(isWaiting: Bool = false) throws(SystemError) {
    _ = try calls.retrying(.control) { fcntl(number, F_SETFD, FD_CLOEXEC) }
    if !isWaiting { try stopWaiting() }
  }

  private func option(_ option: Int32) throws(SystemError) -> Int32 {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    _ = try calls.retrying(.getOption) { unsafe getsockopt(number, SOL_SOCKET, option, &value, &length) }
    return value
  }

  private func set<T: BitwiseCopyable>(
    _ level: Int32, _ option: Int32, to value: T = Int32(1)
  ) throws(SystemError) {
    var value = value
    _ = try calls.retrying(.setOption) {
      unsafe setsockopt(number, level, option, &value, socklen_t(MemoryLayout<T>.size))
    }
  }
}

extension SocketAddress {
  /// Empty, with room for any address.
  fileprivate init() {
    storage = sockaddr_storage()
    length = socklen_t(MemoryLayout<sockaddr_storage>.size)
  }

  /// - Parameter body: puts an address there, and its length.
  fileprivate mutating func fill(_ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Int32) -> Int32 {
    unsafe withUnsafeMutableBytes(of: &storage) { bytes in
      guard let address = unsafe bytes.bindMemory(to: sockaddr.self).baseAddress else { return -1 }
      return unsafe body(address, &length)
    }
  }

  /// Whether it means all addresses of this machine.
  fileprivate var isUnspecified: Bool { text.hasPrefix("[::]:") }

  fileprivate func withPointer(_ body: (UnsafePointer<sockaddr>) -> Int32) -> Int32 {
    unsafe withUnsafeBytes(of: storage) { bytes in
      guard let address = unsafe bytes.bindMemory(to: sockaddr.self).baseAddress else { return -1 }
      return unsafe body(address)
    }
  }
}

extension SystemError {
  /// A non-blocking descriptor has no data, or no room.
  package var wouldBlock: Bool { code == EAGAIN || code == EWOULDBLOCK }

  /// The errors of accept(2) for a client that left before it was accepted, or that a firewall blocks. They are not
  /// errors of the listener.
  fileprivate var isOfOneClient: Bool {
    [
      ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ENOPROTOOPT, EOPNOTSUPP, ETIMEDOUT,
      Platform.noNetwork,
    ].contains(code)
  }

  /// What was passed as a listening socket is none.
  package var isNoListener: Bool { code == ENOTSOCK || code == EBADF }

  /// Not an address of this machine, or an address family that it does not have.
  package var isUnknownAddress: Bool { code == EADDRNOTAVAIL || code == EAFNOSUPPORT }

  /// The process or the system lacks descriptors or memory for another connection, or cannot watch more of them
  /// (`ENOSPC`, see epoll(7)).
  package var isExhausted: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM, ENOSPC].contains(code) }
}

private func systemListen(_ number: Int32, _ backlog: Int32) -> Int32 { listen(number, backlog) }

private func systemAccept(
  _ number: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: inout socklen_t
) -> Int32 {
  unsafe accept(number, address, &length)
}
