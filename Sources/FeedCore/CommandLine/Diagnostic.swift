/// What a tool says to people: one line, and where to look.
package struct Diagnostic: Equatable, Sendable {
  /// Lower case, no full stop; may hold any bytes: they are escaped when it is printed.
  package var text: String
  /// The file, `-` for standard input, or a URL without its secrets.
  package var source: String?
  package var place: TextPlace?
  /// In a stream of records: `event 17`, `document 3`.
  package var record: String?

  package init(_ text: String, source: String? = nil, place: TextPlace? = nil, record: String? = nil) {
    self.text = text
    self.source = source
    self.place = place
    self.record = record
  }

  /// The same, with more after the text.
  package func adding(_ more: String) -> Diagnostic {
    Diagnostic(text + more, source: source, place: place, record: record)
  }

  /// `jpatch: in.json:3:17: event 4: expected ',' or '}' after an object member`, as a line.
  /// - Parameter withExcerpt: whether to show the source line with a caret, as on a terminal.
  package func rendered(by program: String, withExcerpt: Bool) -> [UInt8] {
    var line = program + ": "
    if let source {
      line += source
      if let place { line += ":\(place.line):\(place.column)" }
      line += ": "
    }
    if let record { line += record + ": " }
    let message = printable(Array((line + text).utf8)) + [UInt8(ascii: "\n")]
    guard withExcerpt, let place, !place.excerpt.isEmpty else { return message }
    return message + Self.caret(place)
  }

  /// The source line, cut to what fits around the column, and a caret below it.
  private static func caret(_ place: TextPlace) -> [UInt8] {
    let width = 72
    let column = min(place.column - 1, place.excerpt.count)
    let start = max(0, min(column - width / 2, place.excerpt.count - width))
    let before = printable(Array(place.excerpt[start..<column]))
    let after = printable(Array(place.excerpt[column..<min(place.excerpt.count, start + width)]))
    let indent = String(decoding: before, as: UTF8.self).count
    return Array("  ".utf8) + before + after + Array("\n  ".utf8)
      + [UInt8](repeating: UInt8(ascii: " "), count: indent) + Array("^\n".utf8)
  }
}
