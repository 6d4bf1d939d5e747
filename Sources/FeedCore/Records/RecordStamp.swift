// When a record was printed, and from which feed it is: the members `time` and `source`, and the options that add them.
// If several feeds go into one pipe, these members tell their records apart.

/// The values of the options.
package struct RecordStamp: Equatable, Sendable {
  /// Whether `--time` is given.
  package var hasTime = false
  /// Valid UTF-8.
  package private(set) var source: [UInt8]?

  private static let time = OptionRow<RecordStamp>(
    "time", \.hasTime, "add the time to each record")
  private static let sourceName = OptionRow<RecordStamp>(
    "source", .sourceName, \.source, "add this name to each record")

  /// The rows of a tool.
  /// - Parameter records: makes a row say which options of the tool print records, or which do not.
  package static func rows<Whole>(
    _ part: @autoclosure @escaping OptionRow<Whole>.Setting<RecordStamp>,
    records: (OptionRow<Whole>) -> OptionRow<Whole>
  ) -> OptionRows<Whole>.OptionPart {
    .parts([.row(records(time.within(part()))), .row(records(sourceName.within(part())))])
  }

  package init() {}

  /// For tests, which set only what they need.
  package init(hasTime: Bool, source: [UInt8]?) {
    self.hasTime = hasTime
    self.source = source
  }

  /// A note with the source of this feed. It keeps its own time.
  package func stamped(_ note: Note) -> Note {
    var note = note
    note.source = source
    return note
  }
}

extension OptionType<[UInt8]> {
  /// Text that a JSON string can hold.
  fileprivate static let sourceName = text("NAME", "a name in valid UTF-8") { !$0.isEmpty && $0.isUTF8 }
}

extension ByteWriter {
  /// Writes the end of a record, with the members that the options add.
  package mutating func endRecord(_ stamp: RecordStamp) {
    if stamp.hasTime { appendTime() }
    appendSource(stamp.source)
    endRecord()
  }

  /// Writes the member `source`, if there is one.
  package mutating func appendSource(_ source: [UInt8]?) {
    guard let source else { return }
    append(",\"source\":")
    JSONString.write(source.span, to: &self)
  }
}
