// jpatch's options: the table, and what they come to.

import FeedCore

let jpatch = ToolSpec(
  "jpatch", "Apply JSON patches to a document, once or for ever",
  synopsis: ["[options] PATCH [FILE]", "[options] -e JSON [FILE]", "--follow [options] [FILE]"], options: Flag.self)

enum Flag: ToolOption {
  case expression, type, compact, indent, select
  case inPlace, backup, check, undo, each, makeParents, ignoreMissing
  case follow, initial, onChange, newer, records, onError, checkpoint, dataEvent, patchEvent, verbose
  case maxDepth, maxOps, maxSize

  var spec: OptionSpec {
    switch self {
    case .expression: OptionSpec("expression", "e", .text("JSON"), "the patch itself; several apply in order").repeating
    case .type:
      OptionSpec("type", nil, .choice("json-patch", "merge-patch"), "what the patch is, where its form would mislead")
    case .compact: OptionSpec("compact", "C", nil, "print on one line, without white space")
    case .indent: OptionSpec("indent", nil, .text("N"), "print anew with N spaces a level")
    case .select: OptionSpec("select", "p", .text("POINTER"), "print only this value of the result")
    case .inPlace: OptionSpec("in-place", "i", nil, "write the result back to FILE")
    case .backup: OptionSpec("backup", nil, .text("SUFFIX"), "with -i: keep the old FILE under this suffix")
    case .check: OptionSpec("check", nil, nil, "print nothing: 0 if the patch applies, 1 if not")
    case .undo: OptionSpec("undo", nil, .file(), "write the patch that takes this one back")
    case .each: OptionSpec("each", nil, nil, "patch each of many documents, print each on a line")
    case .makeParents: OptionSpec("make-parents", nil, nil, "let add make the objects on the way")
    case .ignoreMissing: OptionSpec("ignore-missing", nil, nil, "let remove pass over what is not there")
    case .follow: OptionSpec("follow", "f", nil, "read event records, print the document after each")
    case .initial: OptionSpec("initial", nil, .file(), "follow: the document before the first event")
    case .onChange: OptionSpec("on-change", nil, nil, "follow: print only what differs from the last line")
    case .newer: OptionSpec("newer", nil, .text("POINTER"), "follow: print only when this number has grown")
    case .records: OptionSpec("records", nil, nil, "follow: print event records")
    case .onError: OptionSpec("on-error", nil, .choice("stop", "resync"), "follow: what a failing patch does")
    case .checkpoint: OptionSpec("checkpoint", nil, .file(), "follow: go on from FILE, and keep it up to date")
    case .dataEvent: OptionSpec("data-event", nil, .text("NAME"), "follow: the event that brings a document (data)")
    case .patchEvent: OptionSpec("patch-event", nil, .text("NAME"), "follow: the event that brings a patch (patch)")
    case .verbose: OptionSpec("verbose", "v", nil, "follow: tell what is not printed, and why")
    case .maxDepth: OptionSpec("max-depth", nil, .text("N"), "nesting of the input and of the result (10000)")
    case .maxOps: OptionSpec("max-ops", nil, .text("N"), "operations in a patch (1000000)")
    case .maxSize: OptionSpec("max-size", nil, .text("SIZE"), "bytes of an input and of the result (1G)")
    }
  }

  /// The modes that an option has a meaning in.
  var modes: Set<Options.Mode> {
    switch self {
    case .expression, .type, .ignoreMissing, .makeParents: [.one, .each]
    case .compact, .indent, .inPlace, .backup, .check, .undo: [.one]
    case .each: [.each]
    case .follow, .initial, .onChange, .newer, .records, .onError, .checkpoint, .dataEvent, .patchEvent, .verbose:
      [.follow]
    case .select, .maxDepth, .maxOps, .maxSize: [.one, .each, .follow]
    }
  }
}

struct Options {
  enum Mode: String {
    case one = "one document"
    case each = "--each"
    case follow = "--follow"
  }

  enum PatchType { case byForm, jsonPatch, mergePatch }
  enum Layout: Equatable { case verbatim, compact, indented(Int) }

  var mode = Mode.one
  var expressions: [[UInt8]] = []
  var patchFile: InputFile?
  var patchPath: [UInt8] = []
  var file = InputFile.standardInput
  var filePath: [UInt8] = []
  var type = PatchType.byForm
  var layout = Layout.verbatim
  var select = JSONPointer()
  /// Whether a part was asked for, be it the whole document.
  var isSelecting = false
  var isInPlace = false
  var backup: [UInt8]?
  var isCheck = false
  var undo: [UInt8]?
  var patching = PatchOptions()
  var maxDepth: Int { patching.maxDepth }
  var maxOperations = JSONPatch.defaultMaxOperations

  var initial: InputFile?
  var printsOnlyChanges = false
  var newer: JSONPointer?
  var printsRecords = false
  var resyncs = false
  var checkpoint: [UInt8]?
  var dataEvent: [UInt8]?
  var patchEvent: [UInt8]?
  var isVerbose = false

  init(_ invocation: Invocation<Flag>) throws(ToolError) {
    let given = invocation.options.map(\.option)
    mode = given.contains(.follow) ? .follow : given.contains(.each) ? .each : .one
    for (flag, bytes) in invocation.options {
      if !flag.modes.contains(mode) { throw Self.misplaced(flag, mode) }
      try set(flag, OptionValue(bytes, of: flag.spec))
    }
    try setOperands(invocation.operands)
    try checkCombinations(given)
  }

  /// The whole content of a file, if `--max-size` lets it.
  func readAll(_ file: InputFile, _ streams: StandardStreams) throws(ToolError) -> [UInt8] {
    try file.readJSON(streams, limit: patching.maxSize, option: "--\(Flag.maxSize.spec.name)")
  }

  /// The one document of a file.
  func readDocument(_ file: InputFile, _ streams: StandardStreams) throws(ToolError) -> JSONDocument {
    try file.parse(try readAll(file, streams), maxDepth: maxDepth)
  }

  private mutating func set(_ flag: Flag, _ value: OptionValue) throws(ToolError) {
    switch flag {
    case .expression: expressions.append(value.bytes)
    case .type: type = value.text == "merge-patch" ? .mergePatch : .jsonPatch
    case .compact: layout = .compact
    case .indent: layout = .indented(try value.integer(0...16))
    case .select:
      select = try value.pointer(example: "/results")
      isSelecting = true
    case .inPlace: isInPlace = true
    case .backup:
      if value.bytes.isEmpty || value.bytes.contains(UInt8(ascii: "/")) { throw value.refused("a suffix without '/'") }
      backup = value.bytes
    case .check: isCheck = true
    case .undo: undo = try value.file()
    case .each, .follow: break  // set beforehand: they decide what all others mean
    case .makeParents: patching.makesParents = true
    case .ignoreMissing: patching.ignoresMissing = true
    case .initial: initial = InputFile(value.bytes)
    case .onChange: printsOnlyChanges = true
    case .newer: newer = try value.pointer(example: "/num_results")
    case .records: printsRecords = true
    case .onError: resyncs = value.text == "resync"
    case .checkpoint: checkpoint = try value.file()
    case .dataEvent: dataEvent = value.bytes
    case .patchEvent: patchEvent = value.bytes
    case .verbose: isVerbose = true
    case .maxDepth:
      patching.maxDepth = try value.integer(1...Int(Int32.max))
    case .maxOps: maxOperations = try value.integer(0...Int.max)
    case .maxSize: patching.maxSize = try value.size()
    }
  }

  private mutating func setOperands(_ operands: [[UInt8]]) throws(ToolError) {
    var rest = operands[...]
    if mode != .follow && expressions.isEmpty {
      guard let patch = rest.popFirst() else { throw .usage("no PATCH given") }
      patchFile = InputFile(patch)
      patchPath = patch
    }
    if let operand = rest.popFirst() {
      file = InputFile(operand)
      filePath = operand
    }
    if let extra = rest.first { throw .usage("unexpected operand '\(quoted(extra))'") }
  }

  private func checkCombinations(_ given: [Flag]) throws(ToolError) {
    if patchFile?.isStandardInput == true && file.isStandardInput {
      throw .usage("patch and document cannot both come from standard input")
    }
    if initial?.isStandardInput == true && file.isStandardInput {
      throw .usage("the initial document and the events cannot both come from standard input")
    }
    if isInPlace && file.isStandardInput { throw .usage("option '--in-place' needs a FILE") }
    if backup != nil && !isInPlace { throw .usage("option '--backup' needs '--in-place'") }
    for (a, b) in [(Flag.compact, Flag.indent), (.check, .inPlace), (.inPlace, .select), (.check, .undo)]
    where given.contains(a) && given.contains(b) {
      throw .usage("options '--\(a.spec.name)' and '--\(b.spec.name)' exclude each other")
    }
  }

  private static func misplaced(_ flag: Flag, _ mode: Mode) -> ToolError {
    if flag.modes == [.follow] { return .usage("option '--\(flag.spec.name)' needs '--follow'") }
    return .usage("option '--\(flag.spec.name)' has no meaning with '\(mode.rawValue)'")
  }
}
