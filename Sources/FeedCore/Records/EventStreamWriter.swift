// Server-sent events as text, in one canonical form: type, id and data in this order, LF line ends, one space after the
// colon. EventStreamParser reads back exactly what was written.

/// Writes the blocks of an event stream (WHATWG HTML §9.2.5).
package struct EventStreamWriter: Sendable {
  /// Whether the reader of the stream has a last event ID, which an event without an ID must clear.
  private var hasID = false

  package init() {}

  /// Why a value cannot be the type or the ID of an event, to be put after its name; nil if it can.
  package static func problem(of value: [UInt8]) -> String? {
    guard let bad = value.first(where: { $0.isLineEnd || $0 == 0 }) else { return nil }
    return "has \(bad == 0 ? "NUL" : "a line end"), which an event stream cannot carry"
  }

  /// Writes one event.
  /// - Parameters:
  ///   - type: without line ends. `message` is left out, because it is the default.
  ///   - id: without line ends and NUL; empty for none.
  ///   - data: any text; each of its lines becomes a line of the block. LF, CR and CRLF all end a line, and readers
  ///     cannot tell them apart.
  package mutating func write(type: [UInt8], id: [UInt8], data: [UInt8], to output: inout ByteWriter) {
    if type != Self.message { Self.writeLine("event: ", type.span, to: &output) }
    if !id.isEmpty {
      Self.writeLine("id: ", id.span, to: &output)
    } else if hasID {
      output.append("id:\n")
    }
    hasID = !id.isEmpty
    let text = data.span
    var start = 0
    while let end = firstIndex(of: UInt8(ascii: "\n"), in: text, start..<text.count) {
      let isCRLF = end > start && text[end - 1] == UInt8(ascii: "\r")
      Self.writeLines(text.extracting(start..<(isCRLF ? end - 1 : end)), to: &output)
      start = end + 1
    }
    Self.writeLines(text.extracting(start..<text.count), to: &output)
    output.endLine()
  }

  /// Writes a comment. It must have no line ends.
  package func write(comment: [UInt8], to output: inout ByteWriter) {
    Self.writeLine(": ", comment.span, to: &output)
    output.markRecord()
  }

  /// Writes a reconnection time.
  package func write(retry milliseconds: Int, to output: inout ByteWriter) {
    output.append("retry: \(milliseconds)\n")
    output.markRecord()
  }

  private static let message = Array("message".utf8)

  /// Writes a line of data. CR divides it into several.
  private static func writeLines(_ text: borrowing Span<UInt8>, to output: inout ByteWriter) {
    var start = 0
    while let end = firstIndex(of: UInt8(ascii: "\r"), in: text, start..<text.count) {
      writeLine("data: ", text.extracting(start..<end), to: &output)
      start = end + 1
    }
    writeLine("data: ", text.extracting(start..<text.count), to: &output)
  }

  private static func writeLine(_ field: StaticString, _ value: borrowing Span<UInt8>, to output: inout ByteWriter) {
    output.append(field)
    output.append(value)
    output.append(UInt8(ascii: "\n"))
  }
}
