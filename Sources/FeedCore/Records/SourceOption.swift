// The options of tools that keep one document for each source of a stream.

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
