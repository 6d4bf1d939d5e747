// sse-cat's options: the table, and the settings that they make.

import FeedCore
import FeedHTTP

let sseCat = ToolSpec(
  "sse-cat", "Print an event stream, one record a line, and stay connected",
  synopsis: ["[options] URL", "[options] [FILE]"], readsURL: FeedSource.isURL, options: Flag.self,
  sharing: EndOption.rows { $0 } + StampOption.rows { $0.meaningless(with: "raw", "sse") }
    + ConnectionOption.rows { $0.meaningless(with: "raw", "sse") } + HTTPOption.rows())

enum Flag: ToolOption {
  case event, dataAs, raw, null, sse, comments
  case limit
  case lastEventID, checkpoint, resumeFrom
  case maxSize

  var group: OptionGroup {
    switch self {
    case .event, .dataAs, .raw, .null, .sse, .comments: .output
    case .limit: .ending
    case .lastEventID, .checkpoint, .resumeFrom: OptionGroup("Options for resuming")
    case .maxSize: .limits
    }
  }

  var spec: OptionSpec {
    switch self {
    case .event: OptionSpec("event", "e", .text("NAME"), "print only events of this type; repeatable").repeating
    case .dataAs:
      OptionSpec("data-as", .choice(PayloadForm.self), "how records hold the data").default("auto")
        .meaningless(with: "raw", "sse")
    case .raw: OptionSpec("raw", "r", "print only the data, as it came").excludes("sse", "comments")
    case .null: OptionSpec("null", "0", "end the data with NUL in place of a newline").needs("raw")
    case .sse: OptionSpec("sse", "print an event stream again, in canonical form")
    case .comments: OptionSpec("comments", "print comments too")
    case .limit:
      OptionSpec("limit", "n", .integer(1...Int.max), "end after printing N events").synonym("max-events")
    case .maxSize:
      OptionSpec("max-size", .size, "the most bytes of an event's data").default("64M").synonym("max-event-size")
    case .lastEventID: OptionSpec("last-event-id", .eventID, "ask for the events after this one")
    case .checkpoint: OptionSpec("checkpoint", .wholeFile, "resume from FILE, and keep it up to date")
    case .resumeFrom: OptionSpec("resume-from", .file, "resume from a checkpoint without changing it")
    }
  }
}

extension OptionType {
  fileprivate static let eventID = OptionType("ID") { bytes throws(OptionRefusal) in
    guard bytes.count <= ResumableID.longest else { throw .expected("an ID of at most \(ResumableID.longest) bytes") }
    guard isSendable(bytes), String(validating: bytes, as: UTF8.self) != nil else {
      throw .expected("an ID without control characters, in UTF-8", found: bytes)
    }
    return bytes
  }
}

/// The settings of a command line. A limit that has a default gets it from the table.
struct Options {
  enum Format { case records, raw, sse }

  let source: FeedSource
  var format = Format.records
  var dataForm = PayloadForm.auto
  var endsWithNull = false
  var showsComments = false
  let stamp: RecordStamp
  var types: [[UInt8]] = []
  var limit = Int.max
  let ends: EndMarks
  var maxSize = 0
  var lastEventID: [UInt8] = []
  var checkpoint = CheckpointKeeper()
  var keepsCheckpoint = false
  let connection: ConnectionOptions
  let http: HTTPOptions

  init(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) {
    let operand = try FeedSource(invocation.operands)
    http = try HTTPOptions(invocation, streams)
    source = try http.completed(operand)
    connection = try ConnectionOptions(invocation, reconnects: http.isPlainGet)
    stamp = try RecordStamp(invocation)
    ends = try EndMarks(invocation)
    var givenID: [UInt8]?
    var resumeFrom: [UInt8]?
    var checkpointPath: [UInt8]?
    for (flag, value) in try invocation.options(Flag.self) {
      switch flag {
      case .event: types.append(value.bytes)
      case .dataAs: dataForm = try value.get()
      case .raw: format = .raw
      case .null: endsWithNull = true
      case .sse: format = .sse
      case .comments: showsComments = true
      case .limit: limit = try value.get()
      case .maxSize: maxSize = try value.get()
      case .lastEventID: givenID = value.bytes
      case .checkpoint: checkpointPath = value.bytes
      case .resumeFrom: resumeFrom = value.bytes
      }
    }
    checkpoint = try CheckpointKeeper(
      checkpointPath, hint: " (--\(Flag.resumeFrom.spec.name) only reads it)")
    keepsCheckpoint = checkpointPath != nil
    if let givenID {
      lastEventID = givenID
    } else if let resumeFrom {
      lastEventID = try Checkpoint.read(resumeFrom)?.id ?? []
    } else {
      lastEventID = try checkpoint.saved()?.id ?? []
    }
  }
}
