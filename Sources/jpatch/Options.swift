// jpatch's options: the table, and the settings that they make.

import FeedCore

let jpatch = ToolSpec(
  "jpatch", "Apply JSON patches to a document, once or from a stream",
  synopsis: [
    "[options] PATCH [FILE]", "[options] -e JSON [FILE]", "--three-way [options] BASE OURS THEIRS",
    "--compose [options] PATCH ...", "--invert [options] PATCH ...", "--follow [options] [FILE]",
  ], options: Flag.self,
  sharing: SourceOption.rows(in: Flag.follow.group) + StampOption.rows(in: Flag.follow.group) { $0.needs("records") })

enum Flag: ToolOption {
  case select, maxDepth, maxOps, maxSize
  case expression, type, compact, indent, inPlace, backup, check, undo, makeParents, ignoreMissing, jsonc
  case each
  case threeWay, conflict
  case compose, invert
  case follow, initial, onChange, newer, records, onError, verbose, checkpoint, dataEvent, patchEvent

  var group: OptionGroup {
    switch self {
    case .select, .maxDepth, .maxOps, .maxSize: OptionGroup("Options in every mode")
    case .expression, .type, .compact, .indent, .inPlace, .backup, .check, .undo, .makeParents, .ignoreMissing, .jsonc:
      OptionGroup("One document").meaningless(with: "follow")
    case .each: OptionGroup("Many documents").meaningless(with: "follow")
    case .threeWay, .conflict: OptionGroup("A three-way merge")
    case .compose, .invert: OptionGroup("Patches without a document")
    case .follow, .initial, .onChange, .newer, .records, .onError, .verbose, .checkpoint, .dataEvent, .patchEvent:
      OptionGroup("A stream").needs("follow")
    }
  }

  var spec: OptionSpec {
    switch self {
    case .select: OptionSpec("select", "p", .pointer("/results"), "print only this value of the result")
    case .maxDepth:
      OptionSpec("max-depth", .integer(1...Int(Int32.max)), "the deepest nesting of input and result").default("10000")
    case .maxOps: OptionSpec("max-ops", .integer(0...Int.max), "the most operations in a patch").default("1000000")
    case .maxSize: OptionSpec("max-size", .size, "the most bytes of input and result").default("1G")

    case .expression: OptionSpec("expression", "e", .text("JSON"), "apply this patch; several apply in order").repeating
    case .type:
      OptionSpec("type", .choice("json-patch", "merge-patch"), "the type of the patch, if its form is misleading")
    case .compact:
      OptionSpec("compact", "C", "print on one line, without white space").excludes("indent").meaningless(with: "each")
    case .indent:
      OptionSpec("indent", .integer(0...16), "print with N spaces a level").meaningless(with: "each")
    case .inPlace:
      OptionSpec("in-place", "i", "write the result back to FILE").excludes("select").meaningless(with: "each")
    case .backup:
      OptionSpec("backup", .suffix, "keep the old FILE with this suffix").needs("in-place").meaningless(with: "each")
    case .check:
      OptionSpec("check", "print nothing: 0 if the patch applies, 1 if not").excludes("in-place", "undo")
        .meaningless(with: "each")
    case .undo: OptionSpec("undo", .wholeFile, "write a patch to FILE that undoes this one").meaningless(with: "each")
    case .makeParents: OptionSpec("make-parents", "let add create missing objects on the way")
    case .ignoreMissing: OptionSpec("ignore-missing", "let remove ignore missing members")
    case .jsonc:
      OptionSpec("jsonc", "accept comments and trailing commas, and keep them").meaningless(with: "each")

    case .each: OptionSpec("each", "patch many documents, print each on one line")

    case .threeWay:
      OptionSpec("three-way", "merge the changes of OURS and THEIRS, both made from BASE")
        .excludes(
          "select", "max-ops", "expression", "type", "compact", "indent", "undo", "make-parents", "ignore-missing",
          "each", "follow", "jsonc")
    case .conflict:
      OptionSpec("conflict", .choice("ours", "theirs", "mark"), "print the result despite conflicts: one side, or both")
        .needs("three-way").excludes("check")

    case .compose:
      OptionSpec("compose", "print one patch that does what all PATCHes do").excludes("invert").withoutDocument
    case .invert:
      OptionSpec("invert", "print the patch that takes the PATCHes back").withoutDocument

    case .follow: OptionSpec("follow", "f", "read event records, print the document after each")
    case .initial: OptionSpec("initial", .file, "begin with this document")
    case .onChange: OptionSpec("on-change", "print only if the line differs from the last one")
    case .newer: OptionSpec("newer", .pointer("/num_results"), "print only if this number has grown")
    case .records: OptionSpec("records", "print event records")
    case .onError: OptionSpec("on-error", .choice("stop", "resync"), "what to do when a patch fails").default("stop")
    case .verbose: OptionSpec("verbose", "v", "report records that print nothing, and why")
    case .checkpoint: OptionSpec("checkpoint", .wholeFile, "resume from FILE, and keep it up to date")
    case .dataEvent: OptionSpec("data-event", .text("NAME"), "the event that brings a document").default("data")
    case .patchEvent: OptionSpec("patch-event", .text("NAME"), "the event that brings a patch").default("patch")
    }
  }
}

extension OptionSpec {
  /// The same row, for a mode that reads patches only.
  fileprivate var withoutDocument: OptionSpec {
    excludes(
      "select", "expression", "in-place", "check", "undo", "make-parents", "ignore-missing", "jsonc", "each",
      "three-way",
      "follow")
  }
}

extension OptionType {
  /// A text that can be added to the name of a file.
  fileprivate static let suffix = text("SUFFIX", "a suffix without '/'") {
    !$0.isEmpty && !$0.contains(UInt8(ascii: "/"))
  }
}

/// The settings of a command line. Limits and names that have a default get it from the table.
struct Options {
  enum Mode { case one, each, follow, compose, invert, threeWay }

  enum PatchType { case byForm, jsonPatch, mergePatch }
  enum Layout: Equatable { case verbatim, compact, indented(Int) }

  var mode = Mode.one
  var expressions: [[UInt8]] = []
  var patchFiles: [InputFile] = []
  var patchPath: [UInt8] = []
  var file = InputFile.standardInput
  var filePath: [UInt8] = []
  var type = PatchType.byForm
  var layout = Layout.verbatim
  var select = JSONPointer()
  /// Whether a part was selected, even if it is the whole document.
  var isSelecting = false
  var isInPlace = false
  var backup: [UInt8]?
  var isCheck = false
  var undo: [UInt8]?
  /// In patches and in the one document.
  var comments = CommentRule.refused
  var patching = PatchOptions()
  var maxDepth: Int { patching.maxDepth }
  var maxOperations = 0

  /// In a three-way merge; `file` is OURS.
  var base = InputFile.standardInput
  var theirs = InputFile.standardInput
  var conflictChoice: ThreeWayMerge.Choice?

  var initial: InputFile?
  var printsOnlyChanges = false
  var newer: JSONPointer?
  var printsRecords = false
  /// Of `--by`; nil if there is one document.
  let sources: SourceIndex?
  let stamp: RecordStamp
  var resyncs = false
  var checkpoint: [UInt8]?
  var dataEvent: [UInt8] = []
  var patchEvent: [UInt8] = []
  var isVerbose = false

  init(_ invocation: Invocation) throws(ToolFailure) {
    let modes: [(Flag, Mode)] = [
      (.follow, .follow), (.each, .each), (.compose, .compose), (.invert, .invert), (.threeWay, .threeWay),
    ]
    mode = modes.first { invocation.isGiven($0.0) }?.1 ?? .one
    if mode == .one { comments = .needsOption("--\(Flag.jsonc.spec.name)") }
    sources = try SourceIndex(invocation)
    stamp = try RecordStamp(invocation)
    for (flag, value) in try invocation.options(Flag.self) { try set(flag, value) }
    switch mode {
    case .one, .each, .follow: try setOperands(invocation.operands)
    case .compose, .invert: try setPatches(invocation.operands)
    case .threeWay: try setDocuments(invocation.operands)
    }
    if isInPlace && file.isStandardInput { throw .usage("option '--in-place' needs a FILE") }
  }

  /// The whole content of a file, at most `--max-size` bytes.
  func readAll(_ file: InputFile, _ streams: StandardStreams) throws(ToolFailure) -> [UInt8] {
    try file.readJSON(
      streams, limit: patching.maxSize, option: "--\(Flag.maxSize.spec.name)", comments: comments)
  }

  /// The one document of a file.
  func readDocument(_ file: InputFile, _ streams: StandardStreams) throws(ToolFailure) -> JSONDocument {
    try file.parse(try readAll(file, streams), maxDepth: maxDepth, comments: comments)
  }

  private mutating func set(_ flag: Flag, _ value: OptionValue) throws(ToolFailure) {
    switch flag {
    case .expression: expressions.append(value.bytes)
    case .type: type = try value.get() == "merge-patch" ? .mergePatch : .jsonPatch
    case .compact: layout = .compact
    case .indent: layout = .indented(try value.get())
    case .select:
      select = try value.get()
      isSelecting = true
    case .inPlace: isInPlace = true
    case .backup: backup = value.bytes
    case .check: isCheck = true
    case .undo: undo = value.bytes
    case .jsonc: comments = .accepted
    case .each, .follow, .compose, .invert, .threeWay: break  // They choose the mode.
    case .conflict:
      let choice: String = try value.get()
      switch choice {
      case "ours": conflictChoice = .ours
      case "theirs": conflictChoice = .theirs
      default: conflictChoice = .both
      }
    case .makeParents: patching.makesParents = true
    case .ignoreMissing: patching.ignoresMissing = true
    case .initial: initial = InputFile(value.bytes)
    case .onChange: printsOnlyChanges = true
    case .newer: newer = try value.get()
    case .records: printsRecords = true
    case .onError: resyncs = try value.get() == "resync"
    case .checkpoint: checkpoint = value.bytes
    case .dataEvent: dataEvent = value.bytes
    case .patchEvent: patchEvent = value.bytes
    case .verbose: isVerbose = true
    case .maxDepth: patching.maxDepth = try value.get()
    case .maxOps: maxOperations = try value.get()
    case .maxSize: patching.maxSize = try value.get()
    }
  }

  private mutating func setOperands(_ operands: [[UInt8]]) throws(ToolFailure) {
    var rest = operands[...]
    if mode != .follow && expressions.isEmpty {
      guard let patch = rest.popFirst() else { throw .usage("no PATCH given") }
      patchFiles = [InputFile(patch)]
      patchPath = patch
    }
    if let operand = rest.popFirst() {
      file = InputFile(operand)
      filePath = operand
    }
    if let extra = rest.first { throw .usage("unexpected operand '\(quoted(extra))'") }
    if patchFiles.first?.isStandardInput == true && file.isStandardInput {
      throw .usage("patch and document cannot both come from standard input")
    }
    if initial?.isStandardInput == true && file.isStandardInput {
      throw .usage("the initial document and the events cannot both come from standard input")
    }
    if isInPlace && comments == .accepted && layout != .verbatim {
      throw .usage("options '--jsonc' and '--in-place' keep comments, so they exclude '--compact' and '--indent'")
    }
  }

  private mutating func setPatches(_ operands: [[UInt8]]) throws(ToolFailure) {
    patchFiles = operands.map { InputFile($0) }
    if patchFiles.isEmpty { throw .usage("no PATCH given") }
    if patchFiles.count(where: \.isStandardInput) > 1 {
      throw .usage("only one PATCH can come from standard input")
    }
  }

  private mutating func setDocuments(_ operands: [[UInt8]]) throws(ToolFailure) {
    guard operands.count >= 3 else { throw .usage("option '--three-way' needs BASE, OURS and THEIRS") }
    if operands.count > 3 { throw .usage("unexpected operand '\(quoted(operands[3]))'") }
    (base, file, theirs) = (InputFile(operands[0]), InputFile(operands[1]), InputFile(operands[2]))
    filePath = operands[1]
    if [base, file, theirs].filter(\.isStandardInput).count > 1 {
      throw .usage("only one of BASE, OURS and THEIRS can come from standard input")
    }
  }
}
