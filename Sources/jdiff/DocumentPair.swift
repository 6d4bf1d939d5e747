import FeedCore

/// Two documents, and the patch from one to the other.
struct DocumentPair {
  let options: Options
  let streams: StandardStreams
  /// Two documents of so many bytes are compared in some tenths of a second or more.
  private static let large = 100_000_000

  /// Compares OLD and NEW. NEW is parsed with the help of OLD, as both have much in common.
  func run() throws(ToolFailure) -> ExitStatus {
    var progress = ReadingProgress(streams, of: options.files)
    let oldText = try read(options.files[0], &progress)
    let newText = try read(options.files[1], &progress, like: oldText)
    progress.enter("comparing", large: Self.large)
    if options.takesEmptyFiles, oldText.isEmpty || newText.isEmpty { return try showOnly(oldText, newText) }
    // Most equal documents are equal byte for byte.
    if sameBytes(oldText.span, newText.span),
      let kind = JSONCheck.kind(of: oldText, maxDepth: options.maxDepth, hasComments: options.takesComments),
      try printNone(kind)
    {
      return .yes
    }
    let old = try parse(oldText, options.files[0])
    let new = try parse(newText, options.files[1], like: old)
    var output = ByteWriter(streams.output, records: .filter)
    let isSame = try printPatch(
      from: Side(old, options.scope, of: options.files[0].name),
      to: Side(new, options.scope, of: options.files[1].name),
      &output)
    try output.flushOutput()
    return isSame ? .yes : .no
  }

  /// Prints the patch between a document and itself.
  /// - Returns: false if that takes more than its kind.
  private func printNone(_ kind: JSONKind) throws(ToolFailure) -> Bool {
    guard let none = PatchOutput.none(kind, options) else { return false }
    var output = ByteWriter(streams.output, records: .filter)
    print(none, to: &output)
    try output.flushOutput()
    return true
  }

  private func read(
    _ file: InputFile, _ progress: inout ReadingProgress, like old: [UInt8] = []
  ) throws(ToolFailure) -> [UInt8] {
    var count = 0
    return try file.readAll(streams, limit: options.maxSize, option: "--max-size", like: old) { bytes in
      progress.advance(by: bytes.count - count)
      count = bytes.count
      return options.comments.mayBegin(with: bytes)
    }
  }

  private func parse(_ text: [UInt8], _ file: InputFile, like old: JSONDocument? = nil) throws(ToolFailure)
    -> JSONDocument
  {
    try file.parse(text, maxDepth: options.maxDepth, comments: options.comments, like: old)
  }

  /// - Returns: whether the documents are equal.
  private func printPatch(from old: Side, to new: Side, _ output: inout ByteWriter) throws(ToolFailure) -> Bool {
    switch options.output {
    case .status: return Sides.areEqual(old, new)
    case .text:
      var differ = Differ(old, new, options.differ)
      differ.run()
      try view.write(differ, to: &output)
      return differ.changes.isEmpty
    case .patch:
      let patch: PatchOutput?
      do { patch = try PatchOutput.between(old, new, options) } catch {
        throw .failed(.error, error.message, source: options.files[1].name)
      }
      let printed = patch ?? .none(old.whole.root.kind, options) ?? .merge(old.whole.root.text)
      print(printed, to: &output)
      return patch == nil
    }
  }

  private func print(_ patch: PatchOutput, to output: inout ByteWriter) {
    switch options.output {
    case .patch:
      patch.write(compact: options.isCompact, to: &output)
      output.endLine()
    case .status, .text: break
    }
  }

  private var view: TextView {
    let labels = options.labels.map { String(decoding: $0, as: UTF8.self) }
    let names = labels + options.files.map(\.name).dropFirst(labels.count)
    return TextView(title: zip(["--- ", "+++ "], names).map { $0 + quoted($1.utf8) }, options, on: streams.output)
  }

  /// Shows the document of the file that is not empty.
  private func showOnly(_ oldText: [UInt8], _ newText: [UInt8]) throws(ToolFailure) -> ExitStatus {
    if oldText.isEmpty, newText.isEmpty { return .yes }
    let (text, file) = newText.isEmpty ? (oldText, options.files[0]) : (newText, options.files[1])
    let side = try Side(try parse(text, file), Scope(), of: file.name)
    var output = ByteWriter(streams.output, records: .filter)
    view.write(newText.isEmpty ? .gone : .come, whole: side.whole, to: &output)
    try output.flushOutput()
    return .no
  }
}
