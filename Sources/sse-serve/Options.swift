// sse-serve's options: the table, and the settings that they make.

import FeedCore

package let sseServe = ToolSpec(
  "sse-serve", "Serve event records from standard input as an event stream",
  synopsis: ["[options] [ADDRESS:]PORT", "[options] unix:PATH", "[options] fd:N"], operands: .none,
  options: Options.self)

/// The settings of a command line. Times are in seconds.
struct Options: OptionTable {
  /// The limit of the replay window: a number of events, or their bytes in the stream.
  enum Replay: Equatable { case events(Int), bytes(Int) }
  /// What to do with a malformed record: end with status 2, or go on with the next line.
  enum ErrorAction: String, CaseIterable { case stop, skip }

  var servingPlace = ServingPlace.address(host: [], port: 0)
  /// The operand, for messages.
  var place = ""

  /// Whether events are served as they come, without a document.
  var isPlain = false
  private var streamFrom: SourcePointer?
  private var maxStreams = 0
  private var selected: JSONPointer?
  /// The types of the events that bring a document and a patch.
  var dataEvent = DocumentEvent([])
  var patchEvent = DocumentEvent([])
  var addsIDs = false
  /// Where the data of an event has an ID, for events without one; nil for nowhere.
  var idFrom: JSONPointer?
  var errorAction = ErrorAction.stop
  var replay = Replay.events(0)
  /// 0 turns it off.
  var catchUp = 0.0
  /// 0 for no comments.
  private var keepaliveTime = 0.0
  /// For the field `retry`, which tells clients when to reconnect; nil for none.
  var retry: Double?

  /// The most bytes of new events that may wait for a client, before it is dropped.
  var clientBuffer = 0
  var maxClients = 0
  /// Whether it is an error if the limit of open files allows fewer.
  var isMaxClientsGiven = false
  /// Whether clients that accept gzip get it.
  var compresses = false
  /// Web pages of these origins may read; `*` stands for any.
  var allowedOrigins: [[UInt8]] = []
  private var tokenFile: [UInt8]?
  var token: [UInt8]?
  /// Whether the token may come in the query: an `EventSource` of a browser cannot send headers.
  var takesTokenFromQuery = false
  /// In the form that `HostList.name(of:)` returns.
  var serverNames: [[UInt8]] = []

  /// Whether clients can connect only after the note `live`.
  var waitsUntilReady = false
  var portFile: [UInt8]?
  /// Permission bits.
  var socketMode: UInt32 = 0
  var socketOwner: FileOwner?
  var keepsServing = false
  var isVerbose = false

  var patching = PatchOptions()

  static let rows = OptionRows<Self> {
    OptionGroup("Options for the stream")
    Option("plain", \.isPlain, "serve any events; there is no document")
    Option("stream-from", .sourcePointer, \.streamFrom, "serve a stream for each value of this member")
    Option("select", letter: "p", .pointer("/results"), \.selected, "answer /snapshot with only this value")
      .meaningless(with: \.isPlain)
    Option("data-event", .documentEvent, "the event that brings a document") { $0.dataEvent = $1 }.default("data")
      .meaningless(with: \.isPlain)
    Option("patch-event", .documentEvent, "the event that brings a patch") { $0.patchEvent = $1 }.default("patch")
      .meaningless(with: \.isPlain)
    Option("add-ids", \.addsIDs, "give an ID to events that have none")
    Option("id-from", .pointer("/id"), \.idFrom, "where to find an ID for events that have none").excludes(\.addsIDs)
    Option("on-error", .choice, \.errorAction, "what to do with a malformed record").default("stop")
    Option("replay", .replay, "events or bytes to keep for reconnecting clients") { $0.replay = $1 }.default("1M")
    Option("catch-up", .seconds, "wait this long for an event a client has seen") { $0.catchUp = $1 }.default("0")
    Option("keepalive", .seconds, "send a comment after this long without data") { $0.keepaliveTime = $1 }.default("15")
    Option("retry", .delay, \.retry, "tell clients to wait this long before reconnecting")

    OptionGroup("Options for clients")
    Option("client-buffer", .size, "drop a client when more data waits for it") { $0.clientBuffer = $1 }.default("1M")
    Option("max-clients", .integer(1...1_000_000), \.maxClients, "serve at most N clients at a time").default("10000")
    Option("gzip", \.compresses, "compress streams for clients that accept it")
    Option("allow-origin", .origin, \.allowedOrigins, "let web pages of this origin read; * for any")
    Option("token-file", .tokenFile, \.tokenFile, "serve only clients with the bearer token in FILE")
    Option("token-query", \.takesTokenFromQuery, "take the token from the URL too, as ?access_token=")
      .needs(\.tokenFile)
    Option("server-name", .host, \.serverNames, "answer requests for this host; repeatable")

    OptionGroup("Options for start and end")
    Option("wait-ready", \.waitsUntilReady, "accept clients after the note 'live' in the input")
    Option("port-file", .wholeFile, \.portFile, "write the port to FILE when clients can connect")
    Option("socket-mode", .mode, \.socketMode, "the permissions of the socket of unix:PATH").default("600")
    Option("socket-owner", .owner, \.socketOwner, "who gets the socket of unix:PATH")
    Option("keep-serving", \.keepsServing, "keep serving after the input ends, until a signal")
    Option("verbose", letter: "v", \.isVerbose, "report clients on standard error")

    OptionGroup.limits
    Option("max-sources", .integer(1...), "the most streams") { $0.maxStreams = $1 }.default("10000")
      .needs(\.streamFrom)
    Option("max-depth", .integer(1...Int(Int32.max)), "the deepest nesting of records and document") {
      $0.patching.maxDepth = $1
    }
    .default("10000")
    Option("max-size", .size, \.patching.maxSize, "the most bytes of a record and of the document").default("1G")
  }
}

extension OptionType<Options.Replay> {
  /// A number of events, or a number of bytes with a suffix; 0 for none.
  fileprivate static let replay = Self("N|SIZE") { bytes throws(OptionRefusal) in
    let isSize = bytes.last.map { "KMG".utf8.contains($0 & 0xDF) } ?? false
    do {
      return try isSize
        ? .bytes(OptionType<Int>.size(bytes)) : .events(OptionType<Int>.integer(0...1_000_000_000, in: bytes))
    } catch {
      throw .expected("a number of events, or a size such as 512K, 64M or 2G", found: bytes)
    }
  }
}

extension OptionType<[UInt8]> {
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

  /// A host in the form that `HostList` compares.
  fileprivate static let host = Self("NAME") { bytes throws(OptionRefusal) in
    guard let name = HostList.name(ofAddress: bytes) else {
      throw .expected("a host name such as feed.example.com, without a port", found: bytes)
    }
    return name
  }
}

extension OptionType<UInt32> {
  /// Permission bits.
  fileprivate static let mode = Self("MODE") { bytes throws(OptionRefusal) in
    guard 1...4 ~= bytes.count, bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }),
      let mode = UInt32(String(decoding: bytes, as: UTF8.self), radix: 8), mode <= 0o777
    else { throw .expected("permissions in octal, such as 660", found: bytes) }
    return mode
  }
}

extension OptionType<FileOwner> {
  /// A user and a group of this system.
  fileprivate static let owner = Self("USER[:GROUP]") { bytes throws(OptionRefusal) in
    do throws(FileOwner.OwnerProblem) { return try FileOwner(bytes) } catch {
      switch error {
      case .malformed: throw .expected("a user, USER:GROUP or :GROUP", found: bytes)
      case .unknown(let kind, let name): throw OptionRefusal("there is no \(kind) '\(quoted(name))'")
      }
    }
  }
}

extension Options {
  /// The part of the document that /snapshot has; the whole one by default.
  var select: JSONPointer { selected ?? JSONPointer() }
  var skipsErrors: Bool { errorAction == .skip }
  /// Infinite for no comments.
  var keepalive: Double { keepaliveTime > 0 ? keepaliveTime : .infinity }
  /// The streams by the member that tells them apart; nil if there is only one.
  var sources: SourceIndex? {
    streamFrom.map { SourceIndex(by: $0, limit: maxStreams, options: ("--stream-from", "--max-sources")) }
  }

  init(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) {
    self.init()
    try invocation.fill(&self)
    (servingPlace, place) = try ServingPlace.parse(invocation.operands)
    isMaxClientsGiven = invocation.isGiven(\Options.maxClients)
    token = try tokenFile.map { (path) throws(ToolFailure) in
      let file = InputFile(path)
      return try file.token(in: file.readAll(streams, limit: 1 << 16, option: "--token-file"))
    }
    if servingPlace.isSocketFile {
      if portFile != nil { throw Self.noPort }
    } else if invocation.isGiven(\Options.socketMode) || socketOwner != nil {
      let name = socketOwner == nil ? "socket-mode" : "socket-owner"
      throw .usage("option '--\(name)' needs unix:PATH in place of a port")
    }
  }

  /// --port-file where there is no port.
  static let noPort = ToolFailure.usage("option '--port-file' has no meaning with a Unix domain socket")

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
