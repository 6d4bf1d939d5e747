import FeedCore
import FeedHTTP

/// A body that is complete and checked, and can be printed.
struct PolledBody {
  let form: BodyForm
  /// The text to print: JSON on one line, without white space between tokens; lines without blank ones; bytes.
  let text: [UInt8]
  /// The document of JSON. Those of lines are parsed again when needed: kept, they would take a hundred times the
  /// memory of short lines.
  private let document: JSONDocument?

  /// - Parameter asRecord: whether the body must be UTF-8 text, because a record must hold it.
  /// - Throws: an error in the body, with status 3.
  init(_ response: HTTPResponse, as form: BodyForm, maxDepth: Int, asRecord: Bool) throws(ToolFailure) {
    self.form = form
    switch form {
    case .json:
      let document: JSONDocument
      do { document = try JSONDocument(parsing: response.body, maxDepth: maxDepth) } catch {
        throw Self.failure(error, in: response)
      }
      self.document = document
      text = JSONTree(document.root).bytes
    case .lines:
      text = try Self.lines(response, maxDepth)
      document = nil
    case .bytes, .auto:
      if asRecord, let offset = UTF8Check.firstInvalid(response.body.span) {
        let text = "the body cannot be a record: invalid UTF-8 at byte \(offset + 1)"
        throw .failed(.remote, text, source: response.url.display)
      }
      text = response.body
      document = nil
    }
  }

  /// The document, or an array of the documents on its lines; nil of bytes.
  var root: JSONValue? {
    if form != .lines { return document?.root }
    var output = ByteWriter()
    writeData(to: &output)
    return JSONDocument(known: output.take()).root
  }

  /// The digest that equal bodies share.
  var digest: [UInt8] { SHA256.digest(text).flatMap(\.hexDigits) }

  /// What the body means for the end; of lines, the first that means something.
  func meaning(_ ends: EndMarks) -> EndMarks.Meaning {
    if ends.isEmpty { return .nothing }
    switch form {
    case .json: return ends.meaning(type: [], data: Array(text.trimmed()), document)
    case .lines:
      return Lines(text: text).lazy.map { ends.meaning(type: [], data: Array(text[$0]), Self.parsed(text[$0])) }
        .first { $0 != .nothing } ?? .nothing
    case .bytes, .auto: return .nothing
    }
  }

  /// Prints the body.
  func write(to output: inout ByteWriter) {
    output.append(text)
    if form == .json { output.endLine() } else { output.markRecord() }
  }

  /// Prints the body as the `data` of a record: a document, an array of the documents on its lines, or a string.
  func writeData(to output: inout ByteWriter) {
    switch form {
    case .json: if let document { output.appendDocument(JSONTree(document.root)) }
    case .lines:
      output.append("[")
      for line in Lines(text: text) {
        if line.lowerBound > 0 { output.append(",") }
        if let document = Self.parsed(text[line]) { JSONWriter.writeCompact(JSONTree(document.root), to: &output) }
      }
      output.append("]")
    case .bytes, .auto: JSONString.write(text.span, to: &output)
    }
  }

  /// The lines without blank ones, each checked.
  private static func lines(_ response: HTTPResponse, _ maxDepth: Int) throws(ToolFailure) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(response.body.count)
    for range in Lines(text: response.body) {
      var line = response.body[range]
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      if line.first?.isRecordSeparator == true { line.removeFirst() }
      if line.allSatisfy(\.isWhiteSpace) { continue }
      do { _ = try JSONDocument(parsing: Array(line), maxDepth: maxDepth) } catch {
        throw failure(JSONError(error.kind, at: line.startIndex + error.offset), in: response)
      }
      text += line
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }

  /// A line that has been checked.
  private static func parsed(_ line: ArraySlice<UInt8>) -> JSONDocument? {
    try? JSONDocument(parsing: Array(line), maxDepth: .max)
  }

  private static func failure(_ error: JSONError, in response: HTTPResponse) -> ToolFailure {
    HTTPExcerpt.failure(error, in: response).saying { $0.hidingSecrets(of: response.request, and: []) }
  }
}

/// The ranges of the lines of a text, without line ends.
private struct Lines: Sequence, IteratorProtocol {
  let text: [UInt8]
  private var index = 0

  init(text: [UInt8]) { self.text = text }

  mutating func next() -> Range<Int>? {
    guard index < text.count else { return nil }
    let end = firstIndex(of: UInt8(ascii: "\n"), in: text.span, index..<text.count) ?? text.count
    defer { index = end + 1 }
    return index..<end
  }
}

/// Prints whole bodies: plain, or as event records with their time and source.
struct BodyPrinter {
  private static let event = Array("data".utf8)

  private let printsRecords: Bool
  private(set) var count = 0
  private var output: ByteWriter

  init(_ options: Options, _ streams: StandardStreams) {
    printsRecords = options.printsRecords
    output = ByteWriter(streams.output, records: .network)
  }

  /// - Parameter now: the time of the response, in microseconds since 1970.
  mutating func print(_ body: PolledBody, of resource: Resource, _ response: HTTPResponse, now: Int64) {
    count += 1
    guard printsRecords else { return body.write(to: &output) }
    output.beginRecord(event: Self.event.span, id: resource.known.id.span)
    body.writeData(to: &output)
    output.appendTime(now)
    write("url", Array(response.url.display.utf8))
    if let tag = response.head.value(of: "etag"), !tag.isEmpty { write("etag", tag) }
    output.appendSource(resource.name)
    output.endRecord()
  }

  mutating func print(_ note: Note) { output.append(note) }

  mutating func flush() throws(ToolFailure) { try output.flushOutput() }

  private mutating func write(_ name: StaticString, _ value: [UInt8]) {
    output.append(",\"")
    output.append(name)
    output.append("\":")
    var text = value
    text.repairUTF8()
    JSONString.write(text.span, to: &output)
  }
}
