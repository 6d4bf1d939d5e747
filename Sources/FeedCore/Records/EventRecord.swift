// Event records: the format that the tools exchange (feedutils(7)). One JSON object with the members `event`, `id` and
// `data`, in any order; other members are ignored.

/// A record that was read.
package struct EventRecord: Sendable {
  /// Its type. An empty one is `message` (HTML standard, 9.2.6).
  package let event: [UInt8]
  /// Empty if there is none.
  package let id: [UInt8]
  /// As written; see `document`. Nil if there is none.
  package let data: JSONValue?

  /// Whether an object without `event` is a note, which every reader of records skips.
  package static func isNote(_ value: JSONValue) -> Bool {
    value.member(noteName) != nil || value.member(commentName) != nil
  }

  /// Whether an object without `event` is this note.
  package static func isNote(_ value: JSONValue, _ kind: Note.Kind) -> Bool {
    value.member(noteName)?.string == Array(kind.rawValue.utf8)
  }

  /// Whether a value is clearly meant as a record: it has `event` and `data`, and no member that records do not have.
  package static func isUnmistakable(_ value: JSONValue) -> Bool {
    guard value.kind == .object, value.member("event")?.kind.isString == true, value.member("data") != nil else {
      return false
    }
    return value.children.allSatisfy { child in child.key?.string.map(memberNames.contains) == true }
  }

  private static let noteName = MemberName("note")
  private static let commentName = MemberName("comment")
  private static let memberNames = ["event", "id", "data", "time", "url", "source", "etag", "mark", "seq"]
    .map { Array($0.utf8) }
  private static let defaultType = Array("message".utf8)
  private static let names = ShortNames("event", "id", "data")

  /// - Returns: nil for a note, an object without `event`.
  package init?(_ value: JSONValue) throws(FormatError) {
    guard value.kind == .object else {
      throw FormatError("expected an event record (an object), found \(value.kind.name)", at: value)
    }
    // The tape positions of the members, in the order of `names`. The last one of a name counts.
    var places: [3 of Int] = .init(repeating: 0)
    Self.names.visitMembers(of: value) { places[$0] = $1 + 1 }
    func member(_ name: Int) -> JSONValue? {
      places[name] == 0 ? nil : JSONValue(document: value.document, position: places[name])
    }
    guard let event = member(0) else { return nil }
    let type = try Self.string(event, "event")
    self.event = type.isEmpty ? Self.defaultType : type
    id = try member(1).map { (id) throws(FormatError) in try Self.string(id, "id") } ?? []
    data = member(2)
  }

  /// The document that `data` holds: the value itself, or if it is a string, the JSON in it.
  /// - Returns: nil if there is no `data`.
  package func document(maxDepth: Int) throws(FormatError) -> JSONValue? {
    guard let data, let text = data.string else { return data }
    do { return try JSONDocument(parsing: text, maxDepth: maxDepth).root } catch {
      throw FormatError("'data' is not JSON: \(error.message()), at byte \(error.offset + 1) of the string", at: data)
    }
  }

  /// The id; if there is none, the id that the document has at `pointer`.
  package func id(or pointer: JSONPointer?, maxDepth: Int) -> [UInt8] {
    guard id.isEmpty, let pointer, let document = try? document(maxDepth: maxDepth) else { return id }
    return document.label(at: pointer)
  }

  private static func string(_ value: JSONValue, _ name: String) throws(FormatError) -> [UInt8] {
    guard let string = value.string else {
      throw FormatError("'\(name)' is \(value.kind.name), not a string", at: value)
    }
    return string
  }
}

extension ByteWriter {
  /// Writes the beginning of a record, up to and including the colon after `"data"`.
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

  /// Writes a document as the `data` of a record. A string there is read as JSON text. So a document that is a string
  /// is written as a string in a string: readers take `"\"x\""` for the document `"x"`.
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

/// The IDs that a tool gives its events itself, which grow: whole numbers, by default the time in microseconds since
/// 1970. An ID never names two things, not even in the next run: a reader comes back with the last ID that it has seen,
/// and must not get the changes of another document.
///
/// A run needs to know nothing of the one before it: time has passed since, so its IDs are greater. This holds while
/// the clock is not set back, and below a million IDs a second.
package struct EventIDs: Sendable {
  /// Whole numbers that every JSON reader represents exactly (RFC 8259 §6).
  package static let range = 0...(1 << 53)
  /// The greatest number that is taken for a time, in the year 2255. It leaves room for IDs above it.
  private static let latest = (1 << 53) - (1 << 40)
  /// The longest random distance to an earlier ID: 268 seconds.
  private static let distances = 1...(1 << 28)

  private var last: Int
  private let isCounted: Bool

  /// IDs by the clock.
  package init() {
    last = 0
    isCounted = false
  }

  /// First the given number, then one more each time. The user must see to it that no other run gives them.
  package init(countingFrom first: Int) {
    last = first - 1
    isCounted = true
  }

  /// Gives only greater IDs than one of an earlier run, which a checkpoint has.
  ///
  /// A run that was killed may have given greater ones than that. The clock has passed them, unless it was set back.
  /// If it was, the IDs continue at a random distance.
  /// - Parameters:
  ///   - id: begins with a number, or is ignored.
  ///   - now: in microseconds since 1970.
  package mutating func resume(after id: [UInt8], at now: Int64 = Clock.now()) {
    guard let number = Int(decimal: id.prefix { $0.isDigit }), number <= Self.latest else { return }
    last = max(last, number < now ? number : number + Int.random(in: Self.distances))
  }

  /// - Parameter now: in microseconds since 1970.
  package mutating func next(at now: Int64 = Clock.now()) -> [UInt8] {
    last = isCounted ? last + 1 : max(last + 1, min(Int(now), Self.latest))
    return Array(String(last).utf8)
  }
}
