import FeedCore

/// Writes a table of values (--fields): one row on each line, with tabs between the values, or as CSV (RFC 4180).
struct TableSink: ElementSink {
  private let columns: [Column]
  /// Whether to report paths with several texts, or with none.
  private let isVerbose: Bool
  private let isCSV: Bool
  /// Filled before anything is written, because a value may be too long.
  private var row: [UInt8] = []
  /// For each column, whether it has had several values, which was reported.
  private var hadSeveral: [Bool]
  /// For each column, whether it has had a value.
  private var hadValue: [Bool]
  private var notes: [XMLError] = []

  init(_ columns: [Column], isVerbose: Bool, isCSV: Bool) {
    (self.columns, self.isVerbose, self.isCSV) = (columns, isVerbose, isCSV)
    hadSeveral = columns.map { !isVerbose || $0.separator != nil }
    hadValue = columns.map { _ in false }
  }

  var needsTree: Bool { true }

  func begin(_ output: inout ByteWriter) {
    guard isCSV else { return }
    var header: [UInt8] = []
    for (place, column) in columns.enumerated() {
      Self.beginValue(place, isCSV, in: &header)
      let start = header.count
      header += column.text
      Self.endValue(from: start, in: &header, isCSV: isCSV, isOnly: columns.count == 1)
    }
    write(header, to: &output)
  }

  mutating func write(
    _ element: borrowing FoundElement, _ tree: ElementTree, _ bytes: borrowing Span<UInt8>, to output: inout ByteWriter
  ) throws(XMLError) {
    row.removeAll(keepingCapacity: true)
    for place in columns.indices {
      Self.beginValue(place, isCSV, in: &row)
      let start = row.count
      do {
        let hasValue = try columns[place].append(to: &row, from: tree)
        if hasValue, !hadValue[place] { hadValue[place] = true }
      } catch { throw error.moved(by: element.range.lowerBound) }
      Self.endValue(from: start, in: &row, isCSV: isCSV, isOnly: columns.count == 1)
      if !hadSeveral[place] { noteSeveral(place, element, tree) }
    }
    write(row, to: &output)
  }

  private mutating func noteSeveral(_ place: Int, _ element: borrowing FoundElement, _ tree: ElementTree) {
    let column = columns[place]
    guard !column.isCount, column.hasSeveral(in: tree) else { return }
    hadSeveral[place] = true
    notes.append(
      XMLError(
        "'\(shortened(column.text))' has several values, and only the first is printed (--join)",
        at: element.range.lowerBound))
  }

  mutating func takeNotes() -> [XMLError] {
    if notes.isEmpty { return [] }
    defer { notes = [] }
    return notes
  }

  var lastNotes: [String] {
    guard isVerbose else { return [] }
    return columns.indices.filter { !hadValue[$0] }
      .map { "'\(shortened(columns[$0].text))' has no value in any element" }
  }

  private func write(_ row: [UInt8], to output: inout ByteWriter) {
    output.append(row)
    if isCSV { output.append(UInt8(ascii: "\r")) }
    output.endLine()
  }

  // MARK: Values

  @inline(__always)
  private static func beginValue(_ place: Int, _ isCSV: Bool, in row: inout [UInt8]) {
    if place > 0 { row.append(isCSV ? UInt8(ascii: ",") : UInt8(ascii: "\t")) }
  }

  /// Changes the value that begins at `start` into what is written.
  /// - Parameter isOnly: whether the table has no other column.
  private static func endValue(from start: Int, in row: inout [UInt8], isCSV: Bool, isOnly: Bool) {
    guard isCSV else {
      guard contains(row.span, from: start, { escape(of: $0) != nil }) else { return }
      for byte in take(from: start, of: &row) {
        if let letter = escape(of: byte) { row += [UInt8(ascii: "\\"), letter] } else { row.append(byte) }
      }
      return
    }
    let quote = UInt8(ascii: "\"")
    // A line with nothing on it would be no row for many readers.
    guard row.isEmpty && isOnly || contains(row.span, from: start, isQuoted) else { return }
    let value = take(from: start, of: &row)
    row.append(quote)
    for byte in value {
      if byte == quote { row.append(quote) }
      row.append(byte)
    }
    row.append(quote)
  }

  @inline(__always)
  private static func contains(_ bytes: borrowing Span<UInt8>, from start: Int, _ test: (UInt8) -> Bool) -> Bool {
    for index in start..<bytes.count where test(bytes[index]) { return true }
    return false
  }

  private static func take(from start: Int, of row: inout [UInt8]) -> [UInt8] {
    defer { row.removeSubrange(start...) }
    return Array(row[start...])
  }

  /// The letter after the backslash for a tab, a line end or a backslash; nil for other bytes.
  @inline(__always)
  private static func escape(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\t"): UInt8(ascii: "t")
    case UInt8(ascii: "\n"): UInt8(ascii: "n")
    case UInt8(ascii: "\r"): UInt8(ascii: "r")
    case UInt8(ascii: "\\"): byte
    default: nil
    }
  }

  /// Whether a value with this byte is in quotes (RFC 4180 §2).
  @inline(__always)
  private static func isQuoted(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: ",") || byte == 0xA || byte == 0xD
  }
}
