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

  var isSocketFile: Bool { if case .socketFile = self { true } else { false } }
}
