// jpatch's options: the table, and the settings that they make.

import FeedCore

package let jpatch = ToolSpec(
  "jpatch", "Apply JSON patches to a document, once or from a stream",
  synopsis: [
    "[options] PATCH [FILE]", "[options] -e JSON [FILE]", "--three-way [options] BASE OURS THEIRS",
    "--compose [options] PATCH ...", "--invert [options] PATCH ...", "--follow [options] [FILE]",
  ], options: Options.self)

/// The settings of a command line.
struct Options: OptionTable {
  enum ErrorAction: String, CaseIterable { case stop, resync }

  var expressions: [[UInt8]] = []
  var patchFiles: [InputFile] = []
  var patchPath: [UInt8] = []
  var file = InputFile.standardInput
  var filePath: [UInt8] = []
  /// Nil: by its form.
  var type: PatchType?
  var isCompact = false
  var indent: Int?
  var selected: JSONPointer?
  var isInPlace = false
  var backup: [UInt8]?
  var isQuiet = false
  var undo: [UInt8]?
  /// Whether patches and the one document may have comments.
  var takesComments = false
  var patching = PatchOptions()

  // The modes.
  var follows = false
  var isEach = false
  var composes = false
  var inverts = false
  var isThreeWay = false

  /// In a three-way merge; `file` is OURS.
  var base = InputFile.standardInput
  var theirs = InputFile.standardInput
  /// Nil: conflicts are an error.
  var conflictChoice: ThreeWayMerge.Choice?
  private var identities: [Typed<IdentityRule>] = []
  /// The rules of `--identity`.
  var scope = Scope()

  var initialFile: [UInt8]?
  var printsOnlyChanges = false
  var newer: JSONPointer?
  var printsRecords = false
  var redraws = false
  var sourceOptions = SourceOptions()
  /// Of `--by`; nil if there is one document.
  var sources: SourceIndex?
  var stamp = RecordStamp()
  var errorAction = ErrorAction.stop
  var checkpoint: [UInt8]?
  var dataEvent = DocumentEvent([])
  var patchEvent = DocumentEvent([])
  var isVerbose = false

  static let rows = OptionRows<Self> {
    OptionGroup("Options in several modes")
    Option("select", letter: "p", .pointer("/results"), \.selected, "print only this value of the result")
    Option("indent", .integer(0...16), \.indent, "print with N spaces a level").meaningless(with: \.isEach)
    Option("max-depth", .integer(1...Int(Int32.max)), "the deepest nesting of input and result") {
      $0.patching.maxDepth = $1
    }
    .default("10000")
    Option("max-size", .size, "the most bytes of input and result") { $0.patching.maxSize = $1 }.default("1G")

    OptionGroup("One document").meaningless(with: \Options.follows)
    Option("expression", letter: "e", .text("JSON"), \.expressions, "apply this patch; several apply in order")
    Option("type", .choice, \.type, "the type of the patch, if its form is misleading")
    Option("compact", letter: "C", \.isCompact, "print on one line, without white space").excludes(\.indent)
      .meaningless(with: \.isEach)
    Option("in-place", letter: "i", \.isInPlace, "write the result back to FILE").excludes(\.selected)
      .meaningless(with: \.isEach)
    Option("backup", .suffix, \.backup, "keep the old FILE with this suffix").needs(\.isInPlace)
      .meaningless(with: \.isEach)
    Option("quiet", letter: "q", \.isQuiet, "print nothing: 0 if the patch applies, 1 if not").excludes([
      \.isInPlace, \.undo,
    ])
    .meaningless(with: \.isEach)
    Option("undo", .wholeFile, \.undo, "write a patch to FILE that undoes this one").meaningless(with: \.isEach)
    Option("make-parents", \.patching.makesParents, "let add create missing objects on the way")
    Option("ignore-missing", \.patching.ignoresMissing, "let remove ignore missing members")
    Option("jsonc", \.takesComments, "accept comments and trailing commas, and keep them").meaningless(with: \.isEach)

    OptionGroup("Many documents").meaningless(with: \Options.follows)
    Option("each", \.isEach, "patch many documents, print each on one line")

    OptionGroup("A three-way merge")
    Option("three-way", \.isThreeWay, "merge the changes of OURS and THEIRS, both made from BASE")
      .excludes([
        \.selected, \.expressions, \.type, \.isCompact, \.indent, \.undo,
        \.patching.makesParents,
        \.patching.ignoresMissing, \.isEach, \.follows, \.takesComments,
      ])
    Option("conflict", .choice, \.conflictChoice, "print the result despite conflicts: one side, or both")
      .needs(\.isThreeWay).excludes(\.isQuiet)
    Option("identity", .identity, \.identities, "match the items of an array by these members").needs(\.isThreeWay)

    OptionGroup("Patches without a document")
    Option("compose", \.composes, "print one patch that does what all PATCHes do").excludes(\.inverts).withoutDocument
    Option("invert", \.inverts, "print the patch that takes the PATCHes back").withoutDocument

    OptionGroup("A stream").needs(\Options.follows)
    Option("follow", letter: "f", \.follows, "read event records, print the document after each")
    Option("initial", .file, \.initialFile, "begin with this document")
    Option("on-change", \.printsOnlyChanges, "print only if the line differs from the last one")
    Option("newer", .pointer("/num_results"), \.newer, "print only if this number has grown")
    Option("records", \.printsRecords, "print event records").excludes([\.indent, \.redraws])
    Option("redraw", \.redraws, "on a terminal, print over the last document")
    Option("on-error", .choice, \.errorAction, "what to do when a patch fails").default("stop")
    Option("verbose", letter: "v", \.isVerbose, "report records that print nothing, and why")
    Option("checkpoint", .wholeFile, \.checkpoint, "resume from FILE, and keep it up to date")
    Option("data-event", .documentEvent, "the event that brings a document") { $0.dataEvent = $1 }.default("data")
    Option("patch-event", .documentEvent, "the event that brings a patch") { $0.patchEvent = $1 }.default("patch")
    SourceOptions.by.within(\.sourceOptions).excludes(\.stamp.source)
    SourceOptions.maxSources.within(\.sourceOptions)
    RecordStamp.rows(\.stamp) { $0.needs(\.printsRecords) }
  }
}

extension OptionRow<Options> {
  /// The same row, for a mode that reads patches only.
  fileprivate var withoutDocument: Self {
    excludes([
      \.selected, \.expressions, \.isInPlace, \.isQuiet, \.undo, \.patching.makesParents, \.patching.ignoresMissing,
      \.takesComments, \.isEach, \.isThreeWay, \.follows,
    ])
  }
}

extension OptionType<[UInt8]> {
  /// A text that can be added to the name of a file.
  fileprivate static let suffix = text("SUFFIX", "a suffix without '/'") {
    !$0.isEmpty && !$0.contains(UInt8(ascii: "/"))
  }
}

extension Options {
  /// What the run does. The options that choose a mode exclude each other.
  enum Mode { case one, each, follow, compose, invert, threeWay }

  var mode: Mode {
    follows ? .follow : isEach ? .each : composes ? .compose : inverts ? .invert : isThreeWay ? .threeWay : .one
  }

  /// Nil: that of the document.
  var layout: JSONStyle? { isCompact ? .compact : indent.map { .indented($0) } }

  /// Whether a document that no patch changes is printed byte for byte, and nothing else is done.
  var printsAsRead: Bool { layout == nil && !isSelecting && !isInPlace && !isQuiet && undo == nil }

  var select: JSONPointer { selected ?? JSONPointer() }
  /// Whether a part was selected, even if it is the whole document.
  var isSelecting: Bool { selected != nil }
  var resyncs: Bool { errorAction == .resync }
  var initial: InputFile? { initialFile.map { InputFile($0) } }
  var maxDepth: Int { patching.maxDepth }
  /// In patches and in the one document.
  var comments: CommentRule { takesComments ? .accepted : mode == .one ? .needsOption("--jsonc") : .refused }

  init(_ invocation: Invocation) throws(ToolFailure) {
    self.init()
    try invocation.fill(&self)
    sources = sourceOptions.index
    for rule in identities {
      let text = "--identity \(quoted(rule.text))"
      scope.add(Scope.Rule(purpose: .identity(rule.value.members), pointer: rule.value.array, text: text))
    }
    switch mode {
    case .one, .each, .follow: try setOperands(invocation.operands)
    case .compose, .invert: try setPatches(invocation.operands)
    case .threeWay: try setDocuments(invocation.operands)
    }
    if isInPlace && file.isStandardInput { throw .usage("option '--in-place' needs a FILE") }
  }

  /// The whole content of a file, at most `--max-size` bytes.
  func readAll(_ file: InputFile, _ streams: StandardStreams) throws(ToolFailure) -> [UInt8] {
    try file.readJSON(streams, limit: patching.maxSize, option: "--max-size", comments: comments)
  }

  /// The one document of a file.
  func readDocument(_ file: InputFile, _ streams: StandardStreams) throws(ToolFailure) -> JSONDocument {
    try file.parse(try readAll(file, streams), maxDepth: maxDepth, comments: comments)
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
    if isInPlace && comments == .accepted && layout != nil {
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
