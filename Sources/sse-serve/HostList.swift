import FeedCore

/// The host names that this server accepts.
///
/// A page of evil.example can make its own name resolve to 127.0.0.1 (DNS rebinding). For the browser, what the page
/// loads from here is then of the page's own origin, so the page may read it, whatever CORS says. Only the Host header
/// exposes such a request: it has the name that the browser asked for.
struct HostList: Equatable {
  private var names: Set<[UInt8]>

  /// The names of the local machine.
  private static let own = ["localhost", "127.0.0.1", "[::1]"].map { Array($0.utf8) }

  /// - Parameter others: further names and addresses, as returned by `name(of:)`.
  init(_ others: [[UInt8]]) { names = Set(Self.own + others) }

  /// Whether a Host header, or the host of a URL, is one of these; the port does not matter.
  func contains(_ host: [UInt8]) -> Bool { Self.name(of: host).map(names.contains) ?? false }

  /// The name or address in `host[:port]`: in lower case, an IPv6 address in brackets, without the final dot of an
  /// absolute name.
  /// - Returns: nil if there is none.
  static func name(of host: [UInt8]) -> [UInt8]? {
    var name = host[...]
    var port = ArraySlice<UInt8>()
    if host.first == UInt8(ascii: "[") {
      guard let end = host.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      (name, port) = (host[...end], host[(end + 1)...])
    } else if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
      (name, port) = (host[..<colon], host[colon...])
    }
    guard port.isEmpty || port.first == UInt8(ascii: ":"), port.dropFirst().allSatisfy(\.isDigit) else { return nil }
    if name.last == UInt8(ascii: ".") { name.removeLast() }
    return name.isEmpty ? nil : name.lowercased
  }

  /// The same for a name or address without a port, from an option: an IPv6 address may lack brackets.
  /// - Returns: nil if it is neither.
  static func name(ofAddress address: [UInt8]) -> [UInt8]? {
    let isBare = address.first != UInt8(ascii: "[") && address.count { $0 == UInt8(ascii: ":") } > 1
    let address = isBare ? Array("[".utf8) + address + Array("]".utf8) : address
    let isBracketed = address.first == UInt8(ascii: "[") && address.last == UInt8(ascii: "]")
    let inside = isBracketed ? address.dropFirst().dropLast() : address[...]
    let isName = inside.allSatisfy {
      $0.isLetter || $0.isDigit || ".-_".utf8.contains($0) || isBracketed && $0 == UInt8(ascii: ":")
    }
    return isName && !inside.isEmpty ? name(of: address) : nil
  }
}
