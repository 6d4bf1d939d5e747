// The way of the bytes: in, judged, and those of the elements that PATH names out again.

import FeedCore

struct Splitter {
  /// An element that is wanted and has not ended.
  private struct OpenRecord {
    var start: Int
    /// The offset behind its name, where declarations go that it inherits.
    var nameEnd: Int
    let depth: Int
    let inherited: [[UInt8]]

    /// Writes the element, which ends at `end`, as it stands, with the declarations that it inherits.
    func write(_ bytes: borrowing Span<UInt8>, upTo end: Int, to output: inout ByteWriter) {
      output.append(bytes.extracting(start..<nameEnd))
      for declaration in inherited {
        output.append(" ")
        output.append(declaration)
      }
      output.append(bytes.extracting(nameEnd..<end))
    }
  }

  private let options: Options
  private let streams: StandardStreams
  private let file: InputFile
  private var decoder = InputDecoder()
  private var tokenizer: XMLTokenizer
  private var matcher: PathMatcher
  private var namespaces = Namespaces()
  private var output: ByteWriter
  /// What has come and may still be needed, and the place of its first byte.
  private var buffer: [UInt8] = []
  private var position = TextPosition()
  private var records: [OpenRecord] = []
  /// How many records were written.
  private(set) var count = 0

  init(_ options: Options, _ file: InputFile, _ streams: StandardStreams) {
    self.options = options
    self.file = file
    self.streams = streams
    tokenizer = XMLTokenizer(limits: options.limits, isSingle: options.isSingle)
    matcher = PathMatcher(options.path)
    output = ByteWriter(streams.output)
  }

  mutating func run() throws(ToolError) {
    let descriptor = try file.open(streams)
    do throws(ToolError) {
      var isLast = false
      while !isLast {
        isLast = try !read(descriptor)
        try take(isLast: isLast)
        if isLast || !descriptor.hasInput { try output.flushOutput() }
        try output.checkOutput()
      }
    } catch {
      if !error.isBrokenPipe { try output.flushOutput() }
      throw error
    }
  }

  /// - Returns: false at the end of the input.
  private mutating func read(_ descriptor: Descriptor) throws(ToolError) -> Bool {
    if !descriptor.waitForInput(orHangUpOf: streams.output) { throw .brokenPipe }
    var chunk: [UInt8] = []
    let isMore: Bool
    do {
      // Not by a method of self, which would share the buffer and so make each read move it.
      if decoder.isTransparent { return try descriptor.read(upTo: ByteReader.chunkSize, into: &buffer) > 0 }
      isMore = try descriptor.read(upTo: ByteReader.chunkSize, into: &chunk) > 0
    } catch {
      throw .system(error, file.name)
    }
    do { try decode(chunk, isLast: !isMore) } catch { throw failure(error) }
    return isMore
  }

  private mutating func decode(_ chunk: [UInt8], isLast: Bool) throws(XMLError) {
    try decoder.decode(chunk, isLast: isLast, into: &buffer)
    tokenizer.wasUTF16 = decoder.isUTF16
  }

  /// Goes on with what has come.
  private mutating func take(isLast: Bool) throws(ToolError) {
    do throws(XMLError) {
      let bytes = buffer
      let span = bytes.span
      while let token = try tokenizer.next(span, isLast: isLast, deepest: isInside ? records[0].depth : .max) {
        try handle(token, span)
      }
    } catch {
      throw failure(error)
    }
    let kept = min(tokenizer.offset, records.first?.start ?? .max)
    if tokenizer.offset - kept > options.limits.maxToken {
      throw failure(tooLarge(kept))
    }
    drop(kept)
  }

  private func tooLarge(_ start: Int) -> XMLError {
    XMLError("an element of more than \(options.limits.maxToken) bytes (--max-element)", at: start)
  }

  private func failure(_ error: XMLError) -> ToolError {
    ToolError(.trouble, error.message, source: file.name, place: position.place(of: error.offset, in: buffer))
  }

  /// Forgets the bytes before an offset, when they are as many as those that stay.
  private mutating func drop(_ count: Int) {
    guard count > 0, count >= buffer.count - count else { return }
    // Taken out, for shortening them would copy them if they had a second owner.
    var bytes: [UInt8] = []
    swap(&bytes, &buffer)
    position.advance(over: bytes.span, 0..<count)
    tokenizer.drop(count, of: bytes.span)
    for index in records.indices {
      records[index].start -= count
      records[index].nameEnd -= count
    }
    bytes.removeFirst(count)
    swap(&bytes, &buffer)
  }

  // MARK: Elements

  @inline(__always)
  private mutating func handle(_ token: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>) throws(XMLError) {
    switch token {
    case .startTag: enter(bytes, depth: tokenizer.depth)
    case .emptyTag:
      enter(bytes, depth: tokenizer.depth + 1)
      try leave(bytes, depth: tokenizer.depth + 1)
    case .endTag: try leave(bytes, depth: tokenizer.depth + 1)
    case .documentStart, .documentType: break
    }
  }

  /// Whether elements need not be looked at, since a record is open and those inside it are not wanted.
  private var isInside: Bool { !records.isEmpty && !options.isNested }

  private mutating func enter(_ bytes: borrowing Span<UInt8>, depth: Int) {
    if isInside { return }
    if !tokenizer.tag.attributes.isEmpty { namespaces.enter(bytes, tokenizer.tag, depth: depth) }
    guard matches(bytes) else { return }
    records.append(
      OpenRecord(
        start: tokenizer.tokenStart, nameEnd: tokenizer.name.upperBound, depth: depth,
        inherited: options.inherits ? namespaces.inherited(by: bytes, tokenizer.tag, depth: depth) : []))
  }

  private mutating func leave(_ bytes: borrowing Span<UInt8>, depth: Int) throws(XMLError) {
    if let record = records.last, record.depth == depth {
      records.removeLast()
      if tokenizer.offset - record.start > options.limits.maxToken { throw tooLarge(record.start) }
      try write(record, bytes)
    }
    if isInside { return }
    matcher.leave()
    namespaces.leave(depth: depth)
  }

  private mutating func matches(_ bytes: borrowing Span<UInt8>) -> Bool {
    var open = matcher.open
    var fitting: UInt64 = 0
    while open != 0 {
      let step = open.trailingZeroBitCount
      open &= open - 1
      if fits(matcher.path.steps[step], bytes) { fitting |= 1 << UInt64(step) }
    }
    return matcher.enter(fitting)
  }

  private func fits(_ step: XMLPath.Step, _ bytes: borrowing Span<UInt8>) -> Bool {
    let name = tokenizer.name
    switch step.name {
    case .any: break
    case .written(let written):
      guard written.count == name.count, sameBytes(bytes.extracting(name), written.span) else { return false }
    case .anyWithPrefix(let prefix):
      guard prefixEnd(bytes).map({ array(bytes, name.lowerBound..<$0) == prefix }) == true else { return false }
    case .inNamespace(let uri, let local):
      let colon = prefixEnd(bytes)
      let prefix = colon.map { array(bytes, name.lowerBound..<$0) } ?? []
      guard namespaces.uri(prefix[...]) == uri else { return false }
      let localStart = colon.map { $0 + 1 } ?? name.lowerBound
      if let local, array(bytes, localStart..<name.upperBound) != local { return false }
    }
    for predicate in step.predicates where !fits(predicate, bytes) { return false }
    return true
  }

  private func fits(_ predicate: XMLPath.Predicate, _ bytes: borrowing Span<UInt8>) -> Bool {
    for attribute in tokenizer.tag.attributes where array(bytes, attribute.name) == predicate.attribute {
      guard let wanted = predicate.value else { return true }
      return XMLText.decoded(array(bytes, attribute.value), tokenizer.encoding) == wanted
    }
    return false
  }

  /// Where the prefix of the tag's name ends; nil where it has none.
  private func prefixEnd(_ bytes: borrowing Span<UInt8>) -> Int? {
    firstIndex(of: UInt8(ascii: ":"), in: bytes, tokenizer.name)
  }

  // MARK: Records

  private mutating func write(_ record: OpenRecord, _ bytes: borrowing Span<UInt8>) throws(XMLError) {
    guard options.needsTree else {
      count += 1
      record.write(bytes, upTo: tokenizer.offset, to: &output)
      output.append(options.terminator)
      return
    }
    let tree = try tree(of: record, bytes)
    for condition in options.having where condition.value(in: tree) == nil { return }
    count += 1
    if options.printsRecords {
      let name = Array(tree.bytes[tree.nodes[0].name ?? 0..<0])
      let id = options.id?.value(in: tree) ?? []
      output.beginRecord(event: name.span, id: id.span)
      if options.isJSON {
        writeJSON(tree)
      } else {
        var text = ByteWriter()
        record.write(bytes, upTo: tokenizer.offset, to: &text)
        JSONString.write(SingleByte.utf8(text.take(), tokenizer.encoding), to: &output)
      }
      output.endRecord()
    } else if options.isJSON {
      writeJSON(tree)
      output.append("\n")
    } else if !options.fields.isEmpty {
      writeFields(tree)
    } else {
      record.write(bytes, upTo: tokenizer.offset, to: &output)
      output.append(options.terminator)
    }
  }

  private func tree(of record: OpenRecord, _ bytes: borrowing Span<UInt8>) throws(XMLError) -> ElementTree {
    if tokenizer.encoding == .opaque {
      throw XMLError("the encoding of the document cannot be converted to UTF-8", at: record.start)
    }
    let text = SingleByte.utf8(array(bytes, record.start..<tokenizer.offset), tokenizer.encoding)
    do { return try ElementTree(text, keepsEntities: options.keepsEntities) } catch {
      // Of another encoding, the places are others in UTF-8.
      throw XMLError(error.message, at: tokenizer.encoding == .utf8 ? record.start + error.offset : record.start)
    }
  }

  private mutating func writeJSON(_ tree: ElementTree) {
    if options.fields.isEmpty { return options.json.write(tree, to: &output) }
    for (place, field) in options.fields.enumerated() {
      output.append(place == 0 ? "{" : ",")
      JSONString.write(field.text, to: &output)
      output.append(":")
      if let value = field.value(in: tree) { JSONString.write(value, to: &output) } else { output.append("null") }
    }
    output.append("}")
  }

  private mutating func writeFields(_ tree: ElementTree) {
    output.append(TabSeparated.row(options.fields.map { $0.value(in: tree) ?? [] }))
  }
}
