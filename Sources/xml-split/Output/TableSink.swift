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
  let joining: Column.Joining?
  /// Whether to report paths with several texts, or with none.
  let isVerbose: Bool
  let style: Style
  let hasHeader: Bool
}

/// Writes values from elements, one row on each line.
struct TableSink: ElementSink {
  private let form: TableForm
  private var row: [[UInt8]]
  /// For each column, whether it has had several values, which was reported.
  private var hadSeveral: [Bool]
  /// For each column, whether it has had a value.
  private var hadValue: [Bool]
  private var notes: [XMLError] = []

  init(_ form: TableForm) {
    self.form = form
    row = form.columns.map { _ in [] }
    hadSeveral = form.columns.map { _ in !form.isVerbose || form.joining != nil }
    hadValue = form.columns.map { _ in false }
  }

  var needsTree: Bool { true }

  func begin(_ output: inout ByteWriter) {
    guard form.hasHeader else { return }
    for (place, column) in form.columns.enumerated() { write(column.text, place, to: &output) }
    endRow(&output)
  }

  mutating func write(
    _ element: FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) throws(XMLError) {
    for (place, column) in form.columns.enumerated() {
      row[place].removeAll(keepingCapacity: true)
      do {
        if try column.append(to: &row[place], from: tree, joining: form.joining) { hadValue[place] = true }
      } catch { throw error.moved(by: element.range.lowerBound) }
      if !hadSeveral[place], !column.isCount, column.hasSeveral(in: tree) {
        hadSeveral[place] = true
        notes.append(
          XMLError(
            "'\(shortened(column.text))' has several values, and only the first is printed (--join)",
            at: element.range.lowerBound))
      }
    }
    for place in row.indices { write(row[place], place, to: &output) }
    endRow(&output)
  }

  mutating func takeNotes() -> [XMLError] {
    if notes.isEmpty { return [] }
    defer { notes = [] }
    return notes
  }

  var lastNotes: [String] {
    guard form.isVerbose else { return [] }
    return form.columns.indices.filter { !hadValue[$0] }
      .map { "'\(shortened(form.columns[$0].text))' has no value in any element" }
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
