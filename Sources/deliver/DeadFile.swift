import FeedCore

/// The file of `--dead`: the records that COMMAND refuses, each with the reason, in a form that deliver can read again.
///
///     {"event":"data","id":"7","data":{…},"deliver":{"attempts":1,"status":65,"error":"…","time":"…"}}
struct DeadFile {
  private let name: String
  private let file: AppendedFile

  init(_ path: [UInt8]) throws(ToolFailure) {
    name = quoted(path)
    file = try naming(name, AppendedFile(path, mode: 0o600))
  }

  /// Appends a record. Returns when it is on the disk.
  func append(_ record: Record, tries: Int, _ ended: Ended) throws(ToolFailure) {
    var line = ByteWriter()
    write(record, tries, ended, to: &line)
    try naming(name, file.append(line.take()))
  }

  private func write(_ record: Record, _ tries: Int, _ ended: Ended, to line: inout ByteWriter) {
    var facts = ByteWriter()
    facts.append("{\"attempts\":\(tries),\"status\":\(ended.status),\"error\":")
    var error = ended.lastWords.isEmpty ? Array(ended.text.utf8) : ended.lastWords
    error.repairUTF8()
    JSONString.write(error.span, to: &facts)
    facts.appendTime()
    facts.append("}")
    JSONWriter.writeCompact(Self.object(record.line, with: facts.take()), to: &line)
    line.append("\n")
  }

  /// The object on a line, with the member `deliver` added. Any other line becomes the data of a record.
  private static func object(_ line: [UInt8], with facts: [UInt8]) -> JSONTree {
    var object: JSONTree
    if let document = try? JSONDocument(parsing: line, maxDepth: .max), document.root.kind == .object {
      object = JSONTree(document.root)
    } else {
      var record = ByteWriter()
      let event = Array((line.isUTF8 ? "message" : "binary").utf8)
      record.beginRecord(event: event.span, id: [UInt8]().span)
      JSONString.write((line.isUTF8 ? line : Base64.encoded(line)).span, to: &record)
      record.append("}")
      object = JSONTree(JSONDocument(known: record.take()).root)
    }
    let name = JSONPointer(tokens: [Array("deliver".utf8)])
    do { _ = try object.add(JSONTree(JSONDocument(known: facts).root), at: name) } catch {
      preconditionFailure("an object takes any member")
    }
    return object
  }
}
