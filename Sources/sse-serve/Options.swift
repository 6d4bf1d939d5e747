// sse-serve's options: the table, and what they come to.

import FeedCore

let sseServe = ToolSpec(
  "sse-serve", "Serve event records from standard input as an event stream",
  synopsis: ["[options] [ADDRESS:]PORT"], operands: .none, options: Flag.self)

enum Flag: ToolOption {
  case plain, select, dataEvent, patchEvent, addIDs, onError
  case replay, clientBuffer, maxClients, keepalive, retry
  case allowOrigin, tokenFile, serverName, portFile, linger, keepServing, verbose
  case maxDepth, maxOps, maxSize

  var spec: OptionSpec {
    switch self {
    case .plain: OptionSpec("plain", nil, nil, "serve any events; there is no document")
    case .select: OptionSpec("select", "p", .text("POINTER"), "answer /snapshot with only this value")
    case .dataEvent: OptionSpec("data-event", nil, .text("NAME"), "the event that brings a document (data)")
    case .patchEvent: OptionSpec("patch-event", nil, .text("NAME"), "the event that brings a patch (patch)")
    case .addIDs: OptionSpec("add-ids", nil, nil, "give an id to events that have none")
    case .onError: OptionSpec("on-error", nil, .choice("stop", "skip"), "what a malformed record does")
    case .replay: OptionSpec("replay", nil, .text("N|SIZE"), "events or bytes kept for who comes back (1M)")
    case .clientBuffer: OptionSpec("client-buffer", nil, .text("SIZE"), "how far behind a client may be (1M)")
    case .maxClients: OptionSpec("max-clients", nil, .text("N"), "clients of the stream at a time (10000)")
    case .keepalive: OptionSpec("keepalive", nil, .text("SECONDS"), "a comment after as much silence (15); 0: none")
    case .retry: OptionSpec("retry", nil, .text("MS"), "how long clients wait before reconnecting")
    case .allowOrigin:
      OptionSpec("allow-origin", nil, .text("ORIGIN"), "let pages of this origin read; * for any").repeating
    case .tokenFile: OptionSpec("token-file", nil, .file(), "serve only who shows the bearer token in FILE")
    case .serverName:
      OptionSpec("server-name", nil, .text("NAME"), "answer requests for this host; repeatable").repeating
    case .portFile: OptionSpec("port-file", nil, .file(), "write the port to FILE once it is open")
    case .linger: OptionSpec("linger", nil, .text("SECONDS"), "serve so long after the end of the input (0)")
    case .keepServing: OptionSpec("keep-serving", nil, nil, "serve after the end of the input, until a signal")
    case .verbose: OptionSpec("verbose", "v", nil, "tell on standard error about connections")
    case .maxDepth: OptionSpec("max-depth", nil, .text("N"), "nesting of records and of the document (10000)")
    case .maxOps: OptionSpec("max-ops", nil, .text("N"), "operations in a patch (1000000)")
    case .maxSize: OptionSpec("max-size", nil, .text("SIZE"), "bytes of a record and of the document (1G)")
    }
  }
}

struct Options {
  enum Replay: Equatable { case events(Int), bytes(Int) }
  enum Ending: Equatable { case afterInput(linger: Double), never }

  var host: [UInt8] = Array("127.0.0.1".utf8)
  var port: UInt16 = 0
  /// The operand, for messages.
  var place = ""

  var isPlain = false
  var select = JSONPointer()
  var dataEvent: [UInt8]?
  var patchEvent: [UInt8]?
  var addsIDs = false
  var skipsErrors = false
  var replay = Replay.bytes(1 << 20)
  var clientBuffer = 1 << 20
  /// nil: the default, or fewer where the limit of open files is lower.
  var maxClients: Int?
  /// In seconds; nil for no comments.
  var keepalive: Double? = 15
  /// In milliseconds.
  var retry: Int?
  var allowedOrigins: [[UInt8]] = []
  var token: [UInt8]?
  /// As `HostList.name(of:)` gives them.
  var serverNames: [[UInt8]] = []
  var portFile: [UInt8]?
  var ending = Ending.afterInput(linger: 0)
  var isVerbose = false
  var patching = PatchOptions()
  var maxOperations = JSONPatch.defaultMaxOperations

  static let defaultMaxClients = 10_000

  init(_ invocation: Invocation<Flag>, _ streams: StandardStreams) throws(ToolError) {
    for (flag, bytes) in invocation.options { try set(flag, OptionValue(bytes, of: flag.spec), streams) }
    try setPlace(invocation.operands)
    try refuseContradictions(invocation.options.map(\.option))
  }

  private mutating func set(_ flag: Flag, _ value: OptionValue, _ streams: StandardStreams) throws(ToolError) {
    switch flag {
    case .plain: isPlain = true
    case .select: select = try value.pointer(example: "/results")
    case .dataEvent: dataEvent = try Self.type(value)
    case .patchEvent: patchEvent = try Self.type(value)
    case .addIDs: addsIDs = true
    case .onError: skipsErrors = value.text == "skip"
    case .replay: replay = try Self.replay(value)
    case .clientBuffer: clientBuffer = try value.size()
    case .maxClients: maxClients = try value.integer(1...1_000_000)
    case .keepalive:
      let seconds = try value.seconds()
      keepalive = seconds > 0 ? seconds : nil
    case .retry: retry = try value.integer(0...1_000_000_000)
    case .allowOrigin: allowedOrigins.append(try Self.origin(value))
    case .tokenFile: token = try Self.token(value, streams)
    case .serverName:
      guard let name = HostList.name(ofAddress: value.bytes) else {
        throw value.refused("a host name such as feed.example.com, without a port")
      }
      serverNames.append(name)
    case .portFile: portFile = try value.file()
    case .linger: ending = .afterInput(linger: try value.seconds())
    case .keepServing: ending = .never
    case .verbose: isVerbose = true
    case .maxDepth: patching.maxDepth = try value.integer(1...Int(Int32.max))
    case .maxOps: maxOperations = try value.integer(0...Int.max)
    case .maxSize: patching.maxSize = try value.size()
    }
  }

  /// A number of events, or with a suffix a number of bytes; 0 for none.
  private static func replay(_ value: OptionValue) throws(ToolError) -> Replay {
    let last = value.bytes.last.map { $0 & 0xDF }
    do {
      if let last, "KMG".utf8.contains(last) { return .bytes(try value.size()) }
      return .events(try value.integer(0...1_000_000_000))
    } catch {
      throw value.refused("a number of events, or a size such as 512K, 64M or 2G")
    }
  }

  /// The type of an event, which is a line.
  private static func type(_ value: OptionValue) throws(ToolError) -> [UInt8] {
    guard !value.bytes.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { throw value.refused("a name on one line") }
    return value.bytes
  }

  /// An origin as browsers send it (`https://example.com`), or `*`.
  private static func origin(_ value: OptionValue) throws(ToolError) -> [UInt8] {
    let isVisible = value.bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }
    // A path would never match: browsers send none.
    let slashes = value.bytes.count { $0 == UInt8(ascii: "/") }
    let isOrigin = value.text.contains("://") && slashes == 2 || ["*", "null"].contains(value.text)
    guard isVisible, isOrigin else { throw value.refused("an origin such as https://example.com, or *") }
    return value.bytes
  }

  private static func token(_ value: OptionValue, _ streams: StandardStreams) throws(ToolError) -> [UInt8] {
    if value.bytes == [UInt8(ascii: "-")] { throw value.refused("a file; standard input brings the events") }
    let content = try InputFile(value.bytes).readAll(streams, limit: 1 << 16, option: "--\(value.spec.name)")
    let token = content.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map(Array.init)
    guard token.count == 1, token[0].allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw ToolError(.trouble, "expected a token, in visible ASCII characters", source: quoted(value.bytes))
    }
    return token[0]
  }

  /// Who may be asked for; nil for anybody.
  ///
  /// Pages of other sites must be kept from what only this machine can reach and no token protects. What others can reach
  /// is theirs to read anyway, and a token is something that such a page does not have.
  /// - Parameter addresses: where the server listens.
  func hosts(on addresses: [SocketAddress]) -> HostList? {
    let isPrivate = token == nil && addresses.allSatisfy(\.isLoopback)
    guard isPrivate || !serverNames.isEmpty else { return nil }
    let given = HostList.name(ofAddress: host).map { [$0] } ?? []
    return HostList(serverNames + given + addresses.compactMap { HostList.name(of: Array($0.text.utf8)) })
  }

  /// `[ADDRESS:]PORT`; an IPv6 address stands in brackets.
  private mutating func setPlace(_ operands: [[UInt8]]) throws(ToolError) {
    guard let operand = operands.first else { throw .usage("no PORT given") }
    if operands.count > 1 { throw .usage("unexpected operand '\(quoted(operands[1]))'") }
    place = quoted(operand)
    let refused = ToolError.usage("expected [ADDRESS:]PORT, such as 8080 or [::1]:8080, found '\(place)'")
    var digits = operand[...]
    if let colon = operand.lastIndex(of: UInt8(ascii: ":")) {
      digits = operand[(colon + 1)...]
      var address = operand[..<colon]
      if address.first == UInt8(ascii: "["), address.last == UInt8(ascii: "]") {
        address = address.dropFirst().dropLast()
      } else if address.contains(UInt8(ascii: ":")) {
        throw refused
      }
      // `:8080` is what `8080` is, as it is said of ports elsewhere.
      if address.isEmpty, colon > 0 { throw refused }
      if !address.isEmpty { host = Array(address) }
    }
    let isNumber = !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isNumber, let number = UInt16(String(decoding: digits, as: UTF8.self)) else { throw refused }
    port = number
  }

  private func refuseContradictions(_ given: [Flag]) throws(ToolError) {
    for flag in [Flag.select, .dataEvent, .patchEvent, .maxOps] where isPlain && given.contains(flag) {
      throw .usage("option '--\(flag.spec.name)' has no meaning with '--plain'")
    }
    if given.contains(.linger) && given.contains(.keepServing) {
      throw .usage("options '--linger' and '--keep-serving' exclude each other")
    }
  }
}
