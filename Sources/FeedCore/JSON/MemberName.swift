/// How the text of a string begins that is a certain name: the first eight bytes after its quote, as far as its closing
/// quote. It tells a name of at most seven bytes, and most longer ones, by one comparison.
private struct NameHead {
  private let word: UInt64
  /// Which bytes count.
  private let mask: UInt64

  init(_ name: borrowing Span<UInt8>) {
    let first = paddedWord(name, at: 0)
    let isShort = name.count < 8
    word = isShort ? first | UInt64(UInt8(ascii: "\"")) << UInt64(name.count * 8) : first
    mask = isShort ? .max >> UInt64(56 - name.count * 8) : .max
  }

  @inline(__always)
  func matches(_ other: UInt64) -> Bool { (word ^ other) & mask == 0 }
}

/// A member's name that is looked for.
package struct MemberName: Sendable {
  let bytes: ArraySlice<UInt8>
  private let head: NameHead
  /// Whether a string without escapes can be this name.
  private let isPlain: Bool

  /// - Parameter bytes: the name, decoded.
  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    head = NameHead(bytes.span)
    isPlain = !bytes.contains(UInt8(ascii: "\""))
  }

  package init(_ text: String) { self.init(Array(text.utf8)[...]) }

  /// Whether the string at a position of a document's tape is this name.
  /// - Parameters:
  ///   - text: the document's bytes.
  ///   - tape: the document's tape.
  @inline(__always)
  func isString(
    at position: Int, of document: JSONDocument, _ text: borrowing Span<UInt8>, _ tape: borrowing Span<UInt64>
  ) -> Bool {
    let word = tape[position]
    guard TapeWord.valueKind(word) == .string else {
      return isDecoded(JSONValue(document: document, position: position))
    }
    let start = TapeWord.offset(word) &+ 1
    return head.matches(paddedWord(text, at: start)) && isPlain && (bytes.count < 8 || isRest(text, start))
  }

  /// The same without the spans.
  func isString(at position: Int, of document: JSONDocument) -> Bool {
    let (bytes, words) = (document.bytes, document.tape)
    return isString(at: position, of: document, bytes.span, words.span)
  }

  /// Whether a long name is all of the string whose first eight bytes it has.
  private func isRest(_ text: borrowing Span<UInt8>, _ start: Int) -> Bool {
    let end = start + bytes.count
    return end < text.count && text[end] == UInt8(ascii: "\"") && sameBytes(text.extracting(start..<end), bytes.span)
  }

  @inline(never)
  private func isDecoded(_ string: JSONValue) -> Bool { JSONString.decoded(string)[...] == bytes }
}

/// A few names of at most seven bytes, as a format has them. A string is compared with all of them at once.
struct ShortNames: Sendable {
  private let names: [[UInt8]]
  private let heads: [NameHead]

  init(_ names: String...) {
    self.names = names.map { Array($0.utf8) }
    precondition(self.names.allSatisfy { $0.count < 8 })
    heads = self.names.map { NameHead($0.span) }
  }

  subscript(index: Int) -> [UInt8] { names[index] }

  /// Which name a string without escapes is; nil if it is none of them.
  /// - Parameter start: where its first byte after the quote is in `text`.
  @inline(__always)
  func index(ofPlain start: Int, _ text: borrowing Span<UInt8>) -> Int? {
    let word = paddedWord(text, at: start)
    let heads = heads.span
    for index in heads.indices where heads[index].matches(word) { return index }
    return nil
  }

  /// Which name a string is; nil if it is none of them.
  @inline(__always)
  func index(of string: JSONValue) -> Int? {
    guard string.kind == .string else { return names.firstIndex(of: JSONString.decoded(string)) }
    let bytes = string.document.bytes
    return index(ofPlain: string.document.start(string.position) + 1, bytes.span)
  }

  /// Calls `body` with each member of an object that has one of the names.
  /// - Parameter body: gets the number of the name, and the tape position of the member's name.
  @inline(__always)
  func visitMembers<Failure>(
    of object: JSONValue, _ body: (_ name: Int, _ key: Int) throws(Failure) -> Void
  ) throws(Failure) {
    let document = object.document
    let (bytes, words) = (document.bytes, document.tape)
    let (text, tape) = (bytes.span, words.span)
    var key = document.first(object.position)
    let end = document.last(object.position)
    while key < end {
      let name =
        TapeWord.valueKind(tape[key]) == .string
        ? index(ofPlain: TapeWord.offset(tape[key]) &+ 1, text)
        : index(of: JSONValue(document: document, position: key))
      if let name { try body(name, key) }
      key = TapeWord.next(tape, key + 1)
    }
  }
}
