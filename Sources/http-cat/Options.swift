// http-cat's options: the table, and the settings that they make.

import FeedCore
import FeedHTTP

let httpCat = ToolSpec(
  "http-cat", "Print an HTTP resource each time it changes, or one that never ends",
  synopsis: ["[options] URL", "[options] --urls FILE", "--stream [options] URL"], operands: .none,
  readsURL: { _ in true }, options: Flag.self,
  sharing: EndOption.rows(without: [.until, .untilEvent, .failEvent]) {
    $0.meaningless(with: "as=bytes", "between")
  } + StampOption.rows { $0.needs("records") }
    + ConnectionOption.rows(without: [.reconnectDelay, .retryStatus]) { $0.needs("records") }
    .map { $0.name.hasSuffix("reconnect") ? $0.needs("stream") : $0 }
    + HTTPOption.rows().map { $0.name == "dump-header" ? $0.meaningless(with: "urls") : $0 })

enum Flag: ToolOption {
  case asForm, records, idFrom, between
  case every, jitter, maxBackoff, requestTimeout, urls, parallel, hostDelay
  case stream
  case limit
  case checkpoint, resumeFrom
  case maxSize, maxDepth

  var group: OptionGroup {
    switch self {
    case .asForm, .records, .idFrom, .between: .output
    case .every, .jitter, .maxBackoff, .requestTimeout, .urls, .parallel, .hostDelay:
      OptionGroup("Options for polling").meaningless(with: "stream")
    case .stream: OptionGroup("Options for streaming")
    case .limit: .ending
    case .checkpoint, .resumeFrom: OptionGroup("Options for resuming").meaningless(with: "stream")
    case .maxSize, .maxDepth: .limits
    }
  }

  var spec: OptionSpec {
    switch self {
    case .asForm:
      OptionSpec("as", .choice(FormChoice.self), "what a body must be").default("auto")
    case .records: OptionSpec("records", "print event records")
    case .idFrom:
      OptionSpec("id-from", .pointer("/id"), "where to find the ID in a line").needs("stream").needs("records")
    case .between:
      OptionSpec("between", .between, "print this between two connections").default("\\f").needs("stream")
        .excludes("records").meaningless(with: "as=lines")
    case .every: OptionSpec("every", .interval, "poll this often, or as often as the server says")
    case .jitter:
      OptionSpec("jitter", .integer(0...100, "PERCENT"), "add up to this part of the interval, at random")
        .default("10").needs("every")
    case .maxBackoff:
      OptionSpec("max-backoff", .duration, "the longest wait after failures in a row")
    case .requestTimeout:
      OptionSpec("request-timeout", .duration, "how long a whole answer may take").default("60")
    case .urls:
      OptionSpec("urls", .file, "poll the URLs in FILE (lines of name, tab, URL)")
        .excludes("source")
    case .parallel:
      OptionSpec("parallel", .integer(1...1000), "how many requests may run at once").default("16").needs("urls")
    case .hostDelay:
      OptionSpec("host-delay", .seconds, "wait this long between two requests to one server").default("1").needs("urls")
    case .stream:
      OptionSpec("stream", "print one body as it comes, and reconnect").meaningless(with: "as=json")
    case .limit:
      OptionSpec("limit", "n", .integer(1...Int.max), "end after N bodies, or N lines of a stream")
        .meaningless(with: "between")
    case .checkpoint:
      OptionSpec("checkpoint", .wholeFile, "resume from FILE, and keep it up to date").excludes("urls")
    case .resumeFrom:
      OptionSpec("resume-from", .file, "resume from a checkpoint without changing it").excludes("urls", "checkpoint")
    case .maxSize: OptionSpec("max-size", .size, "the most bytes of a body or a stream's line").default("64M")
    case .maxDepth:
      OptionSpec("max-depth", .integer(1...Int(Int32.max)), "the deepest nesting of JSON").default("10000")
    }
  }
}

extension OptionType {
  /// A text with escapes such as `\f`, `\n` and `\0`, each for one byte.
  fileprivate static let between = OptionType("TEXT") { bytes throws(OptionRefusal) in
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

/// The settings of a command line. Numbers that have a default get it from the table.
struct Options {
  enum Task {
    /// - Parameter interval: nil to poll once.
    case poll(PollSubject, every: Interval?)
    case stream(HTTPURL)
  }

  enum PollSubject {
    case url(HTTPURL)
    /// The file of `--urls`.
    case list([UInt8])
  }

  let task: Task
  var form = FormChoice.auto
  var printsRecords = false
  private(set) var stamp: RecordStamp
  var idFrom: JSONPointer?
  var between: [UInt8] = []
  /// The share of the interval, 0 to 1.
  var jitter = 0.0
  /// In seconds; nil for a value that suits the interval.
  var maxBackoff: Double?
  /// In seconds.
  var requestTimeout = 0.0
  var parallel = 0
  /// Between the starts of two requests to one server, in seconds.
  var hostDelay = 0.0
  var limit = Int.max
  let ends: EndMarks
  var checkpoint: [UInt8]?
  /// From a checkpoint of `--resume-from`: the id of the last body that the sink has taken.
  var resumeID: [UInt8] = []
  var maxSize = 0
  var maxDepth = 0
  let connection: ConnectionOptions
  let http: HTTPOptions

  init(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) {
    http = try HTTPOptions(invocation, streams)
    stamp = try RecordStamp(invocation)
    ends = try EndMarks(invocation)
    // Each body and line has the time, even if no option asks for it.
    stamp.hasTime = true
    var interval: Interval?
    var isStream = false
    var list: [UInt8]?
    for (flag, value) in try invocation.options(Flag.self) {
      switch flag {
      case .asForm: form = try value.get()
      case .records: printsRecords = true
      case .idFrom: idFrom = try value.get()
      case .between: between = try value.get()
      case .every: interval = try value.get()
      case .jitter: jitter = Double(try value.get() as Int) / 100
      case .maxBackoff: maxBackoff = try value.get()
      case .requestTimeout: requestTimeout = try value.get()
      case .urls: list = value.bytes
      case .parallel: parallel = try value.get()
      case .hostDelay: hostDelay = try value.get()
      case .stream: isStream = true
      case .limit: limit = try value.get()
      case .checkpoint: checkpoint = value.bytes
      case .resumeFrom: resumeID = try Checkpoint.read(value.bytes)?.id ?? []
      case .maxSize: maxSize = try value.get()
      case .maxDepth: maxDepth = try value.get()
      }
    }
    // Data that is sent between two connections is lost.
    connection = try ConnectionOptions(invocation, reconnects: http.isPlainGet, resumes: false)
    task = try Self.task(invocation.operands, list, http, isStream: isStream, every: interval)
    let wantsLines = printsRecords || limit != .max || !ends.isEmpty
    if isStream, wantsLines {
      if form == .bytes { throw .usage("'--as bytes' has no lines for '--records' or '--limit'") }
      form = .lines
    }
  }

  private static func task(
    _ operands: [[UInt8]], _ list: [UInt8]?, _ http: HTTPOptions, isStream: Bool, every interval: Interval?
  ) throws(ToolFailure) -> Task {
    if let list {
      guard operands.isEmpty else { throw .usage("expected no URL with '--urls'") }
      return .poll(.list(list), every: interval)
    }
    // It may hold a password: no message quotes it.
    guard operands.count == 1 else { throw .usage("expected one URL, found \(operands.count)") }
    let url = try http.completed(HTTPURL(withScheme: operands[0]))
    return isStream ? .stream(url) : .poll(.url(url), every: interval)
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
