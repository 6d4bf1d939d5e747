// Sockets of a server: listening, accepting, and reads and writes that never wait. What would have to wait says so by
// nil, and a poller tells when to try again.

extension Descriptor {
  /// Opens a socket at an address. Clients are refused until it listens.
  package static func bound(to address: SocketAddress, calls: SystemCalls = .libc) throws(SystemError) -> Descriptor {
    let family = Int32(address.storage.ss_family)
    let number = try calls.retrying(.socket) { systemSocket(family, Platform.streamSocket, 0) }
    let socket = Descriptor(number, calls: calls)
    do throws(SystemError) {
      try socket.prepare()
      // A server that is started again must not wait for connections that are long gone.
      try socket.set(SOL_SOCKET, SO_REUSEADDR)
      // Without this, `[::]` might or might not mean IPv4 too, and two tools on one port might go unnoticed.
      if family == AF_INET6 { try socket.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, to: address.isUnspecified ? 0 : 1) }
      _ = try calls.retrying(.bind) {
        unsafe address.withPointer { unsafe systemBind(socket.number, $0, address.length) }
      }
    } catch {
      socket.closeQuietly()
      throw error
    }
    return socket
  }

  /// Lets clients connect; `accept` does not wait for one.
  package func listen() throws(SystemError) { _ = try calls.retrying(.listen) { systemListen(number, SOMAXCONN) } }

  /// What has come of taking a client.
  package enum Accepted: Sendable {
    case client(Descriptor, SocketAddress)
    /// None is there.
    case none
    /// There was one, and it is gone: it has left again, or its socket is good for nothing.
    case lost(SystemError)
  }

  /// Takes the next client, whose socket does not wait either, and sends what is written at once.
  /// - Throws: what is wrong with the listener, or with this process.
  package func accept() throws(SystemError) -> Accepted {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let number: Int32
    do {
      number = try calls.retrying(.accept) {
        unsafe withUnsafeMutableBytes(of: &storage) { bytes in
          unsafe systemAccept(self.number, bytes.bindMemory(to: sockaddr.self).baseAddress, &length)
        }
      }
    } catch {
      if error.wouldBlock { return .none }
      if error.isOfOneClient { return .lost(error) }
      throw error
    }
    let socket = Descriptor(number, calls: calls)
    do throws(SystemError) {
      try socket.prepare()
      try socket.set(Int32(IPPROTO_TCP), TCP_NODELAY)
    } catch {
      // Most likely it has left again; macOS says so here.
      socket.closeQuietly()
      return .lost(error)
    }
    return .client(socket, SocketAddress(storage: storage, length: length))
  }

  /// Where this socket is; of a listener with port 0, the port that the system chose.
  package func localAddress() throws(SystemError) -> SocketAddress {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    _ = try calls.retrying(.address) {
      unsafe withUnsafeMutableBytes(of: &storage) { bytes in
        guard let address = unsafe bytes.bindMemory(to: sockaddr.self).baseAddress else { return -1 }
        return unsafe getsockname(number, address, &length)
      }
    }
    return SocketAddress(storage: storage, length: length)
  }

  /// Writes as much as the system takes without waiting.
  /// - Parameter offset: where in `bytes` to begin.
  /// - Returns: how many bytes; nil when there is no room.
  package func writeAvailable(_ bytes: [UInt8], from offset: Int) throws(SystemError) -> Int? {
    while true {
      let answer = calls.write(number, bytes.span.extracting(offset...))
      if answer.count >= 0 { return answer.count }
      if answer.errno == EINTR { continue }
      let error = SystemError(code: answer.errno)
      if error.wouldBlock { return nil }
      throw error
    }
  }

  /// Tells the other side that nothing more will come.
  package func endOutput() { _ = shutdown(number, Platform.shutWrite) }

  /// Not to be inherited, and never waiting.
  private func prepare() throws(SystemError) {
    _ = try calls.retrying(.control) { fcntl(number, F_SETFD, FD_CLOEXEC) }
    try stopWaiting()
  }

  private func set(_ level: Int32, _ option: Int32, to value: Int32 = 1) throws(SystemError) {
    var value = value
    _ = try calls.retrying(.setOption) {
      unsafe setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
  }
}

extension SocketAddress {
  /// Whether it stands for all addresses of this machine.
  fileprivate var isUnspecified: Bool { text.hasPrefix("[::]:") }

  fileprivate func withPointer(_ body: (UnsafePointer<sockaddr>) -> Int32) -> Int32 {
    unsafe withUnsafeBytes(of: storage) { bytes in
      guard let address = unsafe bytes.bindMemory(to: sockaddr.self).baseAddress else { return -1 }
      return unsafe body(address)
    }
  }
}

extension SystemError {
  /// Nothing there, or no room, at a descriptor that does not wait.
  package var wouldBlock: Bool { code == EAGAIN || code == EWOULDBLOCK }

  /// What accept(2) says of a client that has left before it was taken, or that a firewall keeps away; it is no error of
  /// the listener.
  fileprivate var isOfOneClient: Bool {
    [
      ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ENOPROTOOPT, EOPNOTSUPP, ETIMEDOUT,
      Platform.noNetwork,
    ].contains(code)
  }

  /// No address of this machine, or of a kind that it does not have.
  package var isUnknownAddress: Bool { code == EADDRNOTAVAIL || code == EAFNOSUPPORT }

  /// The process or the system has no descriptor or memory left for another connection, or watches no more of them
  /// (`ENOSPC`, see epoll(7)).
  package var isExhausted: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM, ENOSPC].contains(code) }
}

private func systemSocket(_ family: Int32, _ kind: Int32, _ proto: Int32) -> Int32 { socket(family, kind, proto) }

private func systemBind(_ number: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
  unsafe bind(number, address, length)
}

private func systemListen(_ number: Int32, _ backlog: Int32) -> Int32 { listen(number, backlog) }

private func systemAccept(
  _ number: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ length: inout socklen_t
) -> Int32 {
  unsafe accept(number, address, &length)
}
