import FeedCore
import FeedHTTP

/// Prints an endless body: bytes as received, or whole lines, plain or as event records.
struct StreamPrinter: BodySink {
  private static let event = Array("message".utf8)

  private let options: Options
  private let source: String
  private var output: ByteWriter
  private var frame: RecordFrame
  /// Whether the ID or the end depends on the contents of a line.
  private let looksInside: Bool
  private var splitter: LineSplitter
  private var isLines: Bool
  private var isDecided: Bool
  /// The number of lines, or of chunks that are not blank: shows whether a connection has brought anything.
  private(set) var count = 0
  private var printed = 0
  /// Whether a connection has ended since the last byte. If so, `--between` is printed before the next one.
  private var isBetween = false
  /// Where the next connection goes on.
  var point: ResumePoint
  /// The request of this connection, and the head of its response.
  private var request = PageRequest(url: [])
  private var head: HTTPHead?

  init(_ options: Options, source: String, _ streams: StandardStreams) throws(ToolFailure) {
    point = try ResumePoint(
      options.next, items: options.items, checkpoint: options.checkpoint, resumeFile: options.resumeFile)
    self.options = options
    self.source = source
    isLines = options.form == .lines
    isDecided = options.form != .auto
    output = ByteWriter(streams.output, records: .network)
    frame = RecordFrame(options.stamp)
    looksInside = !options.ends.isEmpty || options.next.looksInside || options.from.looksInside
    splitter = LineSplitter(maxSize: options.maxSize)
  }

  /// Begins a new connection.
  mutating func begin(_ head: HTTPHead, of request: HTTPRequest) {
    (self.head, self.request) = (head, request.page)
    if !isDecided { isLines = MediaKind(head) == .jsonLines }
    isDecided = true
    isBetween = count > 0
  }

  mutating func take(_ chunk: [UInt8]) throws(ToolFailure) -> BodyProgress {
    if isLines { return try takeLines(chunk) }
    if isBetween { output.append(options.between) }
    isBetween = false
    if chunk.contains(where: { !$0.isWhiteSpace }) { count += 1 }
    output.append(chunk)
    try output.checkOutput()
    return .more
  }

  /// Ends a connection.
  /// - Parameter isWhole: whether a line without a line end is complete.
  /// - Returns: how many bytes of a line were dropped, and whether the last wanted line was printed.
  mutating func end(isWhole: Bool) throws(ToolFailure) -> (dropped: Int, progress: BodyProgress) {
    guard isLines else { return (0, .more) }
    var progress = BodyProgress.more
    // A proxy may end a body properly when its server has broken off; with a rule, the rest comes again.
    let text = Array(splitter.held.drop(while: \.isRecordSeparator))
    let isLine = isWhole && (!point.values.isUsed || (try? PayloadForm.parsed(text)) != nil)
    if isLine, splitter.last() != nil { progress = try takeLine(splitter.held, 0..<splitter.held.count) }
    return (splitter.drop(), progress)
  }

  /// Prints a note, which does not count as a line. It comes between records, never within a line.
  mutating func print(_ note: Note) throws(ToolFailure) {
    output.append(options.stamp.stamped(note))
    try output.checkOutput()
  }

  /// Writes out what was printed, then saves the values that it covers.
  mutating func flush() throws(ToolFailure) {
    try output.flushOutput()
    try point.save()
  }

  // MARK: Lines

  private mutating func takeLines(_ chunk: [UInt8]) throws(ToolFailure) -> BodyProgress {
    var index = 0
    while let line = try nextLine(chunk, &index) {
      let progress =
        switch line {
        case .held: try takeLine(splitter.held, 0..<splitter.held.count)
        case .chunk(let range): try takeLine(chunk, range)
        }
      if progress == .finished { return .finished }
    }
    if point.isDue { try flush() }
    try output.checkOutput()
    return .more
  }

  private mutating func nextLine(_ chunk: [UInt8], _ index: inout Int) throws(ToolFailure) -> LineSplitter.Line? {
    do { return try splitter.next(chunk.span, from: &index) } catch {
      throw .failed(
        .remote, "longer than \(options.maxSize) bytes (--max-size)", source: source, record: "line \(count + 1)")
    }
  }

  private mutating func takeLine(_ bytes: [UInt8], _ range: Range<Int>) throws(ToolFailure) -> BodyProgress {
    count += 1
    if !looksInside, printAtOnce(bytes, range) {
      printed += 1
      return printed < options.limit ? .more : .finished
    }
    var line = Array(bytes[range])
    let document = try? PayloadForm.parsed(line)
    do { if try point.isRefused(by: document?.root) { return .finished } } catch {
      throw .failed(.remote, error.message, source: source, record: "line \(count)")
    }
    printed += 1
    if let document {
      do { try point.take(document.root, to: request, head) } catch {
        throw error.failure(source, record: "line \(count)")
      }
    }
    let meaning = options.ends.meaning(type: Self.event, data: line, document)
    if options.printsRecords {
      line.repairUTF8()
      print(line, document)
    } else {
      printLine(line, 0..<line.count)
    }
    if case .failure(let option) = meaning {
      throw EndMarks.failure(option, line, source: source, record: "line \(count)")
    }
    return meaning == .end || printed >= options.limit ? .finished : .more
  }

  /// Prints a line, if a glance tells how.
  /// - Returns: false if it does not; then nothing is printed.
  private mutating func printAtOnce(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
    guard options.printsRecords else {
      printLine(bytes, range)
      return true
    }
    let line = bytes.span.extracting(range)
    guard UTF8Check.firstInvalid(line) == nil, PayloadForm.auto.isString(bytes.span, range) == false else {
      return false
    }
    frame.write(event: Self.event, id: point.values.id, json: line, to: &output)
    return true
  }

  private mutating func printLine(_ bytes: [UInt8], _ range: Range<Int>) {
    output.append(bytes, range)
    output.endLine()
  }

  /// Prints a line as the data of a record: objects and arrays unchanged, everything else as a string.
  private mutating func print(_ line: [UInt8], _ document: JSONDocument?) {
    let id = options.from.id == nil ? point.values.id : options.from.id(in: document)
    frame.begin(event: Self.event, id: id, in: &output)
    output.appendPayload(line, document?.root.kind.isContainer == true ? document : nil)
    frame.end(in: &output)
  }
}
