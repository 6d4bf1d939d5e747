// What the options of a command line come to.

import FeedCore
import FeedHTTP

struct Options {
  /// A text that is sent again and again.
  struct Repeated {
    /// In seconds.
    let interval: Double
    let text: [UInt8]
  }

  let url: WebSocketURL
  var eventFrom: JSONPointer?
  var events: [[UInt8]] = []
  var dropped: [[UInt8]] = []
  var dataForm = PayloadForm.auto
  var isRaw = false
  var endsWithNull = false
  var showsTime = false
  var sent: [[UInt8]] = []
  var sendAfter: Condition?
  var repeated: [Repeated] = []
  var onExit: [[UInt8]] = []
  var isBinary = false
  var dropsReturns = false
  var readsRecords = false
  var halfCloses = false
  var maxEvents = Int.max
  var until: Condition?
  var maxMessage = 64 << 20
  var subprotocols: [[UInt8]] = []
  var origin: [UInt8]?
  /// In seconds, as all times here.
  var pingInterval: Double?
  var pingTimeout: Double?
  var closeCode = CloseCode.normal
  var rules = Reconnection.Rules()
  var idleTimeout: Double?
  var isVerbose = false
  var http = HTTPOptions()

  init(_ invocation: Invocation<Flag>, _ streams: StandardStreams) throws(ToolError) {
    url = try WebSocketURL(operands: invocation.operands)
    for (flag, bytes) in invocation.options { try take(flag, bytes, streams) }
    try refuseContradictions(invocation.options.map(\.option))
    try refuseReservedHeaders(http)
  }

  private mutating func take(_ flag: Flag, _ bytes: [UInt8], _ streams: StandardStreams) throws(ToolError) {
    let value = OptionValue(bytes, of: flag.spec)
    switch flag {
    case .eventFrom: eventFrom = try value.pointer(example: "/type")
    case .event: events.append(bytes)
    case .drop: dropped.append(bytes)
    case .dataAs: dataForm = PayloadForm(rawValue: value.text) ?? .auto
    case .raw: isRaw = true
    case .null: endsWithNull = true
    case .time: showsTime = true
    case .send: sent.append(try Self.text(value))
    case .sendAfter: sendAfter = try Self.condition(value)
    case .sendEvery: repeated.append(try Self.repeated(value))
    case .onExit: onExit.append(try Self.text(value))
    case .binary: isBinary = true
    case .crlf: dropsReturns = true
    case .recordsIn: readsRecords = true
    case .halfClose: halfCloses = true
    case .maxEvents: maxEvents = try value.integer(1...(.max))
    case .untilMatch: until = try Self.condition(value)
    case .maxTime: rules.maxTime = try Self.duration(value)
    case .maxMessage: maxMessage = try value.size()
    case .subprotocol:
      guard !bytes.isEmpty, bytes.allSatisfy(isTokenByte) else { throw value.refused("a name such as graphql-ws") }
      subprotocols.append(bytes)
    case .origin:
      guard !bytes.isEmpty, isSendable(bytes) else { throw value.refused("an origin such as https://example.com") }
      origin = bytes
    case .pingInterval: pingInterval = try Self.duration(value)
    case .pingTimeout: pingTimeout = try Self.duration(value)
    case .closeCode:
      closeCode = try value.integer(1000...4999)
      guard CloseCode.isSendable(closeCode) else { throw value.refused("1000 to 1003, 1007 to 1014, or 3000 to 4999") }
    case .reconnectDelay: rules.delay = Double(try value.integer(0...1_000_000_000)) / 1000
    case .retries: rules.retries = try value.integer(0...(.max))
    case .retryStatus:
      guard let set = StatusSet(bytes) else { throw value.refused("HTTP statuses such as 429,5xx, or none") }
      rules.retryStatus = set
    case .noReconnect: rules.reconnects = false
    case .idleTimeout: idleTimeout = try Self.duration(value)
    case .verbose: isVerbose = true
    case .http(let option): try http.take(option, bytes, streams)
    }
  }

  // MARK: Values

  private static func duration(_ value: OptionValue) throws(ToolError) -> Double {
    let seconds = try value.seconds()
    guard seconds > 0 else { throw value.refused("more than 0 seconds") }
    return seconds
  }

  /// A text message. What it says is not quoted: it may hold a token.
  private static func text(_ value: OptionValue) throws(ToolError) -> [UInt8] {
    guard UTF8Check.firstInvalid(value.bytes.span) == nil else {
      throw .usage("option '--\(value.spec.name)': a text message must be valid UTF-8")
    }
    return value.bytes
  }

  private static func condition(_ value: OptionValue) throws(ToolError) -> Condition {
    if let condition = Condition(value.bytes) { return condition }
    if let cut = value.bytes.firstIndex(of: UInt8(ascii: "=")) {
      _ = try value.pointer(example: "/type", in: Array(value.bytes[..<cut]))
    }
    throw value.refused(Condition.expected)
  }

  private static func repeated(_ value: OptionValue) throws(ToolError) -> Repeated {
    let seconds = OptionValue(Array(value.bytes.prefix { $0 != UInt8(ascii: "=") }), of: value.spec)
    guard value.bytes.count > seconds.bytes.count, let interval = try? duration(seconds) else {
      throw .usage("option '--\(value.spec.name)': expected SECONDS=TEXT such as 30=ping")
    }
    let text = OptionValue(Array(value.bytes.dropFirst(seconds.bytes.count + 1)), of: value.spec)
    return Repeated(interval: interval, text: try Self.text(text))
  }

  // MARK: Contradictions

  private func refuseContradictions(_ given: [Flag]) throws(ToolError) {
    for (flag, other) in [
      (Flag.binary, Flag.recordsIn), (.crlf, .recordsIn), (.dataAs, .raw), (.time, .raw), (.http(.silent), .verbose),
    ]
    where given.contains(flag) && given.contains(other) {
      throw .usage("options '--\(flag.spec.name)' and '--\(other.spec.name)' exclude each other")
    }
    for (flag, other) in [(Flag.null, Flag.raw), (.pingTimeout, .pingInterval)]
    where given.contains(flag) && !given.contains(other) {
      throw .usage("option '--\(flag.spec.name)' needs '--\(other.spec.name)'")
    }
  }

  /// The headers of the handshake are ours.
  func refuseReservedHeaders(_ http: HTTPOptions) throws(ToolError) {
    for header in http.request(url.http).headers {
      let name = header.name.lowercased()
      guard OpeningRequest.reserved.contains(name) || name.hasPrefix(OpeningRequest.reservedPrefix) else { continue }
      let hint = name == "sec-websocket-protocol" ? " (--subprotocol)" : ""
      throw .usage("option '--header': '\(header.name)' is a header of the handshake itself\(hint)")
    }
  }
}
