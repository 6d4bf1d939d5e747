// sse-cat's options: the table, and the settings that they make.

import FeedCore
import FeedHTTP

package let sseCat = ToolSpec(
  "sse-cat", "Print an event stream, one record a line, and stay connected",
  synopsis: ["[options] URL", "[options] [FILE]"], readsURL: FeedSource.isURL, options: Options.self)

/// The settings of a command line.
struct Options: OptionTable {
  var source = FeedSource.file(.standardInput)
  var isRaw = false
  var printsStream = false
  /// Where the string is that is printed of each event; nil if more of it is printed.
  var printed: JSONPointer?
  var dataForm = PayloadForm.auto
  var endsWithNull = false
  var showsComments = false
  var stamp = RecordStamp()
  var from = EventPointers()
  var types: [[UInt8]] = []
  var limit = Int.max
  var ends = EndMarks()
  var maxSize = 0
  var givenID: [UInt8]?
  var lastEventID: [UInt8] = []
  var checkpointFile: [UInt8]?
  var resumeFile: [UInt8]?
  var checkpoint = CheckpointKeeper()
  var keepsCheckpoint: Bool { checkpointFile != nil }
  var connection = ConnectionOptions()
  var http = HTTPOptions()

  static let rows = OptionRows<Self> {
    OptionGroup.output
    EventPointers.eventFrom.within(\.from)
    Option("event", letter: "e", .text("NAME"), \.types, "print only events of this type; repeatable")
    EventPointers.idFrom.within(\.from).excludes(\.resumeFile).meaningless(with: [\.isRaw, \.printed])
    Option("data-as", .choice, "how records hold the data") { $0.dataForm = $1 }.default("auto")
      .meaningless(with: [\.isRaw, \.printsStream, \.printed])
    Option("raw", letter: "r", \.isRaw, "print only the data, as it came").excludes([\.printsStream, \.showsComments])
    Option("null", letter: "0", \.endsWithNull, "end the data with NUL in place of a newline").needs(\.isRaw)
    Option("print", .pointer("/choices/0/delta/content"), \.printed, "print only the string here, as it is")
      .excludes([\.isRaw, \.printsStream, \.showsComments])
    Option("sse", \.printsStream, "print an event stream again, in canonical form")
    Option("comments", \.showsComments, "print comments too")

    OptionGroup.ending
    Option("limit", letter: "n", .integer(1...), \.limit, "end after printing N events")

    OptionGroup("Options for resuming")
    Option("last-event-id", .eventID, \.givenID, "ask for the events after this one")
    Option("checkpoint", .wholeFile, \.checkpointFile, "resume from FILE, and keep it up to date")
    Option("resume-from", .file, \.resumeFile, "resume from a checkpoint without changing it")

    OptionGroup.limits
    Option("max-size", .size, "the most bytes of an event's data") { $0.maxSize = $1 }.default("64M")

    OptionGroup.ending
    EndMarks.rows().within(\.ends)
    OptionGroup.output
    RecordStamp.rows(\.stamp) { $0.meaningless(with: [\.isRaw, \.printsStream, \.printed]) }
    ConnectionOptions.rows(\.connection) { $0.meaningless(with: [\.isRaw, \.printsStream, \.printed]) }
    HTTPOptions.rows(\.http) { $0.excludes(\.connection.isVerbose) }
  }
}

extension OptionType<[UInt8]> {
  fileprivate static let eventID = Self("ID") { bytes throws(OptionRefusal) in
    let longest = EventSubscription.longestID
    guard bytes.count <= longest else { throw .expected("an ID of at most \(longest) bytes") }
    guard isSendable(bytes), String(validating: bytes, as: UTF8.self) != nil else {
      throw .expected("an ID without control characters, in UTF-8", found: bytes)
    }
    return bytes
  }
}

extension Options {
  /// What is printed of an event.
  enum Format { case records, raw, sse, string }

  var format: Format { isRaw ? .raw : printsStream ? .sse : printed != nil ? .string : .records }

  /// Whether the name, the ID, the output or the end depends on the contents of the data.
  var looksInside: Bool { from.looksInside || ends.looksInside || printed != nil }

  init(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) {
    let operand = try FeedSource(invocation.operands)
    self.init()
    try invocation.fill(&self)
    try http.load(streams)
    source = try http.completed(operand)
    connection.settle(reconnects: http.isPlainGet)
    checkpoint = try CheckpointKeeper(checkpointFile, hint: " (--resume-from only reads it)")
    if let givenID {
      lastEventID = givenID
    } else if let resumeFile {
      lastEventID = try Checkpoint.read(resumeFile)?.id ?? []
    } else {
      lastEventID = try checkpoint.saved()?.id ?? []
    }
  }
}
