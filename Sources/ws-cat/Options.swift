// ws-cat's options: the table.

import FeedCore
import FeedHTTP

let wsCat = ToolSpec(
  "ws-cat", "Speak WebSocket: send lines as messages, print messages as records",
  synopsis: ["[options] URL"], operands: .none,
  foldedHeading: "HTTP options, as curl has them", options: Flag.self)

enum Flag: ToolOption {
  case eventFrom, event, drop, dataAs, raw, null, time
  case send, sendAfter, sendEvery, onExit, binary, crlf, recordsIn, halfClose
  case maxEvents, untilMatch, maxTime, maxMessage
  case subprotocol, origin, pingInterval, pingTimeout, closeCode
  case reconnectDelay, retries, retryStatus, noReconnect, idleTimeout, verbose
  case http(HTTPOption)

  static let allCases: [Flag] =
    [
      .eventFrom, .event, .drop, .dataAs, .raw, .null, .time, .send, .sendAfter, .sendEvery, .onExit, .binary,
      .crlf, .recordsIn, .halfClose, .maxEvents, .untilMatch, .maxTime, .maxMessage, .subprotocol, .origin,
      .pingInterval,
      .pingTimeout, .closeCode, .reconnectDelay, .retries, .retryStatus, .noReconnect, .idleTimeout, .verbose,
    ] + HTTPOption.allCases.filter(\.isForAnyRequest).map(Flag.http)

  var spec: OptionSpec {
    switch self {
    case .eventFrom: OptionSpec("event-from", nil, .text("POINTER"), "where a message has the name of its event")
    case .event: OptionSpec("event", "e", .text("NAME"), "print only events of this type; repeatable").repeating
    case .drop: OptionSpec("drop", nil, .text("NAME"), "print no events of this type; repeatable").repeating
    case .dataAs: OptionSpec("data-as", nil, .choice("auto", "json", "text"), "how records hold the data")
    case .raw: OptionSpec("raw", "r", nil, "print the data alone, as it came")
    case .null: OptionSpec("null", "0", nil, "with -r: end each with NUL instead of a new line")
    case .time: OptionSpec("time", nil, nil, "add the time of arrival to each record")
    case .send: OptionSpec("send", nil, .text("TEXT"), "send this on every connect; repeatable").repeating
    case .sendAfter: OptionSpec("send-after", nil, .text("POINTER=VALUE"), "send nothing before such a message")
    case .sendEvery:
      OptionSpec("send-every", nil, .text("SECONDS=TEXT"), "send this again and again; repeatable").repeating
    case .onExit: OptionSpec("on-exit", nil, .text("TEXT"), "send this before leaving; repeatable").repeating
    case .binary: OptionSpec("binary", nil, nil, "send the lines as binary messages")
    case .crlf: OptionSpec("crlf", nil, nil, "lines may end in CR LF: do not send the CR")
    case .recordsIn: OptionSpec("records-in", nil, nil, "read event records instead of lines")
    case .halfClose: OptionSpec("half-close", nil, nil, "close when the input has ended and was sent")
    case .maxEvents: OptionSpec("max-events", "n", .text("N"), "end after printing N events")
    case .untilMatch: OptionSpec("until-match", nil, .text("POINTER=VALUE"), "end before such a message")
    case .maxTime: OptionSpec("max-time", nil, .text("SECONDS"), "end after this time")
    case .maxMessage: OptionSpec("max-message", nil, .text("SIZE"), "the most data of one message (64M)")
    case .subprotocol: OptionSpec("subprotocol", nil, .text("NAME"), "offer to speak this; repeatable").repeating
    case .origin: OptionSpec("origin", nil, .text("ORIGIN"), "say to come from a page of this origin")
    case .pingInterval: OptionSpec("ping-interval", nil, .text("SECONDS"), "send a ping so often")
    case .pingTimeout: OptionSpec("ping-timeout", nil, .text("SECONDS"), "how long a ping may have no answer")
    case .closeCode: OptionSpec("close-code", nil, .text("CODE"), "what to close with (1000)")
    case .reconnectDelay: OptionSpec("reconnect-delay", nil, .text("MS"), "milliseconds before reconnecting (3000)")
    case .retries: OptionSpec("retries", nil, .text("N"), "give up when N retries in a row have failed")
    case .retryStatus: OptionSpec("retry-status", nil, .text("LIST"), "HTTP statuses to retry: 429,5xx or none")
    case .noReconnect: OptionSpec("no-reconnect", nil, nil, "connect only once")
    case .idleTimeout: OptionSpec("idle-timeout", nil, .text("SECONDS"), "reconnect when nothing comes for this long")
    case .verbose: OptionSpec("verbose", "v", nil, "tell on standard error about connections")
    case .http(let option): option.spec
    }
  }
}

extension HTTPOption {
  /// Whether the option has a meaning for a request that is a GET of HTTP/1.1 and cannot be anything else.
  fileprivate var isForAnyRequest: Bool {
    switch self {
    case .request, .data, .http1, .http2: false
    // Redirects are not followed, and nothing is compressed.
    case .location, .compressed: false
    default: true
    }
  }
}
