/// A message for people: one line, and the place in the input.
package struct Diagnostic: Equatable, Sendable {
  /// Lower case, no full stop. May hold any bytes: printing escapes them.
  package var text: String
  /// The file, `-` for standard input, or a URL without its secrets.
  package var source: String?
  package var place: TextPlace?
  /// In a stream of records: `event 17`, `document 3`.
  package var record: String?

  package init(_ text: String, source: String? = nil, place: TextPlace? = nil, record: String? = nil) {
    (self.text, self.source, self.place, self.record) = (text, source, place, record)
  }

  /// The same, with more after the text.
  package func adding(_ more: String) -> Diagnostic {
    Diagnostic(text + more, source: source, place: place, record: record)
  }

  /// How a message is printed.
  package enum Style: Sendable {
    /// A line.
    case plain
    /// With the source line and a caret, as on a terminal.
    case excerpt
    /// The same, with the place and the message bold, and the caret green. These are readable on any background.
    case colored
  }

  /// `jpatch: in.json:3:17: event 4: expected ',' or '}' after an object member`, as a line.
  package func rendered(by program: String, _ style: Style) -> [UInt8] {
    var head = program + ":"
    if let source {
      head += " " + source
      if let place { head += ":\(place.line):\(place.column)" }
      head += ":"
    }
    if let record { head += " " + record + ":" }
    let start = printable(head.utf8)
    let message =
      (style == .colored ? Rendition.bold.applied(to: start) : start) + printable((" " + text).utf8)
      + [UInt8(ascii: "\n")]
    guard style != .plain, let place, !place.excerpt.isEmpty else { return message }
    return message + Self.caret(place, isColored: style == .colored)
  }

  /// The source line, cut to the part around the column that fits, and a caret below it.
  private static func caret(_ place: TextPlace, isColored: Bool) -> [UInt8] {
    let width = 72
    let column = min(place.column - 1, place.excerpt.count)
    let start = max(0, min(column - width / 2, place.excerpt.count - width))
    let before = printable(Array(place.excerpt[start..<column]))
    let after = printable(Array(place.excerpt[column..<min(place.excerpt.count, start + width)]))
    let indent = String(decoding: before, as: UTF8.self).count
    let caret = [UInt8(ascii: "^")]
    return Array("  ".utf8) + before + after + Array("\n  ".utf8)
      + [UInt8](repeating: UInt8(ascii: " "), count: indent)
      + (isColored ? Rendition.boldGreen.applied(to: caret) : caret) + [UInt8(ascii: "\n")]
  }
}
