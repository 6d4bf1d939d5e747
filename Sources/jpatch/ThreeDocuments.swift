import FeedCore

// A three-way merge.

extension PatchCommand {
  /// Merges three documents: the result keeps the layout of OURS. Unless the user has chosen what becomes of conflicts,
  /// nothing is written if there is one, so that a script cannot take half a merge for a whole one.
  func merge() throws(ToolFailure) -> ExitStatus {
    try checkInPlace()
    let (edited, ours) = try readDocument()
    let base = try readBase()
    let theirs = try options.readDocument(options.theirs, streams)

    var merge: ThreeWayMerge
    do {
      merge = try ThreeWayMerge(
        base: base, ours: ours, theirs: theirs, choice: options.conflictChoice ?? .ours, options.scope)
    } catch { throw .failed(.error, error.message, source: options.file.name) }
    let tree = merge.run()
    if tree.size > options.patching.maxSize {
      let text = "the result is larger than \(options.patching.maxSize) bytes (--max-size)"
      throw .failed(.error, text, source: options.file.name)
    }
    if let (array, rule, name) = merge.guess {
      streams.say(Diagnostic(words(array, rule, name), source: options.file.name))
    }
    let isClean = merge.conflicts.isEmpty
    if options.isQuiet { return isClean ? .yes : .no }
    if isClean || options.conflictChoice != nil {
      let marked = !isClean && options.conflictChoice == .both ? marked(tree, merge, ours, theirs) : nil
      try write(to: edited) { output in
        if let marked { return output.append(marked) }
        JSONVerbatimWriter(of: ours, and: theirs).write(tree, to: &output)
      }
    }
    for conflict in merge.conflicts { streams.say(Diagnostic(conflict.message + taken, source: options.file.name)) }
    return isClean || options.conflictChoice == .ours || options.conflictChoice == .theirs ? .yes : .no
  }

  /// Which member tells the items of an array apart is a guess, so the user should say it.
  private func words(_ array: JSONPointer, _ rule: JSONPointer, _ name: [UInt8]) -> String {
    let place = array.text.isEmpty ? "the array" : "'\(shortened(array.text))'"
    let typed = IdentityRule(array: rule, members: [name]).text
    return
      "assumed that '\(shortened(name))' identifies the items of \(place); to confirm it: --identity '\(quoted(typed))'"
  }

  /// BASE. Git gives an empty file if both sides have added the document.
  private func readBase() throws(ToolFailure) -> JSONDocument? {
    let content = try options.readAll(options.base, streams)
    return content.allSatisfy(\.isWhiteSpace) ? nil : try options.base.parse(content, maxDepth: options.maxDepth)
  }

  private func marked(
    _ tree: JSONTree, _ merge: ThreeWayMerge, _ ours: JSONDocument, _ theirs: JSONDocument
  ) -> [UInt8] {
    let marks = ConflictMarks(ours, theirs, merge.regions)
    return merge.isWholeConflict ? marks.wholeText : marks.text(tree)
  }

  private func write(to edited: EditedFile?, _ write: (inout ByteWriter) -> Void) throws(ToolFailure) {
    if let edited { return try replace(edited, undo: nil, write: write) }
    var output = ByteWriter(streams.output, records: .filter)
    write(&output)
    output.markRecord()
    try output.flushOutput()
  }

  /// What a message adds if the user has chosen a side.
  private var taken: String {
    switch options.conflictChoice {
    case .ours: " (took OURS)"
    case .theirs: " (took THEIRS)"
    case .both, nil: ""
    }
  }
}
