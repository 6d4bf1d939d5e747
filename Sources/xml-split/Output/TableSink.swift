import FeedCore

/// Writes values from elements, one row on each line, separated by tabs (--fields).
struct TableSink: ElementSink {
  let fields: [Field]
  let hasHeader: Bool

  var needsTree: Bool { true }

  func begin(_ output: inout ByteWriter) {
    if hasHeader { writeRow(to: &output) { $0.text } }
  }

  func write(
    _ element: FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) {
    writeRow(to: &output) { $0.value(in: tree) ?? [] }
  }

  private func writeRow(to output: inout ByteWriter, _ value: (Field) -> [UInt8]) {
    for (place, field) in fields.enumerated() {
      if place > 0 { output.append(UInt8(ascii: "\t")) }
      output.append(Self.escaped(value(field)))
    }
    output.endLine()
  }

  /// A value with tabs, line ends and backslashes written as `\\t`, `\\n`, `\\r` and `\\\\`.
  private static func escaped(_ value: [UInt8]) -> [UInt8] {
    guard value.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\\") }) else { return value }
    var result: [UInt8] = []
    result.reserveCapacity(value.count)
    for byte in value {
      switch byte {
      case UInt8(ascii: "\t"): result += Array("\\t".utf8)
      case UInt8(ascii: "\n"): result += Array("\\n".utf8)
      case UInt8(ascii: "\r"): result += Array("\\r".utf8)
      case UInt8(ascii: "\\"): result += Array("\\\\".utf8)
      default: result.append(byte)
      }
    }
    return result
  }
}
