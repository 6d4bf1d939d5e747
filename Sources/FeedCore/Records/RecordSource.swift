// Which of many documents a record belongs to. A member of the record says it, by default `source`, in which http-cat
// writes the name of a feed. So one pipe carries the documents of many feeds, and each tool keeps them apart.

/// The member of a record that names its document, as `--by` gives it.
package struct SourcePointer: Equatable, Sendable {
  /// The name of the member, in UTF-8.
  package let member: [UInt8]

  /// - Returns: nil if the pointer does not name a member of the record itself, or names one that records or
  ///   checkpoints need for something else.
  package init?(_ pointer: JSONPointer) {
    guard pointer.tokens.count == 1, let member = pointer.tokens.first.map(Array.init), member.isUTF8,
      !Self.taken.contains(where: { member.elementsEqual($0.utf8) })
    else { return nil }
    self.member = member
  }

  /// What records and checkpoints need for something else.
  static let taken = ["event", "id", "data", "time", "mark"]

  /// The pointer as text.
  package var text: [UInt8] { JSONPointer(tokens: [member]).text }

  /// The name of a record's document: the text of a string, or a number, `true` or `false` as written.
  /// - Parameter option: the option that gave the pointer, for messages.
  package func name(in record: JSONValue, option: String) throws(FormatError) -> [UInt8] {
    guard let value = record.member(member) else {
      throw FormatError("no member '\(shortened(member))', which names the document (\(option))", at: record)
    }
    guard value.kind != .null, let name = value.word else {
      throw FormatError("'\(shortened(member))' is \(value.kind.name), which names no document (\(option))", at: value)
    }
    if name.isEmpty {
      throw FormatError("'\(shortened(member))' is empty, which names no document (\(option))", at: value)
    }
    return name
  }
}

/// The name of a document among several.
package struct RecordSource: Sendable {
  package let name: [UInt8]
  /// The member as JSON text, with a comma in front.
  let member: [UInt8]

  fileprivate init(_ name: [UInt8], of record: JSONValue, by pointer: SourcePointer) {
    self.name = name
    var member = ByteWriter()
    member.append(",")
    JSONString.write(pointer.member.span, to: &member)
    member.append(":")
    member.append(record.member(pointer.member)?.text ?? [])
    self.member = member.take()
  }
}

/// The sources of a stream, numbered from 0 as they come. A tool keeps its documents in an array in this order.
package struct SourceIndex: Sendable {
  package let pointer: SourcePointer
  /// At most this many sources.
  package let limit: Int
  /// The options that gave the pointer and the limit, for messages.
  private let options: (pointer: String, limit: String)
  /// By their numbers.
  package private(set) var sources: [RecordSource] = []
  private var numbers: [[UInt8]: Int] = [:]
  /// In bytes. Percent-encoded, such a name still fits into a request of HTTP.
  private static let longestName = 2048

  package init(by pointer: SourcePointer, limit: Int, options: (pointer: String, limit: String)) {
    (self.pointer, self.limit, self.options) = (pointer, limit, options)
  }

  /// The number of a source; nil if no record of it has come.
  func number(named name: [UInt8]) -> Int? { numbers[name] }

  /// The number of a record's source, which is `sources.count - 1` if it is new.
  package mutating func number(of record: JSONValue) throws(FormatError) -> Int {
    let name = try pointer.name(in: record, option: options.pointer)
    if let number = numbers[name] { return number }
    if name.count > Self.longestName {
      let text = "a name of \(name.count) bytes, and at most \(Self.longestName) are allowed (\(options.pointer))"
      throw FormatError(text, at: record.member(pointer.member) ?? record)
    }
    guard sources.count < limit else {
      throw FormatError(
        "'\(shortened(name))' is one document too many: more than \(limit) (\(options.limit))", at: record)
    }
    numbers[name] = sources.count
    sources.append(RecordSource(name, of: record, by: pointer))
    return sources.count - 1
  }
}

extension ByteWriter {
  /// Writes the end of a record, with the members that the options add.
  /// - Parameter source: the source of the record; nil if there is only one document.
  package mutating func endRecord(_ stamp: RecordStamp, of source: RecordSource?) {
    guard let source else { return endRecord(stamp) }
    if stamp.hasTime { appendTime() }
    append(source.member)
    endRecord()
  }
}

/// The options of tools that keep one document for each source of a stream.
package struct SourceOptions: Sendable {
  package typealias Option = OptionRow<SourceOptions>

  package var pointer: SourcePointer?
  package var limit = 0

  package init() {}

  package static let by = Option("by", .sourcePointer, \.pointer, "keep a document for each value of this member")
  package static let maxSources = Option("max-sources", .integer(1...), \.limit, "the most documents").default("10000")
    .needs(\.pointer)

  /// The sources; nil without `--by`.
  package var index: SourceIndex? {
    pointer.map { SourceIndex(by: $0, limit: limit, options: ("--by", "--max-sources")) }
  }
}

extension OptionType<SourcePointer> {
  package static let sourcePointer = Self("POINTER") { bytes throws(OptionRefusal) in
    let example = "/source"
    if let pointer = SourcePointer(try JSONPointer(typed: bytes, suchAs: example)) { return pointer }
    let taken = SourcePointer.taken.joined(separator: ", ")
    throw .expected("one member of the record, such as \(example), and none of \(taken)", found: bytes)
  }
}
