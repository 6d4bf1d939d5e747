import FeedCore

/// Where to listen: an address with a port, a Unix domain socket of our own, or sockets on which the parent process listens
/// already. The operand says which. Without one, a service manager may have passed sockets.
enum ServingPlace {
  case address(host: [UInt8], port: UInt16)
  /// The path of a Unix domain socket to make.
  case socketFile([UInt8])
  /// The descriptors of sockets that are passed to us.
  case inherited(Range<Int32>)

  /// - Returns: the place, and how messages call it.
  static func parse(_ operands: [[UInt8]]) throws(ToolFailure) -> (ServingPlace, name: String) {
    guard let operand = operands.first else {
      guard let numbers = ServiceManager.passedSockets else {
        let hint = ServiceManager.hasPassedToOther ? "; fd:3 takes the socket that another process was passed" : ""
        throw .usage("no PORT given" + hint)
      }
      return (.inherited(numbers), "fd:\(numbers.lowerBound)")
    }
    if operands.count > 1 {
      throw .usage("unexpected operand '\(quoted(operands[1]))': records come from standard input")
    }
    let name = quoted(operand)
    if operand.starts(with: "unix:".utf8) { return (.socketFile(try path(operand.dropFirst(5))), name) }
    if operand.starts(with: "fd:".utf8) {
      guard let number = Int32(decimal: operand.dropFirst(3)), 3..<Int32.max ~= number else {
        throw .usage("expected fd:N with a number from 3 on, found '\(name)'")
      }
      return (.inherited(number..<number + 1), name)
    }
    return (try address(operand, name), name)
  }

  private static func path(_ path: ArraySlice<UInt8>) throws(ToolFailure) -> [UInt8] {
    if path.isEmpty { throw .usage("expected a path after 'unix:'") }
    let most = SocketAddress.longestUnixName
    if path.count > most {
      throw .usage("the path after 'unix:' has \(path.count) bytes, and the system allows \(most)")
    }
    return Array(path)
  }

  /// `[ADDRESS:]PORT`; an IPv6 address is in brackets.
  private static func address(_ operand: [UInt8], _ name: String) throws(ToolFailure) -> ServingPlace {
    let refused = ToolFailure.usage("expected [ADDRESS:]PORT such as 8080, unix:PATH or fd:N, found '\(name)'")
    var host = Array("127.0.0.1".utf8)
    var digits = operand[...]
    if let colon = operand.lastIndex(of: UInt8(ascii: ":")) {
      digits = operand[(colon + 1)...]
      var address = operand[..<colon]
      if address.first == UInt8(ascii: "["), address.last == UInt8(ascii: "]") {
        address = address.dropFirst().dropLast()
      } else if address.contains(UInt8(ascii: ":")) {
        throw refused
      }
      // `:8080` means the same as `8080`, as in other programs.
      if address.isEmpty, colon > 0 { throw refused }
      if !address.isEmpty { host = Array(address) }
    }
    guard let port = UInt16(decimal: digits) else { throw refused }
    return .address(host: host, port: port)
  }

  /// Whether we make a name in the file system, which must go at the end.
  var isSocketFile: Bool { if case .socketFile = self { true } else { false } }
}

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
