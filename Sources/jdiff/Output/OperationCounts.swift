import FeedCore

/// --stat: the number of operations of each kind.
struct OperationCounts {
  private let counts: [(name: String, count: Int)]

  init(_ patch: JSONPatch) {
    var text = ByteWriter()
    patch.write(compact: true, to: &text)
    let names = ["add", "remove", "replace", "move", "test"]
    counts =
      names.map { name in (name, patch.operations.count { $0.name == name }) }
      + [("operations", patch.operations.count), ("bytes", text.count)]
  }

  /// Writes a line for each kind: its name and number.
  func write(to output: inout ByteWriter) {
    for (name, count) in counts { output.append("\(name) \(count)\n") }
  }
}
