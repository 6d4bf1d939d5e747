// What the options of a command line come to.

import FeedCore
import FeedHTTP

struct Options {
  enum Format { case records, raw, sse }

  let source: FeedSource
  var format = Format.records
  var dataForm = PayloadForm.auto
  var endsWithNull = false
  var showsComments = false
  var showsTime = false
  var types: [[UInt8]] = []
  var maxEvents = Int.max
  var untilData: [UInt8]?
  var untilType: [UInt8]?
  var maxEventSize = 64 << 20
  var lastEventID: [UInt8] = []
  var checkpoint = CheckpointKeeper()
  var keepsCheckpoint = false
  var rules = Reconnection.Rules()
  var idleTimeout: Double?
  var isVerbose = false
  var http = HTTPOptions()

  init(_ invocation: Invocation<Flag>, _ streams: StandardStreams) throws(ToolError) {
    source = try FeedSource(invocation.operands)
    if case .file = source, let (flag, _) = invocation.options.first(where: { $0.option.needsURL }) {
      throw .usage("option '--\(flag.spec.name)' needs a URL to connect to")
    }
    var givenID: [UInt8]?
    var reconnects: Bool?
    var resumeFrom: [UInt8]?
    var checkpointPath: [UInt8]?
    for (flag, bytes) in invocation.options {
      let value = OptionValue(bytes, of: flag.spec)
      switch flag {
      case .event: types.append(bytes)
      case .dataAs: dataForm = PayloadForm(rawValue: value.text) ?? .auto
      case .raw: format = .raw
      case .null: endsWithNull = true
      case .sse: format = .sse
      case .comments: showsComments = true
      case .time: showsTime = true
      case .maxEvents: maxEvents = try value.integer(1...(.max))
      case .until: untilData = bytes
      case .untilEvent: untilType = bytes
      case .maxTime: rules.maxTime = try Self.duration(value)
      case .maxEventSize: maxEventSize = try value.size()
      case .lastEventID:
        guard bytes.count <= ResumableID.longest else {
          throw .usage("option '--last-event-id': expected an ID of at most \(ResumableID.longest) bytes")
        }
        guard isSendable(bytes), String(validating: bytes, as: UTF8.self) != nil else {
          throw value.refused("an ID without control characters, in UTF-8")
        }
        givenID = bytes
      case .checkpoint: checkpointPath = try value.file()
      case .resumeFrom: resumeFrom = bytes
      case .reconnectDelay: rules.delay = Double(try value.integer(0...1_000_000_000)) / 1000
      case .retries: rules.retries = try value.integer(0...(.max))
      case .retryStatus:
        guard let set = StatusSet(bytes) else { throw value.refused("HTTP statuses such as 429,5xx, or none") }
        rules.retryStatus = set
      case .reconnect: reconnects = true
      case .noReconnect: reconnects = false
      case .idleTimeout: idleTimeout = try Self.duration(value)
      case .verbose: isVerbose = true
      case .http(let option): try http.take(option, bytes, streams)
      }
    }
    rules.reconnects = reconnects ?? http.isPlainGet
    try refuseContradictions(invocation)
    checkpoint = try CheckpointKeeper(checkpointPath)
    keepsCheckpoint = checkpointPath != nil
    if let givenID {
      lastEventID = givenID
    } else if let resumeFrom {
      lastEventID = try Checkpoint.read(resumeFrom)?.id ?? []
    } else {
      lastEventID = try checkpoint.saved()?.id ?? []
    }
  }

  private static func duration(_ value: OptionValue) throws(ToolError) -> Double {
    let seconds = try value.seconds()
    guard seconds > 0 else { throw value.refused("more than 0 seconds") }
    return seconds
  }

  private func refuseContradictions(_ invocation: Invocation<Flag>) throws(ToolError) {
    func isGiven(_ flag: Flag) -> Bool { invocation.options.contains { $0.option == flag } }
    if isGiven(.verbose) && http.isSilent { throw .usage("options '--silent' and '--verbose' exclude each other") }
    if isGiven(.raw) && isGiven(.sse) { throw .usage("options '--raw' and '--sse' exclude each other") }
    if isGiven(.null) && format != .raw { throw .usage("option '--null' needs '--raw'") }
    if isGiven(.comments) && format == .raw { throw .usage("options '--comments' and '--raw' exclude each other") }
    for flag in [Flag.dataAs, .time] where isGiven(flag) && format != .records {
      throw .usage("option '--\(flag.spec.name)' is for records, not for '--\(format == .raw ? "raw" : "sse")'")
    }
  }
}
