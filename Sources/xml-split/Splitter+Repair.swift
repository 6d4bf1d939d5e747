import FeedCore

/// The repairs of a run (--on-error repair).
struct Repairs {
  /// How many there were.
  private(set) var count = 0
  /// The repair that comes next, as soon as nobody reads the bytes.
  private var next: Repair?
  /// The offset after the last repair. Before that, an error cannot be repaired, so each byte is repaired once.
  var end = 0
  /// The first repairs are reported, of the others only their number.
  private static let maxReports = 10

  /// Whether a repair comes next.
  var isWaiting: Bool { next != nil }

  mutating func takeNext() -> Repair? {
    defer { next = nil }
    return next
  }

  mutating func add(_ repair: Repair) {
    next = repair
    end = repair.range.lowerBound + repair.replacement.count
  }

  /// Counts a repair.
  /// - Returns: whether to report it.
  mutating func note() -> Bool {
    count += 1
    return count <= Self.maxReports
  }

  /// Says how many repairs were not reported.
  func endReport(to streams: StandardStreams) {
    let others = count - Self.maxReports
    if others > 0 { streams.say(Diagnostic(others == 1 ? "1 more repair" : "\(others) more repairs")) }
  }
}

extension Splitter {
  /// Finds the repair of a tokenizer error, if errors are repaired. Each is reported, wherever it is: what seems to change
  /// nothing outside the elements that are written may change where they are, as an end tag that is missing.
  mutating func repair(
    _ error: XMLError, _ bytes: borrowing Span<UInt8>, _ source: InputSource, isLast: Bool
  ) throws(ToolFailure) -> RepairStep {
    guard options.atError == .repair, tokenizer.offset >= repairs.end else { return .none }
    let step = tokenizer.repair(error, bytes, isLast: isLast, outermost: wanted.first?.depth)
    switch step {
    case .edit(let repair): repairs.add(repair)
    case .nextDocument: break
    case .none, .more, .unclosed: return step
    }
    if repairs.note() { try warn(error, source, prefix: "repaired: ") }
    return step
  }

  /// The error, with what would help if it ends the run.
  func withHint(_ error: XMLError, _ bytes: borrowing Span<UInt8>, _ source: InputSource) -> XMLError {
    // A byte order mark of UTF-16 is never a part of UTF-8.
    let isOther = source.isConverting || (error.offset < bytes.count && bytes[error.offset] >= 0xFE)
    if isOther, !options.isSingle, error == .textAfterDocument(at: error.offset) {
      let name = shortened(tokenizer.encoding.name)
      let way = "before another encoding than \(name), put a form feed, or use --length-prefixed"
      return XMLError("\(error.message); \(way)", at: error.offset)
    }
    if error == .lateDeclaration(at: error.offset), tokenizer.depth > 0, options.restartName == nil, !options.isSingle,
      !options.hasPrefixes
    {
      return XMLError("\(error.message) (if documents follow each other: \(joined.remedy))", at: error.offset)
    }
    guard options.atError == .stop, error.offset < bytes.count, bytes[error.offset] == UInt8(ascii: "&"),
      let end = (try? XMLReference.end(bytes, from: error.offset + 1)) ?? nil
    else { return error }
    let name = array(bytes, (error.offset + 1)..<(end - 1))
    guard HTMLEntities.character(name) != nil, error == .undeclaredEntity(name, at: error.offset) else { return error }
    return XMLError(error.message + " (--on-error repair)", at: error.offset)
  }

  // MARK: Lost elements, whose place those of their name inside take

  /// Leaves the wanted element that has no end tag, at the end of an element around it, or of the input, or where the
  /// elements are nested too deep.
  /// - Returns: whether there are elements inside it that take its place. If not, the error shows what was expected.
  mutating func leaveUnclosed(
    _ error: XMLError, _ bytes: borrowing Span<UInt8>, _ source: InputSource
  ) throws(ToolFailure) -> Bool {
    let others = wanted.innerCount
    guard let first = wanted.first, !wanted.name.isEmpty, others > 0 || !wanted.kept.isEmpty else { return false }
    let more = others == 0 ? "" : others == 1 ? ", and 1 inside it has none" : ", and \(others) inside it have none"
    let reason = error == tokenizer.tooDeep ? ": \(error.message)" : ""
    try report(XMLError("element '\(shortened(wanted.name))' has no end tag\(more)\(reason)", at: first.start), source)
    wanted.loseAll()
    try settleLost(bytes, source)
    tokenizer.leave(to: first.depth - 1)
    wanted.leave(to: first.depth - 1)
    deepest = wanted.open.isEmpty ? .max : wanted.lastDepth
    return true
  }

  /// Writes the complete elements inside those that were lost, and keeps only the trees that are still needed.
  mutating func settleLost(_ bytes: borrowing Span<UInt8>, _ source: InputSource) throws(ToolFailure) {
    if !wanted.name.isEmpty, let outermost = wanted.open.first { selector.leave(to: outermost.depth - 1) }
    for inner in wanted.takeFreed() where !isDone {
      do { try writeInner(inner.element, endingAt: inner.end, at: wanted.freedDepth, bytes) } catch {
        try report(error, source)
      }
    }
    if let node = wanted.first?.node { tokenizer.tape.forget(before: node) } else { tokenizer.tape.stop() }
  }

  /// Whether elements inside a wanted one are kept, because it may have no end.
  var keepsInner: Bool { options.atError == .repair && !options.isNested }

  /// Enters an element inside a wanted one.
  mutating func enterInner(_ tag: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>) {
    guard !wanted.name.isEmpty, isName(bytes, tag.name, wanted.name) else { return }
    wanted.begin(wantedElement(tag, bytes))
    deepest = tag.depth
  }

  /// Writes a complete element that takes the place of a lost one around it, if PATH matches it there.
  mutating func writeInner(
    _ element: WantedElement, endingAt end: Int, at depth: Int, _ bytes: borrowing Span<UInt8>
  ) throws(XMLError) {
    var element = element
    var start = StartTag()
    guard let result = try start.parse(bytes, at: element.start, maxAttributes: options.limits.maxAttributes)
    else { return }
    let tag = XMLTokenizer.Token(
      kind: result.isEmpty ? .emptyTag : .startTag, range: element.start..<result.end, name: start.name, depth: depth)
    defer { selector.leave(to: depth - 1) }
    element.depth = depth
    element.matched = try selector.enter(tag, start.attributes, bytes)
    if element.matched == 0 { return }
    isSilent = false
    let inherited = options.inherits ? try inherited(by: tag, start.attributes, bytes) : []
    try write(element, endingAt: end, inherited: inherited, bytes)
  }
}
