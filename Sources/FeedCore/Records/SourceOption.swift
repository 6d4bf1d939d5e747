// The options of tools that keep one document for each source of a stream.

package enum SourceOption: ToolOption {
  case by, maxSources

  package var group: OptionGroup { .output }

  package var spec: OptionSpec {
    switch self {
    case .by:
      OptionSpec("by", .sourcePointer, "keep a document for each value of this member").excludes("source")
    case .maxSources:
      OptionSpec("max-sources", .integer(1...Int.max), "the most documents").default("10000").needs("by")
    }
  }

  /// The rows of a tool.
  /// - Parameters:
  ///   - group: the group of the tool's rows that these rows join.
  ///   - change: adds to the row of `--by` what the tool's other options mean for it.
  package static func rows(in group: OptionGroup, by change: (OptionSpec) -> OptionSpec = { $0 }) -> [OptionSpec] {
    rows().map { row in (row.name == "by" ? change(row) : row).with { $0.group = group } }
  }
}

extension OptionType {
  package static let sourcePointer = OptionType("POINTER") { bytes throws(OptionRefusal) in
    let example = "/source"
    if let pointer = SourcePointer(try JSONPointer(typed: bytes, suchAs: example)) { return pointer }
    let taken = SourcePointer.taken.joined(separator: ", ")
    throw .expected("one member of the record, such as \(example), and none of \(taken)", found: bytes)
  }
}

extension SourceIndex {
  /// The values of the options.
  /// - Returns: nil without `--by`.
  package init?(_ invocation: Invocation) throws(ToolFailure) {
    var pointer: SourcePointer?
    var limit = 0
    for (option, value) in try invocation.options(SourceOption.self) {
      switch option {
      case .by: pointer = try value.get()
      case .maxSources: limit = try value.get()
      }
    }
    guard let pointer else { return nil }
    self.init(by: pointer, limit: limit, options: ("--by", "--max-sources"))
  }
}
