import FeedCore

/// A position in a complete text, for reading declarations.
struct XMLCursor {
  let bytes: [UInt8]
  var index = 0
  /// The offset of the text in the input.
  private let start: Int
  /// Whether the text replaces a reference. If so, all errors in it are reported at the reference.
  let isReplacement: Bool

  init(_ bytes: [UInt8], at start: Int, isReplacement: Bool = false) {
    self.bytes = bytes
    self.start = start
    self.isReplacement = isReplacement
  }

  /// The offset of `index` in the input.
  var offset: Int { isReplacement ? start : start + index }

  var isAtEnd: Bool { index >= bytes.count }
  var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

  func error(_ message: String) -> XMLError { XMLError(message, at: offset) }

  func starts(with text: StaticString) -> Bool { startsWith(bytes.span, text, at: index) == .yes }

  /// Skips a text if it comes next.
  mutating func take(_ text: StaticString) -> Bool {
    guard starts(with: text) else { return false }
    index += text.utf8CodeUnitCount
    return true
  }

  /// Skips white space.
  /// - Returns: whether there was any.
  mutating func skipSpace() -> Bool {
    let before = index
    while let byte, byte.isWhiteSpace { index += 1 }
    return index > before
  }

  mutating func space(_ expected: String) throws(XMLError) {
    guard skipSpace() else { throw error("expected " + expected) }
  }

  /// A name ([5]) or, with `isToken`, an Nmtoken ([7]).
  mutating func name(_ expected: String, isToken: Bool = false) throws(XMLError) -> [UInt8] {
    guard let end = XMLName.wholeEnd(bytes.span, index, isToken: isToken), end > index else {
      throw error("expected " + expected)
    }
    defer { index = end }
    return Array(bytes[index..<end])
  }

  /// A quoted text, without its quotes.
  mutating func quoted(_ expected: String) throws(XMLError) -> [UInt8] {
    guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw error("expected \(expected) in quotes")
    }
    guard let end = bytes[(index + 1)...].firstIndex(of: quote) else { throw error("a quote that is not closed") }
    defer { index = end + 1 }
    return Array(bytes[(index + 1)..<end])
  }

  /// Checks a quoted text: only legal characters, nothing else.
  mutating func literal(_ expected: String) throws(XMLError) {
    let start = index
    let count = try quoted(expected).count
    let end = index
    index = start + 1
    while index < start + 1 + count { try character() }
    index = end
  }

  /// Skips the characters of markup that has begun, and its end.
  mutating func finish(_ markup: DelimitedMarkup) throws(XMLError) {
    while !isAtEnd {
      if take(markup.end) { return }
      if markup == .comment, take("--") { throw error("'--' in a comment") }
      try character()
    }
    throw error("\(markup.shown) that is not closed")
  }

  /// Skips one character.
  mutating func character() throws(XMLError) {
    guard case .character(_, let count) = XMLCharacters.at(bytes.span, index) else {
      throw XMLError(XMLText.illegal(bytes.span, index).message, at: offset)
    }
    index += count
  }

  /// Reads the reference that begins here.
  mutating func reference() throws(XMLError) -> XMLReference {
    do throws(XMLError) {
      guard let end = try XMLReference.end(bytes.span, from: index + 1) else {
        throw error("expected a reference and ';' after '&'")
      }
      let reference = try XMLReference(bytes.span, index..<end)
      index = end
      return reference
    } catch {
      throw self.error(error.message)
    }
  }

  /// `name = "value"` of an XML declaration.
  mutating func pseudoAttribute(_ name: StaticString) throws(XMLError) -> [UInt8] {
    guard take(name) else { throw error("expected '\(name)'") }
    _ = skipSpace()
    guard take("=") else { throw error("expected '=' after '\(name)'") }
    _ = skipSpace()
    return try quoted("a value")
  }
}
