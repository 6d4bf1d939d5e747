// A checkpoint: one event record in a file, from which a tool goes on after it was ended in whatever way.
//
//     {"event":"data","id":"42","mark":7,"data":{…}}
//
// The id and the document belong together, and the file changes whole or not at all.

public struct Checkpoint: Sendable {
  /// The last event ID; empty for none.
  public var id: [UInt8]
  /// The document after that event; nil where the tool holds none.
  public var document: JSONTree?
  /// The number that `jpatch --newer` printed last, as JSON text; empty for none.
  public var mark: [UInt8]

  public init(id: [UInt8], document: JSONTree? = nil, mark: [UInt8] = []) {
    self.id = id
    self.document = document
    self.mark = mark
  }

  /// No document that the tools hold comes near it.
  private static let maxSize = 4 << 30
  private static let eventName = Array("data".utf8)
  private static let markName = Array("mark".utf8)

  /// Reads a checkpoint.
  /// - Returns: nil when there is no such file: start afresh.
  /// - Throws: status 2 when it cannot be read or is no checkpoint.
  public static func read(_ path: [UInt8], maxDepth: Int = .max) throws(ToolFailure) -> Checkpoint? {
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
    func refused(_ message: String, at offset: Int) -> ToolFailure {
      .failed(
        .trouble, "not a checkpoint: " + message, source: name, place: TextPosition().place(of: offset, in: bytes))
    }
    let value: JSONValue
    do { value = try JSONDocument(parsing: bytes, maxDepth: maxDepth).root } catch {
      throw refused(error.message, at: error.offset)
    }
    let record: EventRecord?
    do { record = try EventRecord(value) } catch { throw refused(error.message, at: error.offset) }
    let document: JSONValue?
    do { document = try record?.document(maxDepth: maxDepth) } catch { throw refused(error.message, at: error.offset) }
    guard let record, record.event == eventName, let data = record.data, let document else {
      throw refused("expected an event 'data' with 'data'", at: value.range.lowerBound)
    }
    let mark = value.member(markName)
    return Checkpoint(
      id: record.id, document: data.kind == .null ? nil : JSONTree(document), mark: mark.map(\.text) ?? [])
  }

  /// Puts the checkpoint under the name `path`, whole or not at all.
  public func write(_ path: [UInt8]) throws(ToolFailure) {
    // Nobody else is to read the document.
    try naming(String(decoding: path, as: UTF8.self), AtomicFile.replace(path, mode: 0o600) { write(to: &$0) })
  }

  private func write(to output: inout ByteWriter) {
    let extra = mark.isEmpty ? [] : Array(",\"mark\":".utf8) + mark
    output.beginRecord(event: Self.eventName.span, id: id.span, extra: extra)
    switch document {
    case nil: output.append("null")
    case let document? where document.kind == .null: output.append("\"null\"")  // not the same as having none
    case let document?: output.appendDocument(document)
    }
    output.endRecord()
  }
}
