// sse-serve's options: the table, and the settings that they make.

import FeedCore

let sseServe = ToolSpec(
  "sse-serve", "Serve event records from standard input as an event stream",
  synopsis: ["[options] [ADDRESS:]PORT", "[options] unix:PATH", "[options] fd:N"], operands: .none, options: Flag.self)

enum Flag: ToolOption {
  case plain, streamFrom, select, dataEvent, patchEvent, addIDs, idFrom, onError, replay, catchUp, keepalive, retry
  case clientBuffer, maxClients, gzip, allowOrigin, tokenFile, tokenQuery, serverName
  case waitReady, portFile, socketMode, socketOwner, linger, keepServing, verbose
  case maxStreams, maxDepth, maxOps, maxSize

  var group: OptionGroup {
    switch self {
    case .plain, .streamFrom, .select, .dataEvent, .patchEvent, .addIDs, .idFrom, .onError, .replay, .catchUp,
      .keepalive, .retry:
      OptionGroup("Options for the stream")
    case .clientBuffer, .maxClients, .gzip, .allowOrigin, .tokenFile, .tokenQuery, .serverName:
      OptionGroup("Options for clients")
    case .waitReady, .portFile, .socketMode, .socketOwner, .linger, .keepServing, .verbose:
      OptionGroup("Options for start and end")
    case .maxStreams, .maxDepth, .maxOps, .maxSize: .limits
    }
  }

  var spec: OptionSpec {
    switch self {
    case .plain: OptionSpec("plain", "serve any events; there is no document")
    case .streamFrom: OptionSpec("stream-from", .sourcePointer, "serve a stream for each value of this member")
    case .select:
      OptionSpec("select", "p", .pointer("/results"), "answer /snapshot with only this value")
        .meaningless(with: "plain")
    case .dataEvent:
      OptionSpec("data-event", .eventType, "the event that brings a document").default("data")
        .meaningless(with: "plain")
    case .patchEvent:
      OptionSpec("patch-event", .eventType, "the event that brings a patch").default("patch")
        .meaningless(with: "plain")
    case .addIDs: OptionSpec("add-ids", "give an ID to events that have none")
    case .idFrom:
      OptionSpec("id-from", .pointer("/id"), "where to find an ID for events that have none").excludes("add-ids")
    case .onError: OptionSpec("on-error", .choice("stop", "skip"), "what to do with a malformed record").default("stop")
    case .replay: OptionSpec("replay", .replay, "events or bytes to keep for reconnecting clients").default("1M")
    case .catchUp:
      OptionSpec("catch-up", .seconds, "wait this long for an event a client has seen").default("0")
    case .keepalive: OptionSpec("keepalive", .seconds, "send a comment after this long without data").default("15")
    case .retry: OptionSpec("retry", .delay, "tell clients to wait this long before reconnecting")
    case .clientBuffer: OptionSpec("client-buffer", .size, "drop a client when more data waits for it").default("1M")
    case .maxClients:
      OptionSpec("max-clients", .integer(1...1_000_000), "serve at most N clients at a time").default("10000")
    case .gzip: OptionSpec("gzip", "compress streams for clients that accept it")
    case .allowOrigin: OptionSpec("allow-origin", .origin, "let web pages of this origin read; * for any").repeating
    case .tokenFile: OptionSpec("token-file", .tokenFile, "serve only clients with the bearer token in FILE")
    case .tokenQuery:
      OptionSpec("token-query", "take the token from the URL too, as ?access_token=").needs("token-file")
    case .serverName: OptionSpec("server-name", .host, "answer requests for this host; repeatable").repeating
    case .waitReady: OptionSpec("wait-ready", "accept clients after the note 'live' in the input")
    case .portFile: OptionSpec("port-file", .wholeFile, "write the port to FILE when clients can connect")
    case .socketMode:
      OptionSpec("socket-mode", .mode, "the permissions of the socket of unix:PATH").default("600")
    case .socketOwner: OptionSpec("socket-owner", .owner, "who gets the socket of unix:PATH")
    case .linger:
      OptionSpec("linger", .seconds, "keep serving this long after the input ends").default("0").excludes(
        "keep-serving")
    case .keepServing: OptionSpec("keep-serving", "keep serving after the input ends")
    case .verbose: OptionSpec("verbose", "v", "report clients on standard error")
    case .maxStreams:
      OptionSpec("max-streams", .integer(1...Int.max), "the most streams").default("10000").needs("stream-from")
    case .maxDepth:
      OptionSpec("max-depth", .integer(1...Int(Int32.max)), "the deepest nesting of records and document")
        .default("10000")
    case .maxOps:
      OptionSpec("max-ops", .integer(0...Int.max), "the most operations in a patch").default("1000000")
        .meaningless(with: "plain")
    case .maxSize: OptionSpec("max-size", .size, "the most bytes of a record and of the document").default("1G")
    }
  }
}

extension OptionType {
  /// A number of events, or a number of bytes with a suffix; 0 for none.
  fileprivate static let replay = OptionType("N|SIZE") { bytes throws(OptionRefusal) in
    let isSize = bytes.last.map { "KMG".utf8.contains($0 & 0xDF) } ?? false
    do {
      return try isSize ? Options.Replay.bytes(size(bytes)) : .events(integer(0...1_000_000_000, in: bytes))
    } catch {
      throw .expected("a number of events, or a size such as 512K, 64M or 2G", found: bytes)
    }
  }

  /// The type of an event: one line.
  fileprivate static let eventType = text("NAME", "a name on one line") { !$0.contains(where: \.isLineEnd) }

  /// An origin as browsers send it (`https://example.com`), or `*`.
  fileprivate static let origin = text("ORIGIN", "an origin such as https://example.com, or *") { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    // An origin with a path would never match: browsers send none.
    let slashes = bytes.count { $0 == UInt8(ascii: "/") }
    let isOrigin = text.contains("://") && slashes == 2 && !text.contains("*") || ["*", "null"].contains(text)
    return isOrigin && bytes.allSatisfy { $0.isVisible && $0 != UInt8(ascii: ",") }
  }

  fileprivate static let tokenFile = text("FILE", "a file; standard input brings the events", .file) {
    $0 != [UInt8(ascii: "-")]
  }

  /// Permission bits, a `UInt32`.
  fileprivate static let mode = OptionType("MODE") { bytes throws(OptionRefusal) in
    guard 1...4 ~= bytes.count, bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }),
      let mode = UInt32(String(decoding: bytes, as: UTF8.self), radix: 8), mode <= 0o777
    else { throw .expected("permissions in octal, such as 660", found: bytes) }
    return mode
  }

  /// A user and a group of this system.
  fileprivate static let owner = OptionType("USER[:GROUP]") { bytes throws(OptionRefusal) in
    do throws(FileOwner.Refusal) { return try FileOwner(bytes) } catch {
      switch error {
      case .malformed: throw .expected("a user, USER:GROUP or :GROUP", found: bytes)
      case .unknown(let kind, let name): throw OptionRefusal("there is no \(kind) '\(quoted(name))'")
      }
    }
  }

  /// A host in the form that `HostList` compares.
  fileprivate static let host = OptionType("NAME") { bytes throws(OptionRefusal) in
    guard let name = HostList.name(ofAddress: bytes) else {
      throw .expected("a host name such as feed.example.com, without a port", found: bytes)
    }
    return name
  }
}

/// The settings of a command line. Limits and names that have a default get it from the table.
struct Options {
  enum Replay: Equatable { case events(Int), bytes(Int) }
  enum Ending: Equatable { case afterInput(linger: Double), never }

  let servingPlace: ServingPlace
  /// The operand, for messages.
  let place: String

  var isPlain = false
  /// The streams by the member that tells them apart; nil if there is only one.
  var sources: SourceIndex? {
    streamFrom.map { SourceIndex(by: $0, limit: maxStreams, options: ("--stream-from", "--max-streams")) }
  }
  private var streamFrom: SourcePointer?
  private var maxStreams = 0
  var select = JSONPointer()
  var dataEvent: [UInt8] = []
  var patchEvent: [UInt8] = []
  var addsIDs = false
  var idFrom: JSONPointer?
  var skipsErrors = false
  var replay = Replay.events(0)
  var clientBuffer = 0
  var maxClients = 0
  /// Whether it is an error if the limit of open files allows fewer.
  var isMaxClientsGiven = false
  /// In seconds; 0 turns it off.
  var catchUp = 0.0
  /// In seconds; nil for no comments.
  var keepalive: Double?
  /// In seconds.
  var retry: Double?
  /// Whether clients that accept gzip get it.
  var compresses = false
  var allowedOrigins: [[UInt8]] = []
  var token: [UInt8]?
  /// Whether the token may come in the query: an `EventSource` of a browser cannot send headers.
  var takesTokenFromQuery = false
  /// In the form that `HostList.name(of:)` returns.
  var serverNames: [[UInt8]] = []
  var waitsUntilReady = false
  var portFile: [UInt8]?
  /// Permission bits.
  var socketMode: UInt32 = 0
  var socketOwner: FileOwner?
  var ending = Ending.afterInput(linger: 0)
  var isVerbose = false
  var patching = PatchOptions()
  var maxOperations = 0

  init(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) {
    let settings = try invocation.options(Flag.self)
    (servingPlace, place) = try ServingPlace.parse(invocation.operands)
    for (flag, value) in settings { try set(flag, value, streams) }
  }

  private mutating func set(_ flag: Flag, _ value: OptionValue, _ streams: StandardStreams) throws(ToolFailure) {
    switch flag {
    case .plain: isPlain = true
    case .streamFrom: streamFrom = try value.get()
    case .maxStreams: maxStreams = try value.get()
    case .select: select = try value.get()
    case .dataEvent: dataEvent = value.bytes
    case .patchEvent: patchEvent = value.bytes
    case .addIDs: addsIDs = true
    case .idFrom: idFrom = try value.get()
    case .onError: skipsErrors = try value.get() == "skip"
    case .replay: replay = try value.get()
    case .clientBuffer: clientBuffer = try value.get()
    case .maxClients:
      maxClients = try value.get()
      isMaxClientsGiven = !value.isDefault
    case .catchUp: catchUp = try value.get()
    case .keepalive:
      let seconds: Double = try value.get()
      keepalive = seconds > 0 ? seconds : nil
    case .retry: retry = try value.get()
    case .gzip: compresses = true
    case .allowOrigin: allowedOrigins.append(value.bytes)
    case .tokenFile:
      let file = InputFile(value.bytes)
      token = try file.token(in: file.readAll(streams, limit: 1 << 16, option: "--token-file"))
    case .tokenQuery: takesTokenFromQuery = true
    case .serverName: serverNames.append(try value.get())
    case .waitReady: waitsUntilReady = true
    case .portFile:
      if servingPlace.isSocketFile { throw Self.noPort }
      portFile = value.bytes
    case .socketMode:
      try needSocketFile(flag, value)
      socketMode = try value.get()
    case .socketOwner:
      try needSocketFile(flag, value)
      socketOwner = try value.get()
    case .linger: ending = .afterInput(linger: try value.get())
    case .keepServing: ending = .never
    case .verbose: isVerbose = true
    case .maxDepth: patching.maxDepth = try value.get()
    case .maxOps: maxOperations = try value.get()
    case .maxSize: patching.maxSize = try value.get()
    }
  }

  /// --port-file where there is no port.
  static let noPort = ToolFailure.usage("option '--port-file' has no meaning with a Unix domain socket")

  private func needSocketFile(_ flag: Flag, _ value: OptionValue) throws(ToolFailure) {
    if value.isDefault || servingPlace.isSocketFile { return }
    throw .usage("option '--\(flag.spec.name)' needs unix:PATH in place of a port")
  }

  /// The hosts that a request may name; nil for any.
  ///
  /// Pages of other sites must not read what only this machine can reach and no token protects. If others can reach the
  /// server, they can read it anyway. If there is a token, such a page does not have it. No page reaches a Unix domain
  /// socket.
  /// - Parameter addresses: where the server listens.
  func hosts(on addresses: [SocketAddress]) -> HostList? {
    let ports = addresses.filter { $0.unixName == nil }
    let isPrivate = token == nil && !ports.isEmpty && ports.allSatisfy(\.isLoopback)
    guard isPrivate || !serverNames.isEmpty else { return nil }
    var names = serverNames + ports.compactMap { HostList.name(of: Array($0.text.utf8)) }
    if case .address(let host, _) = servingPlace, let name = HostList.name(ofAddress: host) { names.append(name) }
    return HostList(names)
  }
}
