/// A checkpoint of many documents: a note that says by which member they are kept apart, and one record for each. Like a
/// checkpoint of one document, the file changes as a whole or not at all.
///
///     {"note":"checkpoint","by":"/source"}
///     {"event":"data","id":"42","source":"news","data":{…}}
///
/// The note comes first, so that neither kind of checkpoint is taken for the other.
package enum SourceCheckpoint {
  private static let byName = "by"
  private static let refusal = "not a checkpoint of --by: "
  private static let noteName = Array("checkpoint".utf8)
  /// What a file begins with, up to the pointer.
  private static let head = "{\"note\":\"checkpoint\",\"\(byName)\":"
  /// Far larger than any document that the tools hold.
  private static let maxSize = 4 << 30

  /// Reads a checkpoint record by record. Does nothing if there is no such file.
  /// - Parameters:
  ///   - sources: the sources of the records are added to it.
  ///   - take: called with each record.
  /// - Throws: status 2 if the file cannot be read or is no such checkpoint.
  package static func read(
    _ path: [UInt8], into sources: inout SourceIndex, _ take: (Checkpoint) throws(ToolFailure) -> Void
  ) throws(ToolFailure) {
    let name = quoted(path)
    let file: Descriptor
    do { file = try Descriptor.open(reading: path) } catch {
      if error.isMissingFile { return }
      throw .system(error, name)
    }
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
  static func isBegun(in bytes: [UInt8]) -> Bool { bytes.starts(with: head.utf8) }

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
      AtomicFile(path, mode: Checkpoint.mode).replace { output in
        output.append(head)
        JSONString.write(sources.pointer.text.span, to: &output)
        output.endRecord()
        for (source, record) in zip(sources.sources, records) { record?.write(to: &output, of: source) }
      })
  }
}
