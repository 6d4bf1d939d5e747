import FeedCore

/// From input to output: reads, finds the elements that match PATH, and passes them to the writer.
struct Splitter {
  let options: Options
  let streams: StandardStreams
  var writer: ElementWriter
  private var progress: ReadingProgress
  /// Whether an error occurred that did not end the run.
  var hasFailed = false
  /// Whether an error was reported and nothing has been right since.
  var isSilent = false
  /// How many tokenizer errors have been skipped.
  var faultCount = 0
  var repairs = Repairs()
  private var hint: PathHint

  var window = Window()
  var tokenizer: XMLTokenizer
  var selector: ElementSelector
  var wanted = WantedElements()
  /// Deeper elements are not examined: they are inside one that is written, or lost.
  var deepest = Int.max
  var joined = JoinedDocuments()
  /// For a document in an encoding with one byte for each character.
  var table: SingleByteTable?
  /// Up to here, the window has no form feed.
  var feedless = 0
  /// How many bytes of the input have been removed from the window.
  private(set) var dropped = 0

  init(_ options: Options, _ streams: StandardStreams) {
    self.options = options
    self.streams = streams
    writer = ElementWriter(options.sink, options.conditions, streams.output)
    progress = ReadingProgress(streams, of: options.inputs)
    tokenizer = Self.tokenizer(options)
    selector = ElementSelector(options.conditions.path)
    hint = PathHint(options.conditions.path, isWanted: streams.error.isTerminal)
  }

  static func tokenizer(_ options: Options, at start: Int = 0) -> XMLTokenizer {
    var limits = options.limits
    limits.refusesUnknown = options.atError == .repair
    return XMLTokenizer(at: start, limits: limits, isSingle: options.isSingle, endsAtFormFeed: options.endsAtFormFeed)
  }

  /// Processes all files.
  mutating func run() throws(ToolFailure) -> ExitStatus {
    do throws(ToolFailure) {
      for file in options.inputs where !isDone { try take(file) }
      writer.finish()
      writer.end()
      try writer.flush()
      repairs.endReport(to: streams)
      for note in writer.lastNotes { streams.say(Diagnostic(note)) }
      if let message = hint.message { streams.say(Diagnostic(message)) }
    } catch {
      // The elements before the error are written first.
      if error != .brokenPipe {
        writer.finish()
        try writer.flush()
      }
      throw error
    }
    return hasFailed ? .error : writer.count > 0 && repairs.count == 0 ? .yes : .no
  }

  /// Whether all that --limit allows was written.
  var isDone: Bool { writer.count == options.limit }

  // MARK: Reading

  private mutating func take(_ file: InputFile) throws(ToolFailure) {
    window = Window()
    begin()
    var source: InputSource
    do {
      source = try InputSource(
        file, streams, hasPrefixes: options.hasPrefixes, endsAtFormFeed: options.endsAtFormFeed)
    } catch { return try report(error) }
    defer { source.close() }
    while true {
      try source.wait { () throws(ToolFailure) in try writer.flush() }
      let piece: InputSource.Piece
      do { piece = try source.next(&window) } catch {
        guard error.diagnostic.place != nil else { throw error }
        // An error before that is reported first, wherever the input was cut.
        if let turn = try process(source, isLast: true, hasMore: true) {
          try take(turn, &source)
          continue
        }
        if isDone { return }
        try report(error)
        if source.isExhausted { return }
        if source.isBetweenStreams { begin() }
        continue
      }
      progress.advance(by: source.lastCount)
      if piece == .inputEnd, options.hasPrefixes { return }
      tokenizer.encoding.isUTF16 = source.isUTF16
      try takeBytes(of: &source, isLast: piece != .more)
      try writer.check()
      if isDone { return }
      if source.holdsMore { continue }
      switch piece {
      case .more: break
      case .streamEnd: begin()
      case .inputEnd: return
      }
    }
  }

  /// Prepares for a stream of documents.
  private mutating func begin() {
    dropped += window.bytes.count
    window.drop(window.bytes.count)
    feedless = 0
    begin(at: 0)
  }

  /// Prepares for a document and those after it, whatever happened to the one before.
  /// - Parameters:
  ///   - start: its start in the window.
  ///   - encoding: that of the stream, if it is the same one.
  mutating func begin(at start: Int, in encoding: StreamEncoding = StreamEncoding()) {
    repairs.end = 0
    tokenizer = Self.tokenizer(options, at: start)
    tokenizer.encoding = encoding
    writer.endDocument()
    selector.leave(to: 0)
    wanted = WantedElements()
    deepest = .max
    joined.beginStream()
    isSilent = false
  }

  /// Processes the bytes that have come.
  private mutating func takeBytes(of source: inout InputSource, isLast: Bool) throws(ToolFailure) {
    while let turn = try process(source, isLast: isLast) {
      try take(turn, &source)
      if source.holdsMore { break }
    }
    for note in writer.takeNotes() { try warn(note, source) }
    try warnOfEntity(source)
    if isDone { return }
    let limit = options.limits.maxToken
    if let warning = joined.warning(from: dropped, at: dropped + tokenizer.offset, limit: limit) {
      try warn(warning, source)
    }
    try loseTooLarge(endingAt: tokenizer.offset, source)
    forget()
  }

  private mutating func take(_ turn: EncodingChange, _ source: inout InputSource) throws(ToolFailure) {
    do { try source.begin(turn, &window) } catch {
      tokenizer.encoding.charset = nil
      try report(error, source)
      deepest = 0
    }
    table = source.table
    feedless = min(feedless, window.bytes.count)
  }

  /// - Parameter hasMore: with `isLast`: more input follows, but it is not XML. Then it is no error that the text ends
  ///   here.
  /// - Returns: where the rest must be decoded in another way.
  private mutating func process(
    _ source: InputSource, isLast: Bool, hasMore: Bool = false
  ) throws(ToolFailure) -> EncodingChange? {
    while true {
      let turn = try processWindow(source, isLast: isLast && !window.hasRest, hasMore: hasMore)
      if let repair = repairs.takeNext() {
        window.apply(repair)
        feedless = min(feedless + repair.growth, window.bytes.count)
      } else if window.hasRest {
        window.takeRest(all: turn != nil)
        if turn != nil { return turn }
      } else {
        return turn
      }
    }
  }

  /// The same, up to the next repair.
  private mutating func processWindow(
    _ source: InputSource, isLast: Bool, hasMore: Bool
  ) throws(ToolFailure) -> EncodingChange? {
    let bytes = window.bytes
    return try process(bytes.span, source, isLast: isLast, hasMore: hasMore, cuts: .all)
  }

  /// The same, with the window or a part of it.
  /// - Parameter cuts: which cuts to look for.
  mutating func process(
    _ span: borrowing Span<UInt8>, _ source: InputSource, isLast: Bool, hasMore: Bool = false, cuts: Cuts
  ) throws(ToolFailure) -> EncodingChange? {
    while !isDone {
      let token: XMLTokenizer.Token?
      do {
        token = try tokenizer.next(span, isLast: isLast, deepest: deepest)
      } catch {
        // It is the first error, wherever the input was cut.
        try loseTooLarge(endingAt: tokenizer.offset, source)
        switch try passCut(span, source, isLast: isLast, cuts) {
        case .none: break
        case .passed: continue
        case .undecided: return nil
        case .turn(let turn): return turn
        }
        if hasMore, error.offset >= span.count { break }
        // After a form feed, nothing follows either.
        let step = try repair(error, span, source, isLast: isLast || cuts == .startTags)
        switch step {
        case .none, .unclosed: break
        case .more, .edit: return nil
        case .nextDocument:
          try recover(span, source)
          continue
        }
        if case .unclosed = step, try leaveUnclosed(error, span, source) { continue }
        // A lost document is reported even after another error, but of several in a row only the first.
        if deepest > 0, tokenizer.losesDocument(span) { isSilent = false }
        try report(withHint(error, span, source), source)
        if isLast, error.offset >= span.count { break }
        try recover(span, source)
        continue
      }
      guard let token else { break }
      // Before anything else, so that it does not depend on where the input was cut.
      if wanted.isTooLarge(endingAt: token.range.upperBound, limit: options.limits.maxToken) {
        try loseTooLarge(endingAt: token.range.upperBound, source)
      }
      if token.kind == .documentStart {
        deepest = .max
        joined.beginDocument()
        guard tokenizer.encoding.isToConvert, !source.isConverting else { continue }
        var encoding = tokenizer.encoding
        if options.atError == .repair { encoding.charset = encoding.charset?.assumed }
        return (token.range.upperBound, encoding)
      }
      if token.kind != .endTag, joined.see(token, span) {
        try endDocument(at: token.range.lowerBound, span, source)
        begin(at: token.range.lowerBound, in: tokenizer.encoding)
        continue
      }
      do { try handle(token, span) } catch {
        try report(error, source)
        if wanted.hasFreed { try settleLost(span, source) }
      }
    }
    return nil
  }

  /// Removes bytes that are no longer needed, if they are at least as many as those that stay.
  private mutating func forget() {
    let count = min(tokenizer.offset, wanted.start)
    guard count > 0, count >= window.bytes.count - count else { return }
    // Moved out, because a second owner would make shortening copy them.
    var bytes: [UInt8] = []
    swap(&bytes, &window.bytes)
    tokenizer.drop(count, of: bytes.span)
    swap(&bytes, &window.bytes)
    window.drop(count)
    dropped += count
    feedless = max(0, feedless - count)
    repairs.end -= count
    wanted.drop(count)
  }

  // MARK: Elements

  @inline(__always)
  private mutating func handle(_ tag: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>) throws(XMLError) {
    if tag.kind != .endTag {
      do { try enter(tag, bytes) } catch {
        if tag.kind == .emptyTag { try leave(tag, bytes) }
        throw error
      }
    }
    if tag.kind != .startTag { try leave(tag, bytes) }
  }

  private mutating func enter(_ tag: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>) throws(XMLError) {
    if tag.depth > deepest { return enterInner(tag, bytes) }
    isSilent = false
    hint.see(tag, bytes)
    if tag.depth == 1 {
      let document = tokenizer.document
      let hasEntities = document.hasDocumentType && !options.keepsEntities
      selector.entities = hasEntities ? document.entities.texts(limit: Options.maxEntityText) : nil
      writer.beginDocument(tag, document, selector.entities, bytes)
    }
    let matched: UInt64
    do { matched = try selector.enter(tag, tokenizer.attributes, bytes) } catch {
      deepest = tag.depth
      throw error
    }
    if tag.depth == 1, tag.kind == .startTag, !options.hasPrefixes {
      let cannotFit = matched == 0 && !selector.leadsFurther && writer.count > 0
      joined.beginRoot(
        tag, bytes, waitingFrom: cannotFit ? dropped + tag.range.lowerBound : nil,
        isRestart: restartTag(at: tag.range.lowerBound, bytes) == .yes)
      wantNames()
    }
    guard matched != 0 else { return }
    hint.stop()
    let resumesSearch = joined.matched(at: tag.range.lowerBound)
    if !options.isNested { deepest = tag.depth }
    var element = wantedElement(tag, bytes)
    element.matched = matched
    let hasDeclarations = options.inherits && !selector.namespaces.declarations.isEmpty
    let inherited = hasDeclarations ? try inherited(by: tag, tokenizer.attributes, bytes) : []
    wanted.begin(element, inherited: inherited, keeping: keepsInner ? array(bytes, tag.name) : [])
    if resumesSearch || keepsInner { wantNames() }
  }

  /// Has start tags returned at any depth that may begin another document, or are kept inside a wanted element.
  mutating func wantNames() { tokenizer.want(root: joined.wanted, inner: wanted.name) }

  mutating func wantedElement(_ tag: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>) -> WantedElement {
    WantedElement(
      start: tag.range.lowerBound, nameEnd: tag.name.upperBound, depth: tag.depth,
      node: writer.needsTree ? tokenizer.record(tag) : nil,
      referencesBefore: tokenizer.document.referenceCount - tokenizer.attributeReferences,
      keptBefore: wanted.kept.count)
  }

  /// The namespace declarations that an element inherits.
  func inherited(
    by tag: XMLTokenizer.Token, _ attributes: [StartTag.Attribute], _ bytes: borrowing Span<UInt8>
  ) throws(XMLError) -> [[UInt8]] {
    try selector.namespaces.inherited(
      by: tag, attributes, bytes, from: writer.outermostInherited, limit: Options.maxInherited)
  }

  private mutating func leave(_ tag: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>) throws(XMLError) {
    if tag.depth > deepest { return }
    isSilent = false
    var element: WantedElement?
    if wanted.lastDepth >= tag.depth {
      if wanted.lastDepth > tag.depth { wanted.leave(to: tag.depth) }
      element = wanted.end(at: tag.range.upperBound, limit: options.limits.maxToken)
      // Inside a wanted element, PATH is not followed.
      if !wanted.name.isEmpty {
        deepest = wanted.lastDepth
        guard let element else { return }
        return try writeInner(element, endingAt: tag.range.upperBound, at: wanted.open[0].depth, bytes)
      }
    }
    deepest = .max
    selector.leave(to: tag.depth)
    defer {
      selector.leave(to: tag.depth - 1)
      if tag.depth == 1 { writer.endDocument() }
    }
    if tag.depth == 1 { joined.endRoot() }
    guard let element else { return }
    let inherited = wanted.takeInherited(of: element)
    try write(element, endingAt: tag.range.upperBound, inherited: inherited, bytes)
  }

  /// Writes a complete element.
  mutating func write(
    _ element: WantedElement, endingAt end: Int, inherited: [[UInt8]], _ bytes: borrowing Span<UInt8>
  ) throws(XMLError) {
    let found = FoundElement(element, endingAt: end, inherited: inherited, in: tokenizer.document, table)
    if let node = element.node {
      tokenizer.tape.finish(node, bytes, found.range, in: selector.namespaces)
    }
    // Otherwise they would have two owners, and all be copied when they change.
    defer { tokenizer.tape.releaseNamespaces() }
    try writer.write(found, tokenizer.tape.finished, bytes)
  }
}
