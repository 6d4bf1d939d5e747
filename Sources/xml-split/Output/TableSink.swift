import FeedCore

/// A table of values (--fields).
struct TableForm {
  enum Style {
    /// Values with tabs between them.
    case tabs
    /// RFC 4180.
    case csv
  }

  let columns: [Column]
  let several: Column.Several
  let style: Style
  let hasHeader: Bool
}

/// Writes values from elements, one row on each line.
struct TableSink: ElementSink {
  private let form: TableForm
  /// For each column, whether it was reported that there are several values.
  private var isReported: [Bool]
  private var notes: [XMLError] = []
  /// The value being written.
  private var value: [UInt8] = []

  init(_ form: TableForm) {
    self.form = form
    isReported = form.columns.map { _ in false }
  }

  var needsTree: Bool { true }

  func begin(_ output: inout ByteWriter) {
    guard form.hasHeader else { return }
    for (place, column) in form.columns.enumerated() { write(column.text, place, to: &output) }
    endRow(&output)
  }

  mutating func write(
    _ element: FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) {
    let columns = form.columns
    for place in columns.indices {
      value.removeAll(keepingCapacity: true)
      let several = isReported[place] ? .first : form.several
      if several == .first, !columns[place].isCount {
        if let match = columns[place].first(in: tree) { Field.append(match, tree, to: &value) }
        write(value, place, to: &output)
        continue
      }
      switch columns[place].value(in: tree, several) {
      case .missing: break
      case .text(let text): value = text
      case .count(let count): value = Array(String(count).utf8)
      case .several(let values): value = values[0]
      case .firstOfSeveral(let first):
        value = first
        isReported[place] = true
        let name = shortened(columns[place].text)
        notes.append(
          XMLError("'\(name)' has several values, and only the first is printed (--join)", at: element.range.lowerBound)
        )
      }
      write(value, place, to: &output)
    }
    endRow(&output)
  }

  mutating func takeNotes() -> [XMLError] {
    if notes.isEmpty { return [] }
    defer { notes = [] }
    return notes
  }

  private func write(_ value: [UInt8], _ place: Int, to output: inout ByteWriter) {
    switch form.style {
    case .tabs:
      if place > 0 { output.append(UInt8(ascii: "\t")) }
      Self.writeEscaped(value, to: &output)
    case .csv:
      if place > 0 { output.append(UInt8(ascii: ",")) }
      // A line with nothing on it would be no row for many readers.
      output.append(value.isEmpty && form.columns.count == 1 ? Array("\"\"".utf8) : Self.quotedIfNeeded(value))
    }
  }

  private func endRow(_ output: inout ByteWriter) {
    if form.style == .csv { output.append(UInt8(ascii: "\r")) }
    output.endLine()
  }

  /// Writes a value with tabs, line ends and backslashes as `\\t`, `\\n`, `\\r` and `\\\\`.
  private static func writeEscaped(_ value: [UInt8], to output: inout ByteWriter) {
    let bytes = value.span
    var start = 0
    for index in value.indices {
      let escape: StaticString
      switch bytes[index] {
      case UInt8(ascii: "\t"): escape = "\\t"
      case UInt8(ascii: "\n"): escape = "\\n"
      case UInt8(ascii: "\r"): escape = "\\r"
      case UInt8(ascii: "\\"): escape = "\\\\"
      default: continue
      }
      output.append(bytes.extracting(start..<index))
      output.append(escape)
      start = index + 1
    }
    output.append(bytes.extracting(start..<value.count))
  }

  /// A value of a CSV file: in quotes if it has a comma, a quote or a line end (RFC 4180 §2).
  private static func quotedIfNeeded(_ value: [UInt8]) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    let isPlain = value.allSatisfy { $0 != quote && $0 != UInt8(ascii: ",") && $0 != 0xA && $0 != 0xD }
    if isPlain { return value }
    var result: [UInt8] = [quote]
    result.reserveCapacity(value.count + 2)
    for byte in value {
      if byte == quote { result.append(quote) }
      result.append(byte)
    }
    return result + [quote]
  }
}
