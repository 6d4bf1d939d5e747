// Documents one after another, as NDJSON or in any other concatenation, from a descriptor that may deliver them in any
// pieces. Each is complete at its last byte (a number: at the byte after it), and no byte is read twice. RS, which
// begins each document of a JSON text sequence (RFC 7464), is white space between documents.

/// One document of a stream, and its position in the stream.
package struct StreamedDocument: Sendable {
  package let document: JSONDocument
  /// Its number in the stream, from 1.
  package let number: Int
  /// The position of the document's first byte.
  package let position: TextPlace

  /// The place in the stream of an offset in the document.
  package func place(of offset: Int) -> TextPlace { position.place(of: offset, in: document.bytes) }
}

/// Takes bytes in any pieces, and gives the documents in them with their places. After an error it can only go on in a
/// stream of lines.
package struct JSONStream {
  /// What is wrong with the stream, and where.
  package struct Failure: MessageError {
    package let error: JSONError
    /// The thing that ended too early: `input`, `line`.
    let unit: String
    /// The option that would help, in brackets; empty for none.
    let hint: String
    /// The number of the document with the error, from 1.
    package let number: Int
    package let place: TextPlace
    /// The bytes read so far, if the stream is wrong from its start.
    package let beginning: [UInt8]?

    package var message: String { error.message(inA: unit) }
    package var limit: Limit? { error.limit }
  }

  private let maxDepth: Int
  private let maxSize: Int
  private let isLineDelimited: Bool
  private let comments: CommentRule
  private var buffer: [UInt8] = []
  /// Where the next document starts: in the buffer and in the stream.
  private var start = 0
  private var position = TextPlace()
  private var scanner: JSONScanner
  private var count = 0
  /// Of a stream of lines: the end of the line at `start`, once it has come, and how far the search for it got.
  private var lineEnd: Int?
  private var searched = 0
  private var isSkipping = false

  /// - Parameters:
  ///   - maxDepth: how many containers may be open at once.
  ///   - maxSize: the largest document in bytes.
  ///   - isLineDelimited: whether a document must end on the line that it begins on (NDJSON), so that `skipLine` can
  ///     continue after an error.
  ///   - comments: what to do with comments and trailing commas. They are accepted only if all input comes at once.
  package init(
    maxDepth: Int = JSONScanner.defaultMaxDepth, maxSize: Int = .max, isLineDelimited: Bool = false,
    comments: CommentRule = .refused
  ) {
    self.maxDepth = maxDepth
    self.maxSize = maxSize
    self.isLineDelimited = isLineDelimited
    self.comments = comments
    scanner = JSONScanner(maxDepth: maxDepth)
  }

  /// Reads more bytes.
  /// - Returns: how many; 0 at the end of the input.
  package mutating func read(from descriptor: Descriptor) throws(SystemError) -> Int {
    if start > 0, start >= buffer.count / 2 {
      buffer.removeFirst(start)
      lineEnd = lineEnd.map { $0 - start }
      searched -= start
      start = 0
    }
    return try descriptor.read(upTo: ByteReader.chunkSize, into: &buffer)
  }

  /// Takes bytes that were read elsewhere.
  package mutating func append(_ bytes: [UInt8]) {
    buffer += comments == .accepted ? JSONComments.blanked(bytes) : bytes
  }

  /// The next complete document.
  /// - Parameter isLast: whether all input has been read.
  /// - Returns: nil if there is none, or not yet.
  package mutating func next(isLast: Bool) throws(Failure) -> StreamedDocument? {
    if isLineDelimited { return try nextInLine(isLast: isLast) }
    return try next(upTo: buffer.count, isLast: isLast)
  }

  /// Skips the rest of the line on which `next` failed; it counts as a document.
  package mutating func skipLine() {
    count += 1
    isSkipping = true
  }

  /// A line is scanned only when it is complete, so that an error in it ends with it.
  private mutating func nextInLine(isLast: Bool) throws(Failure) -> StreamedDocument? {
    while true {
      guard let end = findLineEnd() ?? (isLast ? buffer.count : nil) else {
        if isSkipping { skip(to: buffer.count) }
        if buffer.count - start > maxSize { throw tooLarge() }
        return nil
      }
      if isSkipping {
        isSkipping = false
        skip(to: end)
      }
      if start < end {
        if let document = try next(upTo: end, isLast: true) { return document }
      } else {
        skip(to: end)
      }
      if start >= buffer.count { return nil }
    }
  }

  /// No byte is searched twice: the search goes on where it ended.
  private mutating func findLineEnd() -> Int? {
    if let lineEnd, lineEnd >= start { return lineEnd }
    searched = max(searched, start)
    lineEnd = firstIndex(of: UInt8(ascii: "\n"), in: buffer.span, searched..<buffer.count)
    searched = lineEnd.map { $0 + 1 } ?? buffer.count
    return lineEnd
  }

  /// - Parameter end: where in the buffer to stop.
  private mutating func next(upTo end: Int, isLast: Bool) throws(Failure) -> StreamedDocument? {
    skipSeparator(upTo: end)
    if start >= end { return nil }
    let complete: Bool
    do { complete = try scan(upTo: end, isLast: isLast) } catch {
      throw failure(error, inA: end < buffer.count ? "line" : "input", isBeginning: count == 0 && start == 0)
    }
    if scanner.offset > maxSize || (!complete && buffer.count - start > maxSize) { throw tooLarge() }
    guard complete else {
      if !scanner.hasStarted, scanner.offset > 0 { skip(to: start + scanner.offset) }
      return nil
    }
    count += 1
    let result = StreamedDocument(
      document: JSONDocument(takeBytes(to: start + scanner.offset), scannedBy: scanner),
      number: count, position: position)
    let taken = result.document.bytes
    position.advance(over: taken.span, 0..<taken.count)
    skip(to: start)
    return result
  }

  private mutating func scan(upTo end: Int, isLast: Bool) throws(JSONError) -> Bool {
    var scanner = self.scanner
    let bytes = buffer
    self.scanner = JSONScanner(maxDepth: maxDepth)  // so that it has one owner, and nothing is copied
    defer { self.scanner = scanner }
    return try scanner.scan(bytes.span.extracting(start..<end), isLast: isLast)
  }

  private func tooLarge() -> Failure { failure(JSONError(.tooLarge(limit: maxSize), at: 0)) }

  private func failure(_ error: JSONError, inA unit: String = "input", isBeginning: Bool = false) -> Failure {
    let (error, hint) = comments.explained(error, in: buffer, from: start)
    return Failure(
      error: error, unit: unit, hint: hint, number: count + 1,
      place: position.place(of: error.offset, in: Array(buffer[start...])), beginning: isBeginning ? buffer : nil)
  }

  /// Removes the bytes from `start` to `end` from the buffer and returns them. A large document takes over the buffer,
  /// so that it is not copied.
  private mutating func takeBytes(to end: Int) -> [UInt8] {
    guard start == 0, end >= ByteReader.chunkSize, buffer.count - end <= ByteReader.chunkSize else {
      defer { start = end }
      return Array(buffer[start..<end])
    }
    let rest = Array(buffer[end...])
    buffer.removeLast(rest.count)
    lineEnd = lineEnd.map { $0 - end }
    searched = max(0, searched - end)
    defer { buffer = rest }
    return buffer
  }

  /// Skips an RS before the next document, with the white space around it.
  private mutating func skipSeparator(upTo end: Int) {
    guard scanner.offset == 0, start < end, buffer[start] <= UInt8(ascii: " ") else { return }
    var index = start
    while index < end, buffer[index].isWhiteSpace { index += 1 }
    if index < end, buffer[index].isRecordSeparator { skip(to: index) }
  }

  /// Skips the white space at `index`, up to the next document.
  private mutating func skip(to index: Int) {
    var end = index
    while end < buffer.count, buffer[end].isWhiteSpace || buffer[end].isRecordSeparator { end += 1 }
    let bytes = buffer
    position.advance(over: bytes.span, start..<end)
    start = end
    scanner = JSONScanner(maxDepth: maxDepth, isAtStart: false)
  }
}
