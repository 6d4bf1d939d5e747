// ws-cat's options: the table, and the settings that they make.

import FeedCore
import FeedHTTP

let wsCat = ToolSpec(
  "ws-cat", "Speak WebSocket: send lines as messages, print messages as records",
  synopsis: ["[options] URL"], operands: .none, readsURL: { _ in true }, options: Flag.self,
  // The request is always a GET of HTTP/1.1, and its answer is not compressed. libcurl, which knows Digest and signatures,
  // does not make it. Redirects are followed only with
  // --follow-redirects: curl's --location changes nothing in other tools, so it cannot mean that here.
  sharing: EndOption.rows(without: [.until]) { $0 } + StampOption.rows { $0.meaningless(with: "raw") }
    + ConnectionOption.rows(without: [.reconnect]) { $0.meaningless(with: "raw") }
    + HTTPOption.rows(
      without: HTTPOption.bodies + [
        .request, .digest, .awsSigV4, .http1, .http2, .location, .fail, .compressed,
      ]))

enum Flag: ToolOption {
  case eventFrom, event, drop, idFrom, inflate, binaryAs, dataAs, raw, null
  case send, resend, sendAfter, sendEvery, onExit, binary, crlf, recordsIn, closeAfter
  case limit
  case subprotocol, origin, compress, noContextTakeover, pingInterval, pingTimeout, closeCode
  case maxSize
  case followRedirects

  var group: OptionGroup {
    switch self {
    case .eventFrom, .event, .drop, .idFrom, .inflate, .binaryAs, .dataAs, .raw, .null: .output
    case .send, .resend, .sendAfter, .sendEvery, .onExit, .binary, .crlf, .recordsIn, .closeAfter:
      OptionGroup("Options for sending")
    case .limit: .ending
    case .followRedirects: HTTPOption.location.group
    case .subprotocol, .origin, .compress, .noContextTakeover, .pingInterval, .pingTimeout,
      .closeCode:
      .connection
    case .maxSize: .limits
    }
  }

  var spec: OptionSpec {
    switch self {
    case .eventFrom: OptionSpec("event-from", .pointer("/type"), "where to find the event name in a message")
    case .event: OptionSpec("event", "e", .text("NAME"), "print only events of this type; repeatable").repeating
    case .drop: OptionSpec("drop", .text("NAME"), "do not print events of this type; repeatable").repeating
    case .idFrom:
      OptionSpec("id-from", .pointer("/id"), "where to find the ID in a message").meaningless(with: "raw")
    case .inflate: OptionSpec("inflate", .choice(MessageCoding.self), "unpack binary messages in this format")
    case .binaryAs:
      OptionSpec("binary-as", .choice(BinaryForm.self), "what a binary message that is UTF-8 becomes").default("base64")
    case .dataAs:
      OptionSpec("data-as", .choice(PayloadForm.self), "how records hold the data").default("auto")
        .meaningless(with: "raw")
    case .raw: OptionSpec("raw", "r", "print only the message, as it came")
    case .null: OptionSpec("null", "0", "end the message with NUL in place of a newline").needs("raw")
    case .send: OptionSpec("send", .message, "send this on every connection; repeatable").repeating
    case .resend:
      OptionSpec("resend", .condition, "send input with this value on new connections too; repeatable").repeating
        .excludes("binary", "no-reconnect")
    case .sendAfter: OptionSpec("send-after", .condition, "send nothing before a message with this value")
    case .sendEvery: OptionSpec("send-every", .repeated, "send this at regular intervals; repeatable").repeating
    case .onExit: OptionSpec("on-exit", .message, "send this before closing; repeatable").repeating
    case .binary: OptionSpec("binary", "send the lines as binary messages").excludes("records-in")
    case .crlf: OptionSpec("crlf", "lines end in CR LF: do not send the CR").excludes("records-in")
    case .recordsIn: OptionSpec("records-in", "read event records in place of lines")
    case .closeAfter:
      OptionSpec("close-after", .seconds, "after all input is sent, close when nothing comes for this long")
    case .limit:
      OptionSpec("limit", "n", .integer(1...Int.max), "end after printing N events").synonym("max-events")
    case .maxSize:
      OptionSpec("max-size", .size, "the most bytes of a message").default("64M").synonym("max-message")
    case .subprotocol: OptionSpec("subprotocol", .subprotocol, "offer this subprotocol; repeatable").repeating
    case .origin: OptionSpec("origin", .origin, "send this Origin header")
    case .followRedirects:
      OptionSpec("follow-redirects", "L", "follow redirects of the handshake").mistaken(for: "location")
    case .compress: OptionSpec("compress", "offer to compress messages, in both directions")
    case .noContextTakeover:
      OptionSpec("no-context-takeover", "compress each message without those before it").needs("compress")
    case .pingInterval: OptionSpec("ping-interval", .duration, "send a ping this often")
    case .pingTimeout:
      OptionSpec("ping-timeout", .duration, "how long to wait for data after a ping").needs("ping-interval")
    case .closeCode: OptionSpec("close-code", .closeCode, "close with this code").default("1000")
    }
  }
}

extension OptionType {
  /// A text message. Error messages do not quote it: it may hold a token.
  fileprivate static let message = OptionType("TEXT") { bytes throws(OptionRefusal) in try text(bytes) }

  fileprivate static let repeated = OptionType("SECONDS=TEXT") { bytes throws(OptionRefusal) in
    let seconds = Array(bytes.prefix { $0 != UInt8(ascii: "=") })
    guard bytes.count > seconds.count, let interval = try? time(seconds), interval > 0 else {
      throw .expected("SECONDS=TEXT such as 30=ping")
    }
    return Options.Repeated(interval: interval, text: try text(Array(bytes.dropFirst(seconds.count + 1))))
  }

  fileprivate static let subprotocol = text("NAME", "a name such as graphql-ws") {
    !$0.isEmpty && $0.allSatisfy(\.isTokenByte)
  }

  fileprivate static let origin = text("ORIGIN", "an origin such as https://example.com") {
    !$0.isEmpty && isSendable($0)
  }

  fileprivate static let closeCode = OptionType("CODE") { bytes throws(OptionRefusal) in
    let code = try integer(1000...4999, in: bytes)
    guard CloseCode.isSendable(code) else {
      throw .expected("1000 to 1003, 1007 to 1014, or 3000 to 4999", found: bytes)
    }
    return code
  }

  private static func text(_ bytes: [UInt8]) throws(OptionRefusal) -> [UInt8] {
    guard UTF8Check.firstInvalid(bytes.span) == nil else {
      throw OptionRefusal("a text message must be valid UTF-8")
    }
    return bytes
  }
}

/// The settings of a command line. Numbers that have a default get it from the table.
struct Options {
  /// A text that is sent at intervals.
  struct Repeated {
    /// In seconds.
    let interval: Double
    let text: [UInt8]
  }

  let url: WebSocketURL
  var eventFrom: JSONPointer?
  var events: [[UInt8]] = []
  var dropped: [[UInt8]] = []
  var idFrom: JSONPointer?
  var inflates: MessageCoding?
  var binaryForm = BinaryForm.base64
  var dataForm = PayloadForm.auto
  var isRaw = false
  var endsWithNull = false
  let stamp: RecordStamp
  var sent: [[UInt8]] = []
  /// Which messages of the input every new connection sends again.
  var resent: [Condition] = []
  var sendAfter: Condition?
  var repeated: [Repeated] = []
  var onExit: [[UInt8]] = []
  var isBinary = false
  var dropsReturns = false
  var readsRecords = false
  /// In seconds, after the input has ended and all of it has been sent.
  var closeAfter: Double?
  var limit = Int.max
  let ends: EndMarks
  var maxSize = 0
  var subprotocols: [[UInt8]] = []
  var origin: [UInt8]?
  var followsRedirects = false
  private var forgetsMessages = false
  /// The offer of compression in the handshake; nil for none.
  var compression: PerMessageDeflate?
  /// In seconds, like all times here.
  var pingInterval: Double?
  var pingTimeout: Double?
  var closeCode = CloseCode.normal
  let connection: ConnectionOptions
  let http: HTTPOptions

  init(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) {
    url = try WebSocketURL(operands: invocation.operands)
    http = try HTTPOptions(invocation, streams)
    // As in curl, who trusts redirects wants them to be followed.
    followsRedirects = http.trustsRedirects
    connection = try ConnectionOptions(invocation, reconnects: true, resumes: false)
    stamp = try RecordStamp(invocation)
    ends = try EndMarks(invocation)
    for (flag, value) in try invocation.options(Flag.self) { try set(flag, value) }
    if forgetsMessages { compression = PerMessageDeflate(serverKeepsWindow: false, clientKeepsWindow: false) }
    try refuseReservedHeaders(http)
  }

  private mutating func set(_ flag: Flag, _ value: OptionValue) throws(ToolFailure) {
    switch flag {
    case .eventFrom: eventFrom = try value.get()
    case .event: events.append(value.bytes)
    case .drop: dropped.append(value.bytes)
    case .idFrom: idFrom = try value.get()
    case .inflate: inflates = try value.get()
    case .binaryAs: binaryForm = try value.get()
    case .dataAs: dataForm = try value.get()
    case .raw: isRaw = true
    case .null: endsWithNull = true
    case .send: sent.append(value.bytes)
    case .resend: resent.append(try value.get())
    case .sendAfter: sendAfter = try value.get()
    case .sendEvery: repeated.append(try value.get())
    case .onExit: onExit.append(value.bytes)
    case .binary: isBinary = true
    case .crlf: dropsReturns = true
    case .recordsIn: readsRecords = true
    case .closeAfter: closeAfter = try value.get()
    case .limit: limit = try value.get()
    case .maxSize: maxSize = try value.get()
    case .subprotocol: subprotocols.append(value.bytes)
    case .origin: origin = value.bytes
    case .followRedirects: followsRedirects = true
    case .compress: compression = PerMessageDeflate()
    case .noContextTakeover: forgetsMessages = true
    case .pingInterval: pingInterval = try value.get()
    case .pingTimeout: pingTimeout = try value.get()
    case .closeCode: closeCode = try value.get()
    }
  }

  /// What is missing before anything is sent, for the end of a message; empty without `--send-after`.
  var helloProblem: String {
    guard let sendAfter else { return "" }
    return ": no message with '\(quoted(sendAfter.text))' has come (--send-after)"
  }

  /// Refuses the headers that ws-cat sets itself in the handshake.
  func refuseReservedHeaders(_ http: HTTPOptions) throws(ToolFailure) {
    for header in http.request(url.http).headers {
      let name = header.name.lowercased()
      guard OpeningRequest.reserved.contains(name) || name.hasPrefix(OpeningRequest.reservedPrefix) else { continue }
      let hint = name == "sec-websocket-protocol" ? " (--subprotocol)" : ""
      throw .usage("option '--header': '\(header.name)' is part of the handshake and cannot be set\(hint)")
    }
  }
}
