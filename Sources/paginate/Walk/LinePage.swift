import FeedCore

/// A page whose lines are its items (NDJSON): it becomes an array, so that everything else works as for other pages.
enum LinePage {
  /// How much later everything is in the array than in the page.
  static let shift = 1

  /// The array of the lines. Lines of only white space are skipped.
  /// - Throws: an error with its offset in `body`.
  static func document(_ body: [UInt8], maxDepth: Int) throws(JSONError) -> JSONDocument {
    var text: [UInt8] = [UInt8(ascii: "[")]
    text.reserveCapacity(body.count + 2)
    var hasItem = false
    var start = 0
    while start < body.count {
      let end = body[start...].firstIndex(of: UInt8(ascii: "\n")) ?? body.count
      var line = body[start..<end]
      // RS before a document (RFC 7464) becomes a space, so that all offsets stay.
      if line.first?.isRecordSeparator == true { line[start] = UInt8(ascii: " ") }
      if line.contains(where: { !$0.isWhiteSpace }) {
        do { _ = try JSONDocument(parsing: Array(line), maxDepth: maxDepth) } catch {
          throw JSONError(error.kind, at: error.offset + start)
        }
        // The separator takes the place of the line end before it.
        if hasItem { text[text.count - 1] = UInt8(ascii: ",") }
        hasItem = true
      }
      text += line
      if end < body.count { text.append(UInt8(ascii: "\n")) }
      start = end + 1
    }
    text.append(UInt8(ascii: "]"))
    return JSONDocument(known: text)
  }
}
