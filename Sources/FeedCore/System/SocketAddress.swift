/// The address of a socket: an address and a port, for IPv4 and IPv6, or the name of a Unix domain socket. getaddrinfo(3)
/// looks up names of hosts.
package struct SocketAddress: Sendable {
  /// The system does not know the name or address.
  package struct Unknown: Error, Sendable {
    /// The system's own words, beginning in lower case.
    package let message: String
  }

  var storage: sockaddr_storage
  var length: socklen_t

  /// All addresses of a host, to listen on.
  /// - Parameter host: a name or an address; an IPv6 address has no brackets.
  package static func resolve(host: [UInt8], port: UInt16) throws(Unknown) -> [SocketAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    unsafe hints.ai_socktype = Platform.streamSocket
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe withPath(host) { name in
      unsafe withPath(Array(String(port).utf8)) { service in unsafe getaddrinfo(name, service, &hints, &list) }
    }
    guard code == 0 else { throw Unknown(message: unsafe String(cString: gai_strerror(code)).lowercasedFirst) }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      var storage = sockaddr_storage()
      let length = unsafe entry.pointee.ai_addrlen
      if let address = unsafe entry.pointee.ai_addr, Int(length) <= MemoryLayout<sockaddr_storage>.size {
        unsafe withUnsafeMutableBytes(of: &storage) { room in
          unsafe room.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
        addresses.append(SocketAddress(storage: storage, length: length))
      }
      unsafe next = entry.pointee.ai_next
    }
    return addresses
  }

  private var family: Int32 { Int32(storage.ss_family) }

  /// Whether it has an address and a port.
  package var isInternet: Bool { family == AF_INET || family == AF_INET6 }

  /// The port; 0 lets the system choose one. Only for IPv4 and IPv6.
  package var port: UInt16 {
    get {
      // The port has the same position in both families.
      unsafe withUnsafeBytes(of: storage) {
        UInt16(bigEndian: unsafe $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
      }
    }
    set {
      unsafe withUnsafeMutableBytes(of: &storage) {
        unsafe $0.storeBytes(of: newValue.bigEndian, toByteOffset: 2, as: UInt16.self)
      }
    }
  }

  /// Whether only programs on this machine can reach it: 127.0.0.0/8, also in IPv6 form, or ::1.
  package var isLoopback: Bool {
    guard isInternet else { return false }
    let isIPv6 = family == AF_INET6
    // The position of the address in sockaddr_in and sockaddr_in6 is the same on all platforms.
    let bytes = unsafe withUnsafeBytes(of: storage) { unsafe Array($0[(isIPv6 ? 8 : 4)..<(isIPv6 ? 24 : 8)]) }
    guard isIPv6 else { return bytes[0] == 127 }
    let isMapped = bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
    return isMapped ? bytes[12] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// As in a URL: `127.0.0.1:8080`, `[::1]:8080`. A Unix domain socket is `unix:/run/feed.sock`.
  package var text: String {
    if let name = unixName {
      return "unix:" + (name.first == 0 ? "@" + quoted(name.dropFirst()) : quoted(name))
    }
    var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let code = unsafe withUnsafeBytes(of: storage) { bytes in
      guard let address = unsafe bytes.bindMemory(to: sockaddr.self).baseAddress else { return EAI_FAIL }
      return unsafe getnameinfo(address, length, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
    }
    guard code == 0 else { return "unknown" }
    let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

extension SocketAddress {
  private static let nameOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2

  /// The most bytes of the name of a Unix domain socket (`sun_path` less its NUL).
  package static let longestUnixName = MemoryLayout<sockaddr_un>.size - nameOffset - 1

  /// A Unix domain socket.
  /// - Parameter name: a path. On Linux also an abstract name, which begins with NUL.
  /// - Returns: nil if the name is empty or too long, or has a NUL that it must not have.
  package init?(unixName name: [UInt8]) {
    #if os(Linux)
      let isAbstract = name.first == 0
    #else
      let isAbstract = false
    #endif
    guard 1...Self.longestUnixName ~= name.count, isAbstract || !name.contains(0) else { return nil }
    storage = sockaddr_storage()
    storage.ss_family = sa_family_t(AF_UNIX)
    // The NUL at the end of a path counts, and would be a part of an abstract name.
    length = socklen_t(Self.nameOffset + name.count + (isAbstract ? 0 : 1))
    unsafe withUnsafeMutableBytes(of: &storage) { room in
      for (index, byte) in name.enumerated() { unsafe room[Self.nameOffset + index] = byte }
    }
  }

  /// The name of a Unix domain socket, empty if it has none; nil for another kind of socket.
  package var unixName: [UInt8]? {
    guard family == AF_UNIX else { return nil }
    let end = min(max(Int(length), Self.nameOffset), MemoryLayout<sockaddr_un>.size)
    let bytes = unsafe withUnsafeBytes(of: storage) { unsafe Array($0[Self.nameOffset..<end]) }
    return bytes.first == 0 && bytes.contains { $0 != 0 } ? bytes : Array(bytes.prefix { $0 != 0 })
  }
}
