// When a record was printed, and from which feed it is: the members `time` and `source`, and the options that add them.
// If several feeds go into one pipe, these members tell their records apart.

/// The option rows of tools that print records.
package enum StampOption: ToolOption {
  case time, source

  package var group: OptionGroup { .output }

  package var spec: OptionSpec {
    switch self {
    case .time: OptionSpec("time", "add the time to each record")
    case .source: OptionSpec("source", .sourceName, "add this name to each record")
    }
  }

  /// The rows of a tool.
  /// - Parameters:
  ///   - group: the group of the tool's rows that these rows join.
  ///   - records: makes a row say which options of the tool print records, or which do not.
  package static func rows(in group: OptionGroup = .output, records: (OptionSpec) -> OptionSpec) -> [OptionSpec] {
    rows().map { row in records(row).with { $0.group = group } }
  }
}

extension OptionType {
  /// Text that a JSON string can hold.
  fileprivate static let sourceName = text("NAME", "a name in valid UTF-8") { !$0.isEmpty && $0.isUTF8 }
}

/// The values of the options.
package struct RecordStamp: Equatable, Sendable {
  package var hasTime = false
  /// Valid UTF-8.
  package private(set) var source: [UInt8]?

  /// For tests, which set only what they need.
  package init(hasTime: Bool = false, source: [UInt8]? = nil) {
    self.hasTime = hasTime
    self.source = source
  }

  package init(_ invocation: Invocation) throws(ToolFailure) {
    for (option, value) in try invocation.options(StampOption.self) {
      switch option {
      case .time: hasTime = true
      case .source: source = value.bytes
      }
    }
  }

  /// A note with the source of this feed. It keeps its own time.
  package func stamped(_ note: Note) -> Note {
    var note = note
    note.source = source
    return note
  }
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
