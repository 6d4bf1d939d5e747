// jdiff's options: the table, and the settings that they make.

import FeedCore

let jdiff = ToolSpec(
  "jdiff", "Print the patch between two JSON documents, or for each change in a stream",
  synopsis: ["[options] OLD [NEW]", "--follow [options] [FILE]"], options: Flag.self,
  sharing: SourceOption.rows(in: Flag.follow.group) { $0.needs("records-in").excludes("sse") }
    + StampOption.rows(in: Flag.follow.group) { $0.meaningless(with: "sse") })

enum Flag: ToolOption {
  case type, test, noMoves, verify, maxDepth, maxSize
  case ignore, only, unordered, identity, tolerance
  case compact, quiet, stat, text, color, context, label, newFile, jsonc
  case follow, recordsIn, sse, firstID, noIDs, fullEvery, checkpoint, onError

  var group: OptionGroup {
    switch self {
    case .type, .test, .noMoves, .verify, .maxDepth, .maxSize: OptionGroup("Options in both modes")
    case .ignore, .only, .unordered, .identity, .tolerance: OptionGroup("Scope")
    case .compact, .quiet, .stat, .text, .color, .context, .label, .newFile, .jsonc:
      OptionGroup("Two documents").meaningless(with: "follow")
    case .follow, .recordsIn, .sse, .firstID, .noIDs, .fullEvery, .checkpoint, .onError:
      OptionGroup("A stream").needs("follow")
    }
  }

  var spec: OptionSpec {
    switch self {
    case .type:
      OptionSpec("type", .choice("json-patch", "merge-patch"), "the kind of patch").default("json-patch")
        .excludes("quiet", "stat", "text")
    case .test:
      OptionSpec("test", "test each value before it is removed or replaced").excludes("quiet", "text")
        .meaningless(with: "type=merge-patch")
    case .noMoves:
      OptionSpec("no-moves", "remove and add instead of moving").meaningless(with: "type=merge-patch")
    case .verify:
      OptionSpec("verify", "check the patch before it is printed: apply it, compare").excludes("quiet", "stat", "text")
    case .maxDepth:
      OptionSpec("max-depth", .integer(1...Int(Int32.max)), "the deepest nesting of a document").default("10000")
    case .maxSize: OptionSpec("max-size", .size, "the most bytes of a document").default("1G")

    case .ignore:
      OptionSpec("ignore", .pointer(Options.example), "ignore differences there; /**/x is x at any depth").repeating
    case .only: OptionSpec("only", .pointer(Options.example), "ignore differences everywhere else").repeating
    case .unordered: OptionSpec("unordered", .pointer(Options.example), "compare the array there as a set").repeating
    case .identity: OptionSpec("identity", .identity, "match the items of an array by these members").repeating
    case .tolerance:
      OptionSpec("tolerance", .tolerance, "numbers are equal if they differ by X or X% at most").repeating

    case .compact: OptionSpec("compact", "C", "print the patch on one line").excludes("quiet", "stat", "text")
    case .quiet: OptionSpec("quiet", "q", "print nothing: 0 if the same, 1 if not").excludes("stat", "text")
    case .stat: OptionSpec("stat", "print how many operations and bytes the patch has").excludes("text")
    case .text: OptionSpec("text", "t", "print the differences for people to read")
    case .color:
      OptionSpec("color", .choice(Options.Color.self), "whether --text uses colour").default("auto").needs("text")
    case .context:
      OptionSpec("context", "U", .integer(0...Int(Int32.max)), "the unchanged neighbours that --text shows")
        .default("1").needs("text")
    case .label:
      OptionSpec("label", .text("NAME"), "call OLD this in --text, and the second time NEW").repeating.needs("text")
    case .newFile: OptionSpec("new-file", "N", "an empty file has no document, instead of an error").needs("text")
    case .jsonc: OptionSpec("jsonc", "accept comments and trailing commas, and ignore them")

    case .follow: OptionSpec("follow", "f", "read documents, print event records")
    case .recordsIn: OptionSpec("records-in", "read event records instead of documents")
    case .sse: OptionSpec("sse", "print an event stream")
    case .firstID:
      OptionSpec("first-id", .integer(EventIDs.range), "count the events from N on, for their ids")
        .excludes("checkpoint")
    case .noIDs: OptionSpec("no-ids", "give the events no id").excludes("first-id")
    case .fullEvery: OptionSpec("full-every", .integer(1...Int.max), "print every Nth change as a whole document")
    case .checkpoint: OptionSpec("checkpoint", .wholeFile, "resume from FILE, and keep it up to date")
    case .onError: OptionSpec("on-error", .choice("stop", "skip"), "what to do with a malformed line").default("stop")
    }
  }
}

/// `POINTER=NAME,...`: the members of these names identify the items of an array together.
struct IdentityRule: Sendable {
  let array: JSONPointer
  let members: [[UInt8]]
}

/// `POINTER=X`, or `X` for the whole document.
struct ToleranceRule: Sendable {
  let place: JSONPointer
  let tolerance: NumberTolerance
}

extension OptionType {
  fileprivate static let identity = OptionType("POINTER=NAME,...") { bytes throws(OptionRefusal) in
    guard let mark = bytes.lastIndex(of: UInt8(ascii: "=")), mark + 1 < bytes.count else {
      throw .expected("POINTER=NAME, such as /results=id", found: bytes)
    }
    let array = try JSONPointer(typed: Array(bytes[..<mark]), suchAs: Options.example)
    return IdentityRule(array: array, members: names(bytes[(mark + 1)...]))
  }

  /// Names with commas between them. A backslash takes the special meaning from a comma or a backslash.
  private static func names(_ text: ArraySlice<UInt8>) -> [[UInt8]] {
    var names: [[UInt8]] = [[]]
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), let next = rest.first, next == byte || next == UInt8(ascii: ",") {
        names[names.count - 1].append(next)
        rest.removeFirst()
      } else if byte == UInt8(ascii: ",") {
        names.append([])
      } else {
        names[names.count - 1].append(byte)
      }
    }
    return names
  }

  fileprivate static let tolerance = OptionType("[POINTER=]X") { bytes throws(OptionRefusal) in
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

/// The settings of a command line. Limits and numbers that have a default get it from the table.
struct Options {
  enum Output { case patch, status, counts, text }

  enum Color: String, CaseIterable { case auto, always, never }

  var follows = false
  var output = Output.patch
  var isCompact = false
  var isMergePatch = false
  var color = Color.auto
  /// How many unchanged members or items the view shows around a change.
  var context = 0
  /// What to call OLD and NEW.
  var labels: [String] = []
  /// Whether an empty file is no document.
  var takesEmptyFiles = false
  var comments = CommentRule.needsOption("--\(Flag.jsonc.spec.name)")
  var verifies = false
  var scope = Scope()
  var differ = Differ.Options()
  var maxDepth = 0
  var maxSize = 0
  /// OLD and NEW, or the one stream to follow.
  var files: [InputFile] = []

  /// A pointer that messages show as an example.
  static let example = "/results/*/updated"

  var readsRecords = false
  /// Of `--by`; nil if there is one document.
  let sources: SourceIndex?
  var printsEventStream = false
  let stamp: RecordStamp
  /// Nil if events have none.
  var ids: EventIDs? = EventIDs()
  var fullEvery: Int?
  var checkpoint: [UInt8]?
  var skipsErrors = false

  init(_ invocation: Invocation) throws(ToolFailure) {
    sources = try SourceIndex(invocation)
    stamp = try RecordStamp(invocation)
    for (flag, value) in try invocation.options(Flag.self) { try set(flag, value) }
    try setOperands(invocation.operands)
  }

  private mutating func set(_ flag: Flag, _ value: OptionValue) throws(ToolFailure) {
    switch flag {
    case .compact: isCompact = true
    case .type: isMergePatch = try value.get() == "merge-patch"
    case .test: differ.addsTests = true
    case .quiet: output = .status
    case .stat: output = .counts
    case .text:
      output = .text
      differ.isFine = true
    case .color: color = try value.get()
    case .context: context = try value.get()
    case .label:
      guard labels.count < 2 else { throw .usage("option '--label' given more than twice") }
      labels.append(String(decoding: value.bytes, as: UTF8.self))
    case .newFile: takesEmptyFiles = true
    case .verify: verifies = true
    case .ignore: add(.ignore, try value.get(), value)
    case .only: add(.only, try value.get(), value)
    case .unordered: add(.unordered, try value.get(), value)
    case .identity:
      let rule: IdentityRule = try value.get()
      add(.identity(rule.members), rule.array, value)
    case .tolerance:
      let rule: ToleranceRule = try value.get()
      add(.tolerance(rule.tolerance), rule.place, value)
    case .noMoves: differ.findsMoves = false
    case .jsonc:
      comments = .accepted
      // A patch that replaces less removes fewer comments.
      differ.isFine = true
    case .follow: follows = true
    case .recordsIn: readsRecords = true
    case .sse: printsEventStream = true
    case .firstID: ids = EventIDs(countingFrom: try value.get())
    case .noIDs: ids = nil
    case .fullEvery: fullEvery = try value.get()
    case .checkpoint: checkpoint = value.bytes
    case .onError: skipsErrors = try value.get() == "skip"
    case .maxDepth: maxDepth = try value.get()
    case .maxSize: maxSize = try value.get()
    }
  }

  private mutating func add(_ purpose: Scope.Purpose, _ pointer: JSONPointer, _ value: OptionValue) {
    scope.add(Scope.Rule(purpose: purpose, pointer: pointer, text: "--\(value.row.name) \(quoted(value.bytes))"))
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
