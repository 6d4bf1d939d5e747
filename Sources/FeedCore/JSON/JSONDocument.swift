// A parsed document, and a value in it. Both are immutable, so any number of trees can share a document.

/// The bytes of a JSON text with their tape (see JSONTape).
package final class JSONDocument: Sendable {
  /// UTF-8. Without comments it is the text as it was read, with the white space around the value.
  package let bytes: [UInt8]
  /// The text as it was read, if it has comments or trailing commas. In `bytes` there are blanks for them.
  package let commented: [UInt8]?
  /// The words of the value; the first is at position 0.
  package let tape: [UInt64]
  /// Whether there is no white space between the tokens of the value. May be false without need if it was parsed like
  /// another document.
  package let isCompact: Bool
  /// The greatest depth of nested containers. May be that of the document that it was parsed like, if that is greater.
  package let depth: Int

  private static let string = [TapeWord.make(.string, at: 0)]
  private static let escapedString = [TapeWord.make(.escapedString, at: 0)]

  /// - Parameter scanner: one that has reached the end of the document in `bytes`.
  init(_ bytes: [UInt8], scannedBy scanner: JSONScanner, commented: [UInt8]? = nil) {
    self.bytes = bytes
    self.commented = commented
    tape = scanner.tape
    isCompact = scanner.isCompact
    depth = scanner.depth
  }

  /// A document that is one string.
  /// - Parameter text: with its quotes.
  init(string text: [UInt8], isEscaped: Bool) {
    bytes = text
    commented = nil
    tape = isEscaped ? Self.escapedString : Self.string
    isCompact = true
    depth = 0
  }

  /// A document with some values left out: a shorter tape for the same bytes. The text of a value is unchanged; its
  /// children are those that remain.
  /// - Parameter tape: the words of the remaining values, with corrected second words.
  package init(_ document: JSONDocument, tape: [UInt64]) {
    bytes = document.bytes
    commented = document.commented
    self.tape = tape
    isCompact = document.isCompact
    depth = document.depth
  }

  /// Parses a text that is one document, with nothing but white space around it.
  /// - Parameters:
  ///   - maxDepth: how many containers may be open at once.
  ///   - hasComments: whether the text may be JSONC.
  ///   - old: a document that may have much in common with it, so that this is faster.
  package convenience init(
    parsing text: [UInt8], maxDepth: Int = JSONScanner.defaultMaxDepth, hasComments: Bool = false,
    like old: JSONDocument? = nil
  ) throws(JSONError) {
    let bytes = hasComments ? JSONComments.blanked(text) : text
    var scanner = JSONScanner(maxDepth: maxDepth)
    let span = bytes.span
    let isComplete = if let old { try scanner.scan(span, like: old) } else { try scanner.scan(span, isLast: true) }
    guard isComplete else { throw JSONError(.empty, at: bytes.count) }
    var rest = scanner.offset
    while rest < span.count {
      guard span[rest].isWhiteSpace else { throw JSONError(.textAfterDocument, at: rest) }
      rest += 1
    }
    self.init(bytes, scannedBy: scanner, commented: hasComments && bytes != text ? text : nil)
  }

  /// Parses a text that this program wrote itself.
  package convenience init(known text: [UInt8]) {
    do { try self.init(parsing: text, maxDepth: .max) } catch { preconditionFailure("not JSON: \(error.message)") }
  }

  /// Whether a document can begin with these first bytes of a text (RFC 8259 §2, §3; a byte order mark is allowed).
  package static func mayBegin(with bytes: [UInt8]) -> Bool {
    guard let first = bytes.prefix(ByteReader.chunkSize).first(where: { !$0.isWhiteSpace }) else { return true }
    return "{[\"-tfn".utf8.contains(first) || first.isDigit || first == 0xEF
  }

  /// The text as it was read.
  package var text: [UInt8] { commented ?? bytes }

  /// The whole value.
  package var root: JSONValue { JSONValue(document: self, position: 0) }

  // MARK: The tape

  @inlinable @inline(__always)
  package func kind(_ position: Int) -> JSONKind { TapeWord.kind(tape[position]) }

  /// The offset of a value's first byte.
  @inlinable @inline(__always)
  package func start(_ position: Int) -> Int { TapeWord.offset(tape[position]) }

  /// The tape position after a value and everything in it.
  @inlinable @inline(__always)
  package func next(_ position: Int) -> Int {
    kind(position).isContainer ? TapeWord.offset(tape[position + 1]) : position + 1
  }

  /// The position of a container's first name or element.
  @inlinable @inline(__always)
  package func first(_ position: Int) -> Int { position + 2 }

  /// The position of a container's closing word, where its names or elements end.
  @inlinable @inline(__always)
  package func last(_ position: Int) -> Int { TapeWord.offset(tape[position + 1]) - 1 }

  /// The offset after a value's last byte.
  package func end(_ position: Int) -> Int {
    let start = start(position)
    let bytes = self.bytes
    let text = bytes.span
    switch kind(position) {
    case .array, .object: return TapeWord.offset(tape[last(position)]) + 1
    case .null, .true: return start + 4
    case .false: return start + 5
    case .string:
      return (firstIndex(of: UInt8(ascii: "\""), in: text, (start + 1)..<text.count) ?? text.count - 1) + 1
    case .escapedString:
      var index = start + 1
      var escaped = false
      _ = scanString(text, &index, escaped: &escaped)
      return index
    case .number:
      if let end = endOfNumber(text, start) { return end }
      var index = start
      var state = NumberState.start
      _ = scanNumber(text, &index, &state)
      return index
    }
  }
}

/// A value: a position on the tape of a document.
package struct JSONValue: Sendable {
  package let document: JSONDocument
  /// On the document's tape; 0 is the whole document.
  package let position: Int

  package init(document: JSONDocument, position: Int) {
    self.document = document
    self.position = position
  }

  package var kind: JSONKind { document.kind(position) }
  /// The bytes of the value in `document.bytes`.
  package var range: Range<Int> { document.start(position)..<document.end(position) }
  /// The value's text as written in the document.
  package var text: [UInt8] { Array(document.bytes[range]) }

  /// Whether two values are the same bytes.
  package func hasSameText(as other: JSONValue) -> Bool {
    let mine = document.bytes
    let others = other.document.bytes
    return sameBytes(mine.span.extracting(range), others.span.extracting(other.range))
  }

  /// The members or elements of a container, in order; empty for a scalar.
  package var children: JSONChildren { JSONChildren(of: self) }

  /// The value of a string, decoded; nil for anything else.
  package var string: [UInt8]? { kind.isString ? JSONString.decoded(self) : nil }
}

/// Iterates over the children of a container.
package struct JSONChildren: Sequence, IteratorProtocol, Sendable {
  /// A member or an element. The key is the name, a string; nil in an array.
  package typealias Child = (key: JSONValue?, value: JSONValue)

  private let document: JSONDocument
  private let isObject: Bool
  private var position: Int
  private let end: Int

  init(of value: JSONValue) {
    document = value.document
    isObject = value.kind == .object
    let isContainer = value.kind.isContainer
    position = isContainer ? document.first(value.position) : 0
    end = isContainer ? document.last(value.position) : 0
  }

  /// Reads one word or two of the tape; nothing is decoded.
  package mutating func next() -> Child? {
    guard position < end else { return nil }
    let key = isObject ? JSONValue(document: document, position: position) : nil
    let value = JSONValue(document: document, position: isObject ? position + 1 : position)
    position = document.next(value.position)
    return (key, value)
  }
}
