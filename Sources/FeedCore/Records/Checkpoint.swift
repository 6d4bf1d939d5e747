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
    self.id = id
    self.document = document
    self.extra = extra
  }

  /// Far larger than any document that the tools hold.
  private static let maxSize = 4 << 30
  private static let eventName = Array("data".utf8)
  /// Other users must not read the document.
  static let mode: UInt32 = 0o600

  /// Reads a checkpoint.
  /// - Returns: nil if there is no such file: the tool starts from the beginning.
  /// - Throws: status 2 if the file cannot be read or is no checkpoint.
  package static func read(_ path: [UInt8]) throws(ToolFailure) -> Checkpoint? {
    let name = String(decoding: path, as: UTF8.self)
    let bytes: [UInt8]
    do {
      let file = try Descriptor.open(reading: path)
      defer { file.closeQuietly() }
      bytes = try ByteReader.readAll(file, limit: maxSize)
    } catch {
      if error.isMissingFile { return nil }
      throw .system(error, name)
    }
    do { return try Checkpoint(parsing: bytes) } catch {
      if SourceCheckpoint.isBegun(in: bytes) {
        throw .failed(.error, "a checkpoint of many documents, made with --by", source: name)
      }
      throw .malformed(FormatError("not a checkpoint: " + error.message, at: error.offset), in: bytes, of: name)
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
  func write(to output: inout ByteWriter, of source: RecordSource? = nil) {
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
