// ws-cat's options: the table, and the settings that they make.

import FeedCore
import FeedHTTP

package let wsCat = ToolSpec(
  "ws-cat", "Speak WebSocket: send lines as messages, print messages as records",
  synopsis: ["[options] URL"], operands: .none, readsURL: { _ in true }, options: Options.self)

/// The settings of a command line. Times are in seconds.
struct Options: OptionTable {
  /// A message that is sent at intervals, in seconds.
  typealias Repeated<Message> = (interval: Double, message: Message)

  let url: WebSocketURL

  var from = EventPointers()
  var events: [[UInt8]] = []
  var dropped: [[UInt8]] = []
  var inflates: MessageCoding?
  var binaryForm = BinaryForm.base64
  var dataForm = PayloadForm.auto
  var isRaw = false
  var endsWithNull = false
  var stamp = RecordStamp()

  private var typedTalk: [Talk.Argument] = []
  private(set) var talk = Talk()
  /// Which messages of the input every new connection sends again.
  var resent: [Condition] = []
  private var typedRepeated: [Repeated<TypedMessage>] = []
  private(set) var repeated: [Repeated<OutgoingMessage>] = []
  private var typedOnExit: [TypedMessage] = []
  private(set) var onExit: [OutgoingMessage] = []
  var isBinary = false
  var readsRecords = false
  /// After the input has ended and all of it has been sent.
  var closeAfter: Double?

  var limit = Int.max
  var ends = EndMarks()
  var next = NextOptions()
  var checkpoint: [UInt8]?
  var resumeFile: [UInt8]?
  var subprotocols: [[UInt8]] = []
  private var offersCompression = false
  var pingInterval: Double?
  var maxSize = 0
  private var wantsRedirects = false
  var connection = ConnectionOptions()
  var http = HTTPOptions()

  static let rows = OptionRows<Self> {
    OptionGroup.output
    EventPointers.eventFrom.within(\.from)
    Option("event", letter: "e", .text("NAME"), \.events, "print only events of this type; repeatable")
    Option("drop", .text("NAME"), \.dropped, "do not print events of this type; repeatable")
    EventPointers.idFrom.within(\.from).meaningless(with: \.isRaw).excludes(\.resumeFile)
    Option("inflate", .choice, \.inflates, "unpack binary messages in this format")
    Option("binary-as", .choice, "what a binary message that is UTF-8 becomes") { $0.binaryForm = $1 }.default("base64")
    Option("data-as", .choice, "how records hold the data") { $0.dataForm = $1 }.default("auto").meaningless(
      with: \.isRaw)
    Option("raw", letter: "r", \.isRaw, "print only the message, as it came")
    Option("null", letter: "0", \.endsWithNull, "end the message with NUL in place of a newline").needs(\.isRaw)

    OptionGroup("Options for sending")
    Option("send", .message, \.typedTalk, "send this on every connection; repeatable") { $0.append(.send($1)) }
      .repeating.inFiles
    Option("send-after", .condition, \.typedTalk, "send what follows after a message with this value; repeatable") {
      $0.append(.sendAfter($1))
    }
    .repeating.inFiles
    Option("reply-to", .condition, \.typedTalk, "answer each message with this value; repeatable") {
      $0.append(.replyTo($1))
    }
    .repeating.inFiles
    Option("reply", .message, \.typedTalk, "the answer to it; repeatable") { $0.append(.reply($1)) }.repeating.inFiles
    Option("resend", .condition, \.resent, "send input with this value on new connections too; repeatable")
      .excludes([\.isBinary, \.connection.wantsReconnect]).inFiles
    Option("send-every", .repeated, \.typedRepeated, "send this at regular intervals; repeatable").inFiles
    Option("on-exit", .message, \.typedOnExit, "send this before closing; repeatable").inFiles
    Option("binary", \.isBinary, "send lines and files as binary messages")
    Option("records-in", \.readsRecords, "read event records in place of lines")
    Option("close-after", .seconds, \.closeAfter, "after all input is sent, close when nothing comes for this long")

    OptionGroup.ending
    Option("limit", letter: "n", .integer(1...), \.limit, "end after printing N events")

    OptionGroup("Options for resuming")
    NextOptions.rows(isHandshake: true).within(\.next)
    Option("checkpoint", .wholeFile, \.checkpoint, "resume from FILE, and keep it up to date").needs(\.next.rules)
    Option("resume-from", .file, \.resumeFile, "resume from a checkpoint without changing it").needs(\.next.rules)
      .excludes(\.checkpoint)

    OptionGroup.connection
    Option("subprotocol", .subprotocol, \.subprotocols, "offer this subprotocol; repeatable")
    Option("compress", \.offersCompression, "offer to compress messages, in both directions")
    Option("ping-interval", .duration, \.pingInterval, "send a ping this often, and expect data in that time")

    OptionGroup.limits
    Option("max-size", .size, "the most bytes of a message") { $0.maxSize = $1 }.default("64M")

    HTTPOptions.group
    Option("location", letter: "L", \.wantsRedirects, "follow redirects of the handshake")

    OptionGroup.ending
    EndMarks.rows(hasData: false).within(\.ends)
    OptionGroup.output
    RecordStamp.rows(\.stamp) { $0.meaningless(with: \.isRaw) }
    ConnectionOptions.rows(\.connection, hasReconnect: false) { $0.meaningless(with: \.isRaw) }
    HTTPOptions.rows(\.http, isHandshake: true) { $0.excludes(\.connection.isVerbose) }
  }

  init(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) {
    url = try WebSocketURL(operands: invocation.operands)
    try invocation.fill(&self)
    try http.load(streams)
    let (isBinary, limit) = (isBinary, maxSize)
    let load = { (message: TypedMessage) throws(ToolFailure) in
      try message.load(isBinary: isBinary, maxSize: limit, streams)
    }
    talk = try Talk(typedTalk, load: load)
    onExit = try typedOnExit.map(load)
    repeated = try typedRepeated.map { (each) throws(ToolFailure) in (each.interval, try load(each.message)) }
    connection.settle(reconnects: true, resumes: !next.rules.isEmpty)
    try refuseReservedHeaders(http)
  }
}

extension OptionType<Options.Repeated<TypedMessage>> {
  fileprivate static let repeated = Self("SECONDS=TEXT") { bytes throws(OptionRefusal) in
    let seconds = Array(bytes.prefix { $0 != UInt8(ascii: "=") })
    guard bytes.count > seconds.count, let interval = try? OptionType<Double>.time(seconds), interval > 0 else {
      throw .expected("SECONDS=TEXT such as 30=ping")
    }
    return (interval, try TypedMessage(Array(bytes.dropFirst(seconds.count + 1))))
  }
}

extension OptionType<[UInt8]> {
  fileprivate static let subprotocol = text("NAME", "a name such as graphql-ws") {
    !$0.isEmpty && $0.allSatisfy(\.isTokenByte)
  }
}

extension Options {
  /// As in curl, who trusts redirects wants them to be followed.
  var followsRedirects: Bool { wantsRedirects || http.trustsRedirects }

  /// The offer of compression in the handshake; nil for none.
  var compression: PerMessageDeflate? { offersCompression ? PerMessageDeflate() : nil }

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
