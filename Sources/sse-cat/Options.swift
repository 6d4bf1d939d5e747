// sse-cat's options: the table.

import FeedCore
import FeedHTTP

let sseCat = ToolSpec(
  "sse-cat", "Print an event stream, one record a line, and stay connected",
  synopsis: ["[options] URL", "[options] [FILE]"],
  foldedHeading: "HTTP options, as curl has them", options: Flag.self)

enum Flag: ToolOption {
  case event, dataAs, raw, null, sse, comments, time
  case maxEvents, until, untilEvent, maxTime, maxEventSize
  case lastEventID, checkpoint, resumeFrom
  case reconnectDelay, retries, retryStatus, reconnect, noReconnect, idleTimeout, verbose
  case http(HTTPOption)

  static let allCases: [Flag] =
    [
      .event, .dataAs, .raw, .null, .sse, .comments, .time, .maxEvents, .until, .untilEvent, .maxTime, .maxEventSize,
      .lastEventID, .checkpoint, .resumeFrom, .reconnectDelay, .retries, .retryStatus, .reconnect, .noReconnect,
      .idleTimeout, .verbose,
    ] + HTTPOption.allCases.map(Flag.http)

  var spec: OptionSpec {
    switch self {
    case .event: OptionSpec("event", "e", .text("NAME"), "print only events of this type; repeatable").repeating
    case .dataAs:
      OptionSpec("data-as", nil, .choice("auto", "json", "text"), "how records hold the data")
    case .raw: OptionSpec("raw", "r", nil, "print the data alone, as it came")
    case .null: OptionSpec("null", "0", nil, "with -r: end each with NUL instead of a new line")
    case .sse: OptionSpec("sse", nil, nil, "print an event stream again, in canonical form")
    case .comments: OptionSpec("comments", nil, nil, "print the comments too")
    case .time: OptionSpec("time", nil, nil, "add the time of arrival to each record")
    case .maxEvents: OptionSpec("max-events", "n", .text("N"), "end after printing N events")
    case .until: OptionSpec("until", nil, .text("TEXT"), "end before an event with exactly this data")
    case .untilEvent: OptionSpec("until-event", nil, .text("NAME"), "end before an event of this type")
    case .maxTime: OptionSpec("max-time", nil, .text("SECONDS"), "end after this time")
    case .maxEventSize: OptionSpec("max-event-size", nil, .text("SIZE"), "the most data of one event (64M)")
    case .lastEventID: OptionSpec("last-event-id", nil, .text("ID"), "ask for what came after this event")
    case .checkpoint: OptionSpec("checkpoint", nil, .file(), "go on from FILE, and keep it up to date")
    case .resumeFrom: OptionSpec("resume-from", nil, .file(), "go on from a checkpoint, which stays as it is")
    case .reconnectDelay: OptionSpec("reconnect-delay", nil, .text("MS"), "milliseconds before reconnecting (3000)")
    case .retries: OptionSpec("retries", nil, .text("N"), "give up when N retries in a row have failed")
    case .retryStatus: OptionSpec("retry-status", nil, .text("LIST"), "HTTP statuses to retry: 429,5xx or none")
    case .reconnect: OptionSpec("reconnect", nil, nil, "reconnect even after a POST")
    case .noReconnect: OptionSpec("no-reconnect", nil, nil, "connect only once")
    case .idleTimeout: OptionSpec("idle-timeout", nil, .text("SECONDS"), "reconnect when nothing comes for this long")
    case .verbose: OptionSpec("verbose", "v", nil, "tell on standard error about connections")
    case .http(let option): option.spec
    }
  }

  /// Whether the option says how to connect, and so has no meaning for a file.
  var needsURL: Bool {
    switch self {
    case .reconnectDelay, .retries, .retryStatus, .reconnect, .noReconnect, .idleTimeout, .verbose, .http: true
    default: false
    }
  }
}
