// The address of a socket: an address and a port, for IPv4 and IPv6. getaddrinfo(3) looks up names.

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

  /// The port; 0 lets the system choose one.
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
    let isIPv6 = Int32(storage.ss_family) == AF_INET6
    // The position of the address in sockaddr_in and sockaddr_in6 is the same on all platforms.
    let bytes = unsafe withUnsafeBytes(of: storage) { unsafe Array($0[(isIPv6 ? 8 : 4)..<(isIPv6 ? 24 : 8)]) }
    guard isIPv6 else { return bytes[0] == 127 }
    let isMapped = bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
    return isMapped ? bytes[12] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// As in a URL: `127.0.0.1:8080`, `[::1]:8080`.
  package var text: String {
    var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let code = unsafe withUnsafeBytes(of: storage) { bytes in
      guard let address = unsafe bytes.bindMemory(to: sockaddr.self).baseAddress else { return EAI_FAIL }
      return unsafe getnameinfo(address, length, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
    }
    guard code == 0 else { return "unknown" }
    let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return Int32(storage.ss_family) == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
