// jdiff's options: the table, and the settings that they make.

import FeedCore

package let jdiff = ToolSpec(
  "jdiff", "Print the patch between two JSON documents, or for each change in a stream",
  synopsis: ["[options] OLD [NEW]", "--follow [options] [FILE]"], options: Options.self)

/// The settings of a command line.
struct Options: OptionTable {
  enum Color: String, CaseIterable { case auto, always, never }
  enum ErrorAction: String, CaseIterable { case stop, skip }

  var type = PatchType.jsonPatch
  var differ = Differ.Settings()
  var maxDepth = 0
  var maxSize = 0

  var ignored: [Typed<JSONPointer>] = []
  var compared: [Typed<JSONPointer>] = []
  var unordered: [Typed<JSONPointer>] = []
  var identities: [Typed<IdentityRule>] = []
  var tolerances: [Typed<ToleranceRule>] = []

  var isCompact = false
  var isQuiet = false
  var isText = false
  var color = Color.auto
  /// How many unchanged members or items the view shows around a change.
  var context = 0
  /// What to call OLD and NEW.
  var labels: [[UInt8]] = []
  /// Whether an empty file is no document.
  var takesEmptyFiles = false
  var takesComments = false

  var follows = false
  var readsRecords = false
  var printsEventStream = false
  var redraws = false
  var firstID: Int?
  var fullEvery: Int?
  var checkpoint: [UInt8]?
  var errorAction = ErrorAction.stop
  var sourceOptions = SourceOptions()
  var stamp = RecordStamp()

  /// OLD and NEW, or the one stream to follow.
  var files: [InputFile] = []
  var scope = Scope()
  /// Of `--by`; nil if there is one document.
  var sources: SourceIndex?

  /// A pointer that messages show as an example.
  static let example = "/results/*/updated"

  static let rows = OptionRows<Self> {
    OptionGroup("Options in both modes")
    Option("type", .choice, \.type, "the kind of patch").default("json-patch").excludes([\.isQuiet, \.isText])
    Option("test", \.differ.addsTests, "test each value before it is removed or replaced")
      .excludes([\.isQuiet, \.isText]).meaningless(with: \.type, .mergePatch)
    Option("max-depth", .integer(1...Int(Int32.max)), "the deepest nesting of a document") { $0.maxDepth = $1 }.default(
      "10000")
    Option("max-size", .size, "the most bytes of a document") { $0.maxSize = $1 }.default("1G")
    Option("text", letter: "t", \.isText, "print the differences for people to read")
    Option("color", .choice, \.color, "whether --text uses colour").default("auto").needs(\.isText)
    Option("context", letter: "U", .integer(0...Int(Int32.max)), "the unchanged neighbours that --text shows") {
      $0.context = $1
    }
    .default("1").needs(\.isText)

    OptionGroup("Scope")
    Option("ignore", .pointer(example), \.ignored, "ignore differences there; /**/x is x at any depth")
    Option("only", .pointer(example), \.compared, "ignore differences everywhere else")
    Option("unordered", .pointer(example), \.unordered, "compare the array there as a set")
    Option("identity", .identity, \.identities, "match the items of an array by these members")
    Option("tolerance", .tolerance, \.tolerances, "numbers are equal if they differ by X or X% at most")

    OptionGroup("Two documents").meaningless(with: \Options.follows)
    Option("compact", letter: "C", \.isCompact, "print the patch on one line").excludes([\.isQuiet, \.isText])
    Option("quiet", letter: "q", \.isQuiet, "print nothing: 0 if the same, 1 if not").excludes(\.isText)
    Option("label", .text("NAME"), \.labels, "call OLD this in --text, and the second time NEW").needs(\.isText)
    Option("new-file", letter: "N", \.takesEmptyFiles, "an empty file has no document, instead of an error")
      .needs(\.isText)
    Option("jsonc", \.takesComments, "accept comments and trailing commas, and ignore them")

    OptionGroup("A stream").needs(\Options.follows)
    Option("follow", letter: "f", \.follows, "read documents, print event records")
    Option("records-in", \.readsRecords, "read event records instead of documents")
    Option("sse", \.printsEventStream, "print an event stream").excludes(\.isText)
    Option("redraw", \.redraws, "on a terminal, print over the last change").needs(\.isText)
    Option("first-id", .integer(EventIDs.range), \.firstID, "count the events from N on, for their ids")
      .excludes(\.checkpoint).meaningless(with: \.isText)
    Option("full-every", .integer(1...), \.fullEvery, "print every Nth change as a whole document").excludes(\.isText)
    Option("checkpoint", .wholeFile, \.checkpoint, "resume from FILE, and keep it up to date")
    Option("on-error", .choice, \.errorAction, "what to do with a malformed line").default("stop")
    SourceOptions.by.within(\.sourceOptions).excludes(\.stamp.source).needs(\.readsRecords)
      .excludes(\.printsEventStream)
    SourceOptions.maxSources.within(\.sourceOptions)
    RecordStamp.rows(\.stamp) { $0.meaningless(with: [\.printsEventStream, \.isText]) }
  }
}

/// `POINTER=X`, or `X` for the whole document.
struct ToleranceRule: Sendable {
  let place: JSONPointer
  let tolerance: NumberTolerance
}

extension OptionType<ToleranceRule> {
  fileprivate static let tolerance = Self("[POINTER=]X") { bytes throws(OptionRefusal) in
    let mark = bytes.lastIndex(of: UInt8(ascii: "="))
    let number = Array(bytes[(mark.map { $0 + 1 } ?? 0)...])
    guard let tolerance = NumberTolerance(number) else {
      throw .expected("a number such as 0.01 or 1%, or POINTER=NUMBER", found: bytes)
    }
    let place = try mark.map { mark throws(OptionRefusal) in
      try JSONPointer(typed: Array(bytes[..<mark]), suchAs: Options.example)
    }
    return ToleranceRule(place: place ?? JSONPointer(), tolerance: tolerance)
  }
}

extension Options {
  enum Output { case patch, status, text }

  var output: Output { isQuiet ? .status : isText ? .text : .patch }
  var isMergePatch: Bool { type == .mergePatch }
  var comments: CommentRule { takesComments ? .accepted : .needsOption("--jsonc") }
  var ids: EventIDs { firstID.map { EventIDs(countingFrom: $0) } ?? EventIDs() }
  var skipsErrors: Bool { errorAction == .skip }

  init(_ invocation: Invocation) throws(ToolFailure) {
    self.init()
    try invocation.fill(&self)
    sources = sourceOptions.index
    if labels.count > 2 { throw .usage("option '--label' given more than twice") }
    // A patch that replaces less removes fewer comments.
    differ.isFine = isText || takesComments
    for rule in ignored { add(.ignore, rule.value, "--ignore", rule.text) }
    for rule in compared { add(.only, rule.value, "--only", rule.text) }
    for rule in unordered { add(.unordered, rule.value, "--unordered", rule.text) }
    for rule in identities { add(.identity(rule.value.members), rule.value.array, "--identity", rule.text) }
    for rule in tolerances { add(.tolerance(rule.value.tolerance), rule.value.place, "--tolerance", rule.text) }
    try setOperands(invocation.operands)
  }

  private mutating func add(_ purpose: Scope.ScopePurpose, _ pointer: JSONPointer, _ option: String, _ typed: [UInt8]) {
    scope.add(Scope.Rule(purpose: purpose, pointer: pointer, text: "\(option) \(quoted(typed))"))
  }

  private mutating func setOperands(_ operands: [[UInt8]]) throws(ToolFailure) {
    var rest = operands[...]
    if follows {
      files = [rest.popFirst().map { InputFile($0) } ?? .standardInput]
    } else {
      guard let old = rest.popFirst() else { throw .usage("no OLD given") }
      files = [InputFile(old), rest.popFirst().map { InputFile($0) } ?? .standardInput]
      if files.allSatisfy(\.isStandardInput) {
        throw .usage("OLD and NEW cannot both come from standard input")
      }
    }
    if let extra = rest.first { throw .usage("unexpected operand '\(quoted(extra))'") }
  }
}
