// http-cat's options: the table, and the settings that they make.

import FeedCore
import FeedHTTP

package let httpCat = ToolSpec(
  "http-cat", "Print an HTTP resource each time it changes, or one that never ends",
  synopsis: ["[options] URL", "[options] --urls FILE", "--stream [options] URL"], operands: .none,
  readsURL: { _ in true }, options: Options.self)

/// The settings of a command line. Times are in seconds.
struct Options: OptionTable {
  var form = BodyForm.auto
  var printsRecords = false
  var from = EventPointers()
  var between: [UInt8] = []
  var stamp = RecordStamp()

  /// Nil to poll once.
  private(set) var interval: Interval?
  private var jitterPercent = 0
  /// Nil for a value that suits the interval.
  var maxBackoff: Double?
  private var givenTimeout: Double?
  /// The file with URLs.
  private var list: [UInt8]?
  var parallel = 0
  /// Between the starts of two requests to one server.
  var hostDelay = 0.0

  private var isStream = false
  var limit = Int.max
  var ends = EndMarks()
  var next = NextOptions()
  var items: JSONPointer?
  var checkpoint: [UInt8]?
  private(set) var resumeFile: [UInt8]?
  var maxSize = 0
  var maxDepth = 0
  var connection = ConnectionOptions()
  var http = HTTPOptions()

  private(set) var task = Task.list([])
  /// The checkpoint of `--resume-from`, with the id of the last body that the sink has taken.
  var resumed: Checkpoint?

  static let rows = OptionRows<Self> {
    OptionGroup.output
    Option("as", .choice, \.form, "what a body must be").default("auto")
    Option("records", \.printsRecords, "print event records")
    EventPointers.idFrom.within(\.from).needs(\.isStream).needs(\.printsRecords)
    Option("between", .between, \.between, "print this between two connections").default("\\f").needs(\.isStream)
      .excludes(\.printsRecords).meaningless(with: \.form, .lines)

    OptionGroup("Options for polling").meaningless(with: \Options.isStream)
    Option("every", .longPolling, \.interval, "poll this often, or as often as the server says")
    Option("jitter", .integer(0...100, "PERCENT"), "add up to this part of the interval, at random") {
      $0.jitterPercent = $1
    }
    .default("10").needs(\.interval)
    Option("max-backoff", .duration, \.maxBackoff, "the longest wait after failures in a row")
    Option("request-timeout", .duration, \.givenTimeout, "how long a whole response may take")
    Option("urls", .file, \.list, "poll the URLs in FILE (lines of name, tab, URL)").excludes(\.stamp.source)
    Option("parallel", .integer(1...1000), "how many requests may run at once") { $0.parallel = $1 }.default("16")
      .needs(\.list)
    Option("delay", .seconds, "wait this long between two requests to one server") { $0.hostDelay = $1 }.default(
      "1"
    )
    .needs(\.list)

    OptionGroup("Options for streaming")
    Option("stream", \.isStream, "print one body as it comes, and reconnect").meaningless(with: \.form, .json)

    OptionGroup.ending
    Option("limit", letter: "n", .integer(1...), \.limit, "end after N bodies, or N lines of a stream")
      .meaningless(with: \.between)

    OptionGroup("Options for resuming")
    NextOptions.rows().within(\.next)
    Option("items", .pointer("/items"), \.items, "where the items are in a body or line").needs(\.next.rules)
    Option("checkpoint", .wholeFile, \.checkpoint, "resume from FILE, and keep it up to date").excludes(\.list)
    Option("resume-from", .file, \.resumeFile, "resume from a checkpoint without changing it")
      .excludes([\.list, \.checkpoint])

    OptionGroup.limits
    Option("max-size", .size, "the most bytes of a body or a stream's line") { $0.maxSize = $1 }.default("64M")
    Option("max-depth", .integer(1...Int(Int32.max)), "the deepest nesting of JSON") { $0.maxDepth = $1 }.default(
      "10000")

    OptionGroup.ending
    EndMarks.rows(hasData: false, hasEvents: false).within(\.ends) {
      $0.meaningless(with: \.form, .bytes).meaningless(with: \.between)
    }
    OptionGroup.output
    RecordStamp.rows(\.stamp) { $0.needs(\.printsRecords) }
    ConnectionOptions.rows(\.connection, hasDelay: false, reconnect: { $0.needs(\.isStream) }) {
      $0.needs(\.printsRecords)
    }
    HTTPOptions.rows(\.http, silent: { $0.excludes(\.connection.isVerbose) }) { $0.meaningless(with: \.list) }
  }

  init(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) {
    try invocation.fill(&self)
    try http.load(streams)
    if resumeFile != nil { try KeptValues.checkOneID(next.rules) }
    if !isStream { resumed = try resumeFile.flatMap { (file) throws(ToolFailure) in try Checkpoint.read(file) } }
    // Each body and line has the time, even if no option asks for it.
    stamp.hasTime = true
    // Without a rule, data that is sent between two connections is lost.
    connection.settle(reconnects: http.isPlainGet || !next.rules.isEmpty, resumes: !next.rules.isEmpty)
    if interval?.seconds == 0, next.rules.isEmpty { throw .usage("option '--every' with 0 seconds needs '--next'") }
    if from.id != nil, !next.rules.isEmpty, resumeFile != nil {
      throw .usage("the IDs of '--id-from' are no values to send; keep these with '--checkpoint'")
    }
    if isStream, next.rules.isEmpty, checkpoint != nil || resumeFile != nil {
      throw .usage("option '\(checkpoint == nil ? "--resume-from" : "--checkpoint")' with '--stream' needs '--next'")
    }
    let operands = invocation.operands
    if let list {
      guard operands.isEmpty else { throw .usage("expected no URL with '--urls'") }
      task = .list(list)
    } else {
      // It may hold a password: no message quotes it.
      guard operands.count == 1 else { throw .usage("expected one URL, found \(operands.count)") }
      let url = try http.completed(HTTPURL(withScheme: operands[0]))
      task = isStream ? .stream(url) : .poll(url)
    }
    let wantsLines = printsRecords || limit != .max || !ends.isEmpty || next.looksInside
    if isStream, wantsLines {
      if form == .bytes { throw .usage("'--as bytes' has no lines for '--records', '--limit' or '--next'") }
      form = .lines
    }
  }

  /// In seconds. Servers hold a request for up to five minutes (https://developer.hashicorp.com/consul/api-docs/features/blocking).
  var requestTimeout: Double { givenTimeout ?? (interval?.seconds == 0 ? 330 : 60) }

  /// The share of the interval, 0 to 1.
  var jitter: Double { Double(jitterPercent) / 100 }

  enum Task {
    case poll(HTTPURL)
    /// Polls the URLs in the file of `--urls`.
    case list([UInt8])
    case stream(HTTPURL)
  }
}

extension OptionType<[UInt8]> {
  /// A text with escapes such as `\f`, `\n` and `\0`, each for one byte.
  fileprivate static let between = Self("TEXT") { bytes throws(OptionRefusal) in
    let escapes: [UInt8: UInt8] = [
      UInt8(ascii: "0"): 0, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D,
      UInt8(ascii: "t"): 0x09, UInt8(ascii: "\\"): UInt8(ascii: "\\"),
    ]
    var text: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard let letter = rest.popFirst(), let meaning = escapes[letter] else {
        throw .expected("a text with no other escapes than \\f, \\n, \\r, \\t, \\0 and \\\\", found: bytes)
      }
      text.append(meaning)
    }
    return text
  }
}

extension HTTPURL {
  /// A URL as typed, perhaps without its scheme.
  /// - Throws: a usage error. It quotes nothing: a URL may hold a password.
  init(withScheme text: [UInt8]) throws(ToolFailure) {
    guard HTTPURL.scheme(of: text) != nil else { throw .usage("expected a URL that begins with http:// or https://") }
    try self.init(operand: text)
  }
}
