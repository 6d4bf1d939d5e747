/// A checkpoint: one event record in a file. A tool that ended, in any way, starts again from it.
///
///     {"event":"data","id":"42","data":{…}}
///
/// The id and the document belong together, so the file changes as a whole or not at all. `extra` holds what a tool
/// remembers besides.
package struct Checkpoint: Sendable {
  /// The last event ID; empty for none.
  package var id: [UInt8]
  /// The document after that event; nil if the tool keeps none.
  package var document: JSONTree?
  /// Further members by their names, as JSON text.
  package var extra: [String: [UInt8]] = [:]

  package init(id: [UInt8], document: JSONTree? = nil, extra: [String: [UInt8]] = [:]) {
    (self.id, self.document, self.extra) = (id, document, extra)
  }

  /// Far larger than any document that the tools hold.
  private static let maxSize = 4 << 30
  private static let eventName = Array("data".utf8)
  /// Other users must not read the document.
  private static let mode: UInt32 = 0o600

  /// Reads a checkpoint.
  /// - Returns: nil if there is no such file: the tool starts from the beginning.
  /// - Throws: status 2 if the file cannot be read or is no checkpoint.
  package static func read(_ path: [UInt8]) throws(ToolFailure) -> Checkpoint? {
    let name = String(decoding: path, as: UTF8.self)
    guard let file = try open(path, name) else { return nil }
    defer { file.closeQuietly() }
    let bytes = try naming(name, ByteReader.readAll(file, limit: maxSize))
    do { return try Checkpoint(parsing: bytes) } catch {
      if isBegun(in: bytes) {
        throw .failed(.error, "a checkpoint of many documents, made with --by", source: name)
      }
      throw .malformed(FormatError("not a checkpoint: " + error.message, at: error.offset), in: bytes, of: name)
    }
  }

  /// - Returns: nil if there is no such file.
  private static func open(_ path: [UInt8], _ name: String) throws(ToolFailure) -> Descriptor? {
    do { return try Descriptor.open(reading: path) } catch {
      if error.isMissingFile { return nil }
      throw .system(error, name)
    }
  }

  init(parsing bytes: [UInt8]) throws(FormatError) {
    let value: JSONValue
    do { value = try JSONDocument(parsing: bytes, maxDepth: .max).root } catch {
      throw FormatError(error.message, at: error.offset)
    }
    try self.init(value)
  }

  init(_ value: JSONValue) throws(FormatError) {
    let record = try EventRecord(value)
    let document = try record?.document(maxDepth: .max)
    guard let record, record.event == Self.eventName, let data = record.data, let document else {
      throw FormatError("expected a 'data' event with a member 'data'", at: value)
    }
    id = record.id
    self.document = data.kind == .null ? nil : JSONTree(document)
    for child in value.children {
      let name = String(decoding: child.key?.string ?? [], as: UTF8.self)
      if !["event", "id", "data"].contains(name) { extra[name] = child.value.text }
    }
  }

  /// Writes the checkpoint to `path`, as a whole or not at all.
  package func write(_ path: [UInt8]) throws(ToolFailure) {
    try naming(String(decoding: path, as: UTF8.self), AtomicFile(path, mode: Self.mode).replace { write(to: &$0) })
  }

  /// - Parameter source: the source of the document, if there are several.
  private func write(to output: inout ByteWriter, of source: RecordSource? = nil) {
    var members = ByteWriter()
    if let source { members.append(source.member) }
    members.append(members: extra)
    output.beginRecord(event: Self.eventName.span, id: id.span, extra: members.take())
    switch document {
    case nil: output.append("null")
    case let document? where document.kind == .null: output.append("\"null\"")  // not the same as no document
    case let document?: output.appendDocument(document)
    }
    output.endRecord()
  }
}

/// A checkpoint of many documents: a note that says by which member they are kept apart, and one record for each. Like
/// a checkpoint of one document, the file changes as a whole or not at all.
///
///     {"note":"checkpoint","by":"/source"}
///     {"event":"data","id":"42","source":"news","data":{…}}
///
/// The note comes first, so that neither kind of checkpoint is taken for the other.
extension Checkpoint {
  private static let byName = "by"
  private static let refusal = "not a checkpoint of --by: "
  private static let noteName = Array("checkpoint".utf8)
  /// What a file begins with, up to the pointer.
  private static let head = "{\"note\":\"checkpoint\",\"\(byName)\":"

  /// Reads a checkpoint record by record. Does nothing if there is no such file.
  /// - Parameters:
  ///   - sources: the sources of the records are added to it.
  ///   - take: called with each record.
  /// - Throws: status 2 if the file cannot be read or is no such checkpoint.
  package static func read(
    _ path: [UInt8], into sources: inout SourceIndex, _ take: (Checkpoint) throws(ToolFailure) -> Void
  ) throws(ToolFailure) {
    let name = quoted(path)
    guard let file = try open(path, name) else { return }
    defer { file.closeQuietly() }
    var stream = JSONStream(maxDepth: .max, maxSize: maxSize)
    var hasNote = false
    var isAtEnd = false
    while true {
      while let item = try next(in: &stream, isLast: isAtEnd, of: name) {
        let saved: Checkpoint?
        do throws(FormatError) {
          saved = try hasNote ? record(item.document.root, &sources) : nil
          if !hasNote { try checkNote(item.document.root, sources.pointer) }
          hasNote = true
        } catch {
          throw .failed(
            .error, refusal + error.message, source: name, place: item.place(of: error.offset))
        }
        if let saved { try take(saved) }
      }
      if isAtEnd { break }
      isAtEnd = try naming(name, stream.read(from: file)) == 0
    }
    if !hasNote { throw .failed(.error, refusal + "the file is empty", source: name) }
  }

  private static func next(
    in stream: inout JSONStream, isLast: Bool, of name: String
  ) throws(ToolFailure) -> StreamedDocument? {
    do { return try stream.next(isLast: isLast, of: name) } catch {
      throw error.saying { Diagnostic(refusal + $0.text, source: $0.source, place: $0.place) }
    }
  }

  /// Whether a file begins like one.
  private static func isBegun(in bytes: [UInt8]) -> Bool { bytes.starts(with: head.utf8) }

  private static func checkNote(_ value: JSONValue, _ pointer: SourcePointer) throws(FormatError) {
    guard value.member("event") == nil, value.member("note")?.string == noteName,
      let member = value.member(byName), let text = member.string
    else { throw FormatError("expected the note 'checkpoint' with a member 'by'", at: value) }
    if text != pointer.text { throw FormatError("it was made with --by \(shortened(text))", at: member) }
  }

  /// Reads a record, which must be the only one of its source.
  private static func record(_ value: JSONValue, _ sources: inout SourceIndex) throws(FormatError) -> Checkpoint {
    let saved = try Checkpoint(value)
    let count = sources.sources.count
    let number = try sources.number(of: value)
    if number < count { throw FormatError("'\(shortened(sources.sources[number].name))' is there twice", at: value) }
    return saved
  }

  /// Writes a checkpoint to `path`, as a whole or not at all.
  /// - Parameters:
  ///   - records: in the order of the sources; nil for a source that has no document yet.
  package static func write(
    _ path: [UInt8], of sources: SourceIndex, _ records: some Sequence<Checkpoint?>
  ) throws(ToolFailure) {
    try naming(
      quoted(path),
      AtomicFile(path, mode: mode).replace { output in
        output.append(head)
        JSONString.write(sources.pointer.text.span, to: &output)
        output.endRecord()
        for (source, record) in zip(sources.sources, records) { record?.write(to: &output, of: source) }
      })
  }
}

extension ByteWriter {
  /// Writes members in the order of their names, each with a comma in front.
  /// - Parameter members: JSON texts by name.
  mutating func append(members: [String: [UInt8]]) {
    for (name, text) in members.sorted(by: { $0.key < $1.key }) {
      append(",")
      JSONString.write(Array(name.utf8).span, to: &self)
      append(":")
      append(text)
    }
  }
}
