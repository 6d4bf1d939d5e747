// jdiff's options: the table, and what they come to.

import FeedCore

let jdiff = ToolSpec(
  "jdiff", "Print the patch between two JSON documents, or along a stream of them",
  synopsis: ["[options] OLD [NEW]", "--follow [options] [FILE]"], options: Flag.self)

enum Flag: ToolOption {
  case compact, type, test, quiet, stat, text, color, verify
  case ignore, only, unordered, identity, noMoves
  case follow, sse, firstID, noIDs, fullEvery, checkpoint, onError
  case maxDepth, maxSize

  var spec: OptionSpec {
    switch self {
    case .compact: OptionSpec("compact", "C", nil, "print the patch on one line")
    case .type: OptionSpec("type", nil, .choice("json-patch", "merge-patch"), "the kind of patch (json-patch)")
    case .test: OptionSpec("test", nil, nil, "test for what is removed or replaced before it is")
    case .quiet: OptionSpec("quiet", "q", nil, "print nothing: 0 if the same, 1 if not")
    case .stat: OptionSpec("stat", nil, nil, "print how many operations, and their bytes")
    case .text: OptionSpec("text", "t", nil, "print the differences for people")
    case .color: OptionSpec("color", nil, .choice("auto", "always", "never"), "with -t: colour (auto: on a terminal)")
    case .verify: OptionSpec("verify", nil, nil, "apply the patch and compare, before it is printed")
    case .ignore: OptionSpec("ignore", nil, .text("POINTER"), "pass over what differs there; * is any token").repeating
    case .only: OptionSpec("only", nil, .text("POINTER"), "pass over what differs elsewhere").repeating
    case .unordered: OptionSpec("unordered", nil, .text("POINTER"), "compare that array as a set").repeating
    case .identity: OptionSpec("identity", nil, .text("POINTER=NAME"), "that array: what tells items apart").repeating
    case .noMoves: OptionSpec("no-moves", nil, nil, "remove and add instead of moving")
    case .follow: OptionSpec("follow", "f", nil, "read documents, print event records")
    case .sse: OptionSpec("sse", nil, nil, "follow: print an event stream")
    case .firstID: OptionSpec("first-id", nil, .text("N"), "follow: the id of the first event (1)")
    case .noIDs: OptionSpec("no-ids", nil, nil, "follow: print no ids")
    case .fullEvery: OptionSpec("full-every", nil, .text("N"), "follow: print each Nth change as a document")
    case .checkpoint: OptionSpec("checkpoint", nil, .file(), "follow: go on from FILE, and keep it up to date")
    case .onError: OptionSpec("on-error", nil, .choice("stop", "skip"), "follow: what a malformed line does")
    case .maxDepth: OptionSpec("max-depth", nil, .text("N"), "nesting of the input (10000)")
    case .maxSize: OptionSpec("max-size", nil, .text("SIZE"), "bytes of a document (1G)")
    }
  }

  /// Whether the option has a meaning with `--follow`, and without.
  var modes: (follow: Bool, pair: Bool) {
    switch self {
    case .compact, .quiet, .stat, .text, .color: (false, true)
    case .follow, .sse, .firstID, .noIDs, .fullEvery, .checkpoint, .onError: (true, false)
    case .type, .test, .verify, .ignore, .only, .unordered, .identity, .noMoves, .maxDepth, .maxSize: (true, true)
    }
  }
}

struct Options {
  enum Output { case patch, status, counts, text }

  enum Color { case auto, always, never }

  var follows = false
  var output = Output.patch
  var isCompact = false
  var isMergePatch = false
  var color = Color.auto
  var verifies = false
  var scope = Scope()
  var differ = Differ.Options()
  var maxDepth = JSONScanner.defaultMaxDepth
  var maxSize = 1 << 30
  /// OLD and NEW, or the one stream to follow.
  var files: [InputFile] = []

  /// Whole numbers that every reader of JSON can count with.
  static let ids = 0...(1 << 53)

  var printsEventStream = false
  /// nil for none.
  var firstID: Int? = 1
  var fullEvery: Int?
  var checkpoint: [UInt8]?
  var skipsErrors = false

  init(_ invocation: Invocation<Flag>) throws(ToolError) {
    let given = invocation.options.map(\.option)
    follows = given.contains(.follow)
    for (flag, bytes) in invocation.options {
      let name = flag.spec.name
      if follows, !flag.modes.follow { throw .usage("option '--\(name)' has no meaning with '--follow'") }
      if !follows, !flag.modes.pair { throw .usage("option '--\(name)' needs '--follow'") }
      try set(flag, OptionValue(bytes, of: flag.spec))
    }
    try setOperands(invocation.operands)
    try checkCombinations(given)
  }

  private mutating func set(_ flag: Flag, _ value: OptionValue) throws(ToolError) {
    switch flag {
    case .compact: isCompact = true
    case .type: isMergePatch = value.text == "merge-patch"
    case .test: differ.addsTests = true
    case .quiet: output = .status
    case .stat: output = .counts
    case .text:
      output = .text
      differ.isFine = true
    case .color: color = value.text == "always" ? .always : value.text == "never" ? .never : .auto
    case .verify: verifies = true
    case .ignore: try add(.ignore, value.bytes, value)
    case .only: try add(.only, value.bytes, value)
    case .unordered: try add(.unordered, value.bytes, value)
    case .identity:
      guard let mark = value.bytes.lastIndex(of: UInt8(ascii: "=")), mark + 1 < value.bytes.count else {
        throw value.refused("POINTER=NAME, such as /results=id")
      }
      try add(.identity(Array(value.bytes[(mark + 1)...])), Array(value.bytes[..<mark]), value)
    case .noMoves: differ.findsMoves = false
    case .follow: break  // set beforehand: it decides what others mean
    case .sse: printsEventStream = true
    case .firstID: firstID = try value.integer(Self.ids)
    case .noIDs: firstID = nil
    case .fullEvery: fullEvery = try value.integer(1...Int.max)
    case .checkpoint: checkpoint = try value.file()
    case .onError: skipsErrors = value.text == "skip"
    case .maxDepth: maxDepth = try value.integer(1...Int(Int32.max))
    case .maxSize: maxSize = try value.size()
    }
  }

  private mutating func add(_ purpose: Scope.Purpose, _ pointer: [UInt8], _ value: OptionValue) throws(ToolError) {
    let parsed = try value.pointer(example: "/results/*/updated", in: pointer)
    scope.add(Scope.Rule(purpose: purpose, pointer: parsed, text: "--\(value.spec.name) \(quoted(value.bytes))"))
  }

  private mutating func setOperands(_ operands: [[UInt8]]) throws(ToolError) {
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

  private func checkCombinations(_ given: [Flag]) throws(ToolError) {
    var pairs: [(Flag, Flag)] = [(.quiet, .stat), (.quiet, .text), (.stat, .text), (.noIDs, .firstID)]
    for output in [Flag.quiet, .stat, .text] { pairs += [(.compact, output), (.type, output), (.verify, output)] }
    pairs += [(.test, .quiet), (.test, .text)]
    for (a, b) in pairs where given.contains(a) && given.contains(b) {
      throw .usage("options '--\(a.spec.name)' and '--\(b.spec.name)' exclude each other")
    }
    if given.contains(.color), output != .text { throw .usage("option '--color' needs '--text'") }
    if isMergePatch, given.contains(.test) { throw .usage("option '--test' has no meaning with '--type merge-patch'") }
    if isMergePatch, given.contains(.noMoves) {
      throw .usage("option '--no-moves' has no meaning with '--type merge-patch'")
    }
  }
}
