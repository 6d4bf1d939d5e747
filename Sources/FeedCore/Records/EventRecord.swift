// Event records: what the tools say to each other (feedutils(7)). One JSON object with the members `event`, `id` and
// `data`, in any order, beside others that nobody here knows.

/// A record that was read.
package struct EventRecord: Sendable {
  package let event: [UInt8]
  /// Empty when there is none.
  package let id: [UInt8]
  package let data: JSONValue?

  /// Whether an object without `event` is a note, which every reader of records passes over.
  package static func isNote(_ value: JSONValue) -> Bool {
    value.member(noteName) != nil || value.member(commentName) != nil
  }

  /// Whether an object without `event` is this note.
  package static func isNote(_ value: JSONValue, _ kind: Note.Kind) -> Bool {
    value.member(noteName)?.string == Array(kind.rawValue.utf8)
  }

  /// Whether a value is meant as a record by all signs: `event` and `data`, and no member that no record has.
  package static func isUnmistakable(_ value: JSONValue) -> Bool {
    guard value.kind == .object, value.member(eventName)?.kind.isString == true, value.member(dataName) != nil else {
      return false
    }
    return value.children.allSatisfy { child in child.key?.string.map(memberNames.contains) == true }
  }

  private static let noteName = Array("note".utf8)
  private static let commentName = Array("comment".utf8)
  private static let memberNames = ["event", "id", "data", "time", "url", "source", "etag", "mark", "seq"]
    .map { Array($0.utf8) }
  private static let eventName = Array("event".utf8)
  private static let idName = Array("id".utf8)
  private static let dataName = Array("data".utf8)

  /// - Returns: nil for a note, an object without `event`.
  package init?(_ value: JSONValue) throws(FormatError) {
    guard value.kind == .object else {
      throw FormatError("expected an event record (an object), found \(value.kind.name)", at: value)
    }
    guard let event = value.member(Self.eventName) else { return nil }
    self.event = try Self.string(event, "event")
    id = try value.member(Self.idName).map { (id) throws(FormatError) in try Self.string(id, "id") } ?? []
    data = value.member(Self.dataName)
  }

  /// The document that `data` holds: the value itself, or the JSON in it when it is a string.
  /// - Returns: nil when there is no `data`.
  package func document(maxDepth: Int) throws(FormatError) -> JSONValue? {
    guard let data, let text = data.string else { return data }
    do { return try JSONDocument(parsing: text, maxDepth: maxDepth).root } catch {
      throw FormatError("'data' is not JSON: \(error.message()), at byte \(error.offset + 1) of the string", at: data)
    }
  }

  /// The id, or where there is none, the one that `document` has at `pointer`.
  package func id(or pointer: JSONPointer?, maxDepth: Int) -> [UInt8] {
    guard id.isEmpty, let pointer, let document = try? document(maxDepth: maxDepth) else { return id }
    return document.recordID(at: pointer)
  }

  private static func string(_ value: JSONValue, _ name: String) throws(FormatError) -> [UInt8] {
    guard let string = value.string else {
      throw FormatError("'\(name)' is \(value.kind.name), not a string", at: value)
    }
    return string
  }
}

extension JSONValue {
  /// What is at `pointer` as the id of a record: the text of a string, or a number, `true` or `false` as it stands there.
  /// - Returns: empty where there is no such thing, null included, which says that there is no id.
  package func recordID(at pointer: JSONPointer) -> [UInt8] {
    guard let value = value(at: pointer), value.kind != .null, let word = value.word, word.isUTF8 else { return [] }
    return word
  }
}

extension ByteWriter {
  /// Writes the beginning of a record, up to and with the colon after `"data"`.
  /// - Parameters:
  ///   - event: valid UTF-8.
  ///   - id: valid UTF-8; left out when empty.
  ///   - extra: further members as JSON text, each with a comma in front.
  package mutating func beginRecord(event: borrowing Span<UInt8>, id: borrowing Span<UInt8>, extra: [UInt8] = []) {
    append("{\"event\":")
    JSONString.write(event, to: &self)
    if !id.isEmpty {
      append(",\"id\":")
      JSONString.write(id, to: &self)
    }
    append(extra)
    append(",\"data\":")
  }

  /// Writes a document as the `data` of a record. A string is JSON text there, so a document that is one is put into
  /// another: readers take `"\"x\""` for the document `"x"`.
  package mutating func appendDocument(_ document: JSONTree) {
    guard document.kind.isString else { return JSONWriter.writeCompact(document, to: &self) }
    var text = ByteWriter()
    JSONWriter.writeCompact(document, to: &text)
    JSONString.write(text.take().span, to: &self)
  }

  /// Writes the end of a record.
  package mutating func endRecord() {
    append("}")
    endLine()
  }
}
