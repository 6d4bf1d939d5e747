// The way of the bytes: in, judged, and those of the elements that PATH names out again.

import FeedCore

struct Splitter {
  private let options: Options
  private let streams: StandardStreams
  private var writer: ElementWriter
  /// Whether something was wrong that did not end it.
  private var hasFailed = false
  /// Whether what is wrong has been said, and nothing was right since.
  private var isSilent = false

  private var window = Window()
  private var tokenizer: XMLTokenizer
  private var matcher: PathMatcher
  private var namespaces = Namespaces()
  /// The wanted elements that have not ended.
  private var records: [WantedElement] = []
  /// Elements deeper than this are not looked at: those inside one that is written, or lost.
  private var blind = Int.max
  private var joined = JoinedDocuments()
  /// How many bytes of the input are not in the window any more.
  private var dropped = 0

  init(_ options: Options, _ streams: StandardStreams) {
    self.options = options
    self.streams = streams
    writer = ElementWriter(options, streams.output)
    tokenizer = XMLTokenizer(limits: options.limits, isSingle: options.isSingle)
    matcher = PathMatcher(options.path)
  }

  /// Goes through all files.
  mutating func run() throws(ToolFailure) -> ExitStatus {
    do throws(ToolFailure) {
      for file in options.inputs { try take(file) }
      writer.finish()
      try writer.flush()
    } catch {
      // What was good is written first.
      if error != .brokenPipe {
        writer.finish()
        try writer.flush()
      }
      throw error
    }
    return hasFailed ? .trouble : writer.count > 0 ? .yes : .no
  }

  // MARK: Reading

  private mutating func take(_ file: InputFile) throws(ToolFailure) {
    window = Window()
    begin()
    var source: InputSource
    do { source = try InputSource(file, streams, hasPrefixes: options.hasPrefixes) } catch { return try report(error) }
    defer { source.close() }
    while true {
      try source.wait { () throws(ToolFailure) in try writer.flush() }
      let piece: InputSource.Piece
      do { piece = try source.next(&window) } catch {
        guard error.diagnostic.place != nil else { throw error }
        // What is wrong before that is told first, wherever the input was cut.
        try goThrough(source, isLast: true, hasMore: true)
        try report(error)
        if source.isExhausted { return }
        if source.isBetweenStreams { begin() }
        continue
      }
      if piece == .inputEnd, options.hasPrefixes { return }
      tokenizer.wasUTF16 = source.isUTF16
      try goOn(source, isLast: piece != .more)
      try writer.check()
      switch piece {
      case .more: break
      case .streamEnd: begin()
      case .inputEnd: return
      }
    }
  }

  /// Gets ready for a stream of documents.
  private mutating func begin() {
    dropped += window.bytes.count
    window.drop(window.bytes.count)
    tokenizer = XMLTokenizer(limits: options.limits, isSingle: options.isSingle)
    writer.endDocument()
    matcher.leave(to: 0)
    namespaces.leave(depth: 1)
    records = []
    blind = .max
    joined.reset()
    isSilent = false
  }

  /// Goes on with what has come.
  private mutating func goOn(_ source: InputSource, isLast: Bool) throws(ToolFailure) {
    try goThrough(source, isLast: isLast)
    try lookForJoint(source)
    while let first = records.first, isTooLarge(first) {
      try report(tooLarge(first), source)
      records.removeFirst()
    }
    forget()
  }

  /// - Parameter hasMore: with `isLast`, that something does follow, which is no XML: that all ends here is no error.
  private mutating func goThrough(
    _ source: InputSource, isLast: Bool, hasMore: Bool = false
  ) throws(ToolFailure) {
    let bytes = window.bytes
    let span = bytes.span
    while true {
      let token: XMLTokenizer.Token?
      do { token = try tokenizer.next(span, isLast: isLast, deepest: blind) } catch {
        if hasMore, error.offset >= span.count { break }
        try report(error, source)
        if isLast, error.offset >= span.count { break }
        recover(span)
        continue
      }
      guard let token else { break }
      do { try handle(token, span) } catch { try report(error, source) }
    }
  }

  /// Forgets the bytes that nothing needs, when they are as many as those that stay.
  private mutating func forget() {
    let count = min(tokenizer.offset, records.first?.start ?? .max)
    guard count > 0, count >= window.bytes.count - count else { return }
    // Taken out, for they would be copied if they had a second owner while they are shortened.
    var bytes: [UInt8] = []
    swap(&bytes, &window.bytes)
    tokenizer.drop(count, of: bytes.span)
    swap(&bytes, &window.bytes)
    window.drop(count)
    dropped += count
    for index in records.indices {
      records[index].start -= count
      records[index].nameEnd -= count
    }
  }

  // MARK: Errors

  private mutating func report(_ error: XMLError, _ source: InputSource) throws(ToolFailure) {
    if !isSilent { try report(source.failure(error, window)) }
  }

  /// Ends with an error, or only says it, once for all that is wrong until something is right again.
  private mutating func report(_ error: ToolFailure) throws(ToolFailure) {
    if !options.skipsErrors { throw error }
    hasFailed = true
    if isSilent { return }
    isSilent = true
    try writer.flush()
    streams.say(error.diagnostic)
  }

  private func isTooLarge(_ record: WantedElement) -> Bool {
    tokenizer.offset - record.start > options.limits.maxToken
  }

  private func tooLarge(_ record: WantedElement) -> XMLError {
    XMLError("an element of more than \(options.limits.maxToken) bytes (--max-element)", at: record.start)
  }

  /// Goes on behind an error of the tokenizer. The elements that are wanted and open are lost.
  private mutating func recover(_ bytes: borrowing Span<UInt8>) {
    let recovery = tokenizer.recover(bytes)
    if let outermost = records.first { blind = outermost.depth }
    records = []
    let isBroken = recovery == .inBrokenElement
    let depth = tokenizer.depth - (isBroken ? 1 : 0)
    if depth < blind {
      matcher.leave(to: depth)
      namespaces.leave(depth: depth + 1)
      if isBroken { _ = matcher.enter(0) }
      blind = isBroken ? depth + 1 : .max
    }
    if recovery == .inLostDocument { blind = 0 }
    if depth == 0 { writer.endDocument() }
  }

  /// Says it when another document seems to have begun inside this one.
  private mutating func lookForJoint(_ source: InputSource) throws(ToolFailure) {
    let position = dropped + tokenizer.offset
    switch joined.judge(&tokenizer.watch, from: dropped, at: position, limit: options.limits.maxToken) {
    case nil: return
    case .newDocument(let sighting):
      try warn(
        "a new document seems to begin inside element '\(shortened(tokenizer.watch.name))', which has not ended",
        sighting.offset, source)
    case .endless:
      let limit = options.limits.maxToken
      try warn(
        "element '\(shortened(tokenizer.watch.name))' has not ended, and nothing fits PATH for more than \(limit) bytes (--max-element)",
        tokenizer.offset, source)
    }
  }

  /// Prints a message that is no error.
  private mutating func warn(_ message: String, _ offset: Int, _ source: InputSource) throws(ToolFailure) {
    try writer.flush()
    streams.say(source.failure(XMLError(message, at: offset), window).diagnostic)
  }

  // MARK: Elements

  @inline(__always)
  private mutating func handle(_ token: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>) throws(XMLError) {
    switch token {
    case .startTag: try enter(bytes, depth: tokenizer.depth)
    case .emptyTag:
      let depth = tokenizer.depth + 1
      do { try enter(bytes, depth: depth) } catch {
        try leave(bytes, depth: depth)
        throw error
      }
      try leave(bytes, depth: depth)
    case .endTag: try leave(bytes, depth: tokenizer.depth + 1)
    case .documentStart:
      blind = .max
      tokenizer.watch.end()
      joined.reset()
    case .documentType: break
    }
  }

  private mutating func enter(_ bytes: borrowing Span<UInt8>, depth: Int) throws(XMLError) {
    if depth > blind { return }
    isSilent = false
    if depth == 1 { writer.beginDocument(tokenizer, bytes) }
    if !tokenizer.tag.attributes.isEmpty { namespaces.enter(bytes, tokenizer.tag, tokenizer.encoding, depth: depth) }
    let isWanted: Bool
    do { isWanted = try matches(bytes) } catch {
      _ = matcher.enter(0)
      blind = depth
      throw error
    }
    if depth == 1, !options.hasPrefixes { watchRoot(bytes, isWanted: isWanted) }
    guard isWanted else { return }
    joined.fits()
    tokenizer.watch.lookOn(behind: tokenizer.tokenStart)
    if !options.isNested { blind = depth }
    records.append(
      WantedElement(
        start: tokenizer.tokenStart, nameEnd: tokenizer.name.upperBound, depth: depth,
        inherited: options.inherits ? try inherited(bytes, depth) : []))
  }

  /// The namespace declarations that an element takes along.
  private func inherited(_ bytes: borrowing Span<UInt8>, _ depth: Int) throws(XMLError) -> [[UInt8]] {
    let texts = namespaces.inherited(
      by: bytes, tokenizer.tag, from: options.form.outermostInherited, to: depth - 1, limit: options.maxInherited)
    if let texts { return texts }
    throw XMLError(
      "an element that inherits more than \(options.maxInherited) bytes of declarations (--max-inherited)",
      at: tokenizer.tokenStart)
  }

  /// A root element begins that goes on: it may be cut off, and another begin inside it.
  private mutating func watchRoot(_ bytes: borrowing Span<UInt8>, isWanted: Bool) {
    guard tokenizer.depth == 1 else { return }
    tokenizer.watch.begin(bytes, tokenizer.tokenStart..<tokenizer.offset, nameLength: tokenizer.name.count)
    if tokenizer.watch.name.isEmpty || isWanted || matcher.open != 0 || writer.count == 0 { return }
    joined.wait(from: dropped + tokenizer.tokenStart)
  }

  private mutating func leave(_ bytes: borrowing Span<UInt8>, depth: Int) throws(XMLError) {
    if depth > blind { return }
    blind = .max
    isSilent = false
    matcher.leave(to: depth - 1)
    namespaces.leave(depth: depth)
    defer { if depth == 1 { writer.endDocument() } }
    if depth == 1 {
      joined.endRoot(tokenizer.watch)
      tokenizer.watch.end()
    }
    guard let record = records.last, record.depth == depth else { return }
    records.removeLast()
    if isTooLarge(record) { throw tooLarge(record) }
    try writer.write(FoundElement(record, endingAt: tokenizer.offset, tokenizer.encoding), bytes)
  }

  private mutating func matches(_ bytes: borrowing Span<UInt8>) throws(XMLError) -> Bool {
    var open = matcher.open
    var fitting: UInt64 = 0
    while open != 0 {
      let step = open.trailingZeroBitCount
      open &= open - 1
      if try fits(matcher.path.steps[step], bytes) { fitting |= 1 << UInt64(step) }
    }
    return matcher.enter(fitting)
  }

  private func fits(_ step: XMLPath.Step, _ bytes: borrowing Span<UInt8>) throws(XMLError) -> Bool {
    guard try fits(step.name, tokenizer.name, bytes, isAttribute: false) else { return false }
    for predicate in step.predicates where try !fits(predicate, bytes) { return false }
    return true
  }

  private func fits(_ predicate: XMLPath.Predicate, _ bytes: borrowing Span<UInt8>) throws(XMLError) -> Bool {
    for attribute in tokenizer.tag.attributes
    where try fits(predicate.attribute, attribute.name, bytes, isAttribute: true) {
      guard let wanted = predicate.value else { return true }
      return XMLText.decoded(array(bytes, attribute.value), tokenizer.encoding) == wanted
    }
    return false
  }

  /// Whether a name in the tag is the one that PATH wants. An attribute without a prefix is in no namespace.
  private func fits(
    _ wanted: XMLPath.Name, _ name: Range<Int>, _ bytes: borrowing Span<UInt8>, isAttribute: Bool
  ) throws(XMLError) -> Bool {
    switch wanted {
    case .any: return true
    case .written(let written):
      if written.count == name.count, sameBytes(bytes.extracting(name), written.span) { return true }
      return tokenizer.encoding.converted != tokenizer.encoding && text(bytes, name) == written
    case .anyWithPrefix(let prefix):
      return prefixEnd(bytes, name).map { text(bytes, name.lowerBound..<$0) == prefix } == true
    case .inNamespace(let uri, let local):
      let colon = prefixEnd(bytes, name)
      if let local, text(bytes, (colon.map { $0 + 1 } ?? name.lowerBound)..<name.upperBound) != local { return false }
      if isAttribute, colon == nil { return uri.isEmpty }
      let prefix = colon.map { array(bytes, name.lowerBound..<$0) } ?? []
      guard let found = namespaces.uri(prefix[...]) else {
        throw XMLError("prefix '\(shortened(prefix))' is not declared", at: name.lowerBound)
      }
      return found == uri
    }
  }

  /// Where the prefix of a name ends; nil where it has none.
  private func prefixEnd(_ bytes: borrowing Span<UInt8>, _ name: Range<Int>) -> Int? {
    firstIndex(of: UInt8(ascii: ":"), in: bytes, name)
  }

  /// A part of the text in UTF-8, as PATH is.
  private func text(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
    SingleByte.utf8(array(bytes, range), tokenizer.encoding)
  }
}
