// JSON Pointer, RFC 6901.

/// A path into a document: the decoded reference tokens, none for the whole document.
///
/// It is a part of the text that it was read from, often that of a patch with a million pointers. A token is found and
/// decoded when it is asked for.
package struct JSONPointer: Sendable {
  /// Why a text is no pointer (RFC 6901 §3).
  package enum SyntaxProblem: Error, Equatable, Sendable {
    /// Not empty and not starting with `/`.
    case noSlash
    /// A `~` that is not followed by 0 or 1.
    case badEscape
    /// More tokens than a document has levels.
    case tooDeep(limit: Int)

    package var message: String {
      switch self {
      case .noSlash: "a JSON Pointer must be empty or start with '/'"
      case .badEscape: "in a JSON Pointer '~' must be followed by 0 or 1"
      case .tooDeep(let limit): "more than \(limit) tokens"
      }
    }

    var limit: Limit? { if case .tooDeep = self { .depth } else { nil } }
  }

  /// The bytes that hold the string representation (RFC 6901 §3), and where it is in them. `~0` and `~1` are the only
  /// way to write what they stand for. So two pointers are equal if their texts are.
  private let bytes: [UInt8]
  private var range: Range<Int>
  /// How many tokens it has.
  private var count: Int
  /// Whether a token may have to be decoded.
  private let hasEscapes: Bool

  /// The whole document.
  package init() { self.init(bytes: [], 0..<0, count: 0, hasEscapes: false) }

  private init(bytes: [UInt8], _ range: Range<Int>, count: Int, hasEscapes: Bool) {
    (self.bytes, self.range, self.count, self.hasEscapes) = (bytes, range, count, hasEscapes)
  }

  /// - Parameter tokens: decoded, so that `/` and `~` stand for themselves.
  package init(tokens: some Sequence<some Collection<UInt8>>) {
    var bytes: [UInt8] = []
    var count = 0
    for token in tokens {
      Self.write(token, to: &bytes)
      count += 1
    }
    self.init(bytes: bytes, 0..<bytes.count, count: count, hasEscapes: bytes.contains(UInt8(ascii: "~")))
  }

  /// - Parameter text: the string representation (RFC 6901 §3) as UTF-8.
  package init(_ text: [UInt8]) throws(SyntaxProblem) { try self.init(text, 0..<text.count, maxDepth: .max) }

  /// - Parameters:
  ///   - string: a value that is a string.
  ///   - maxDepth: the most tokens.
  init(of string: JSONValue, maxDepth: Int = .max) throws(SyntaxProblem) {
    if string.kind == .string {
      let range = string.range
      try self.init(string.document.bytes, (range.lowerBound + 1)..<(range.upperBound - 1), maxDepth: maxDepth)
    } else {
      let text = JSONString.decoded(string)
      try self.init(text, 0..<text.count, maxDepth: maxDepth)
    }
  }

  /// - Parameter range: where the string representation is in `text`.
  private init(_ text: [UInt8], _ range: Range<Int>, maxDepth: Int) throws(SyntaxProblem) {
    let bytes = text.span
    guard range.isEmpty || bytes[range.lowerBound] == UInt8(ascii: "/") else { throw .noSlash }
    var count = 0
    var hasEscapes = false
    for index in range {
      switch bytes[index] {
      case UInt8(ascii: "/"):
        if count == maxDepth { throw .tooDeep(limit: maxDepth) }
        count += 1
      case UInt8(ascii: "~"):
        guard index + 1 < range.upperBound, bytes[index + 1] | 1 == UInt8(ascii: "1") else { throw .badEscape }
        hasEscapes = true
      default: break
      }
    }
    self.init(bytes: text, range, count: count, hasEscapes: hasEscapes)
  }

  /// The string representation.
  package var text: [UInt8] { Array(bytes[range]) }

  /// The string representation for a message.
  package var shown: String { shortened(text) }

  // MARK: Tokens

  /// The tokens, from the outermost.
  package var tokens: Tokens { Tokens(pointer: self) }

  package struct Tokens: Sequence {
    fileprivate let pointer: JSONPointer

    package var count: Int { pointer.count }
    package var isEmpty: Bool { pointer.count == 0 }
    package var first: ArraySlice<UInt8>? { first { _ in true } }
    package var last: ArraySlice<UInt8>? { isEmpty ? nil : self[count - 1] }

    /// A token by its number. It takes time in proportion to the pointer's length.
    package subscript(number: Int) -> ArraySlice<UInt8> {
      let end = pointer.end(of: number + 1)
      return pointer.token(pointer.end(of: number), end)
    }

    package func makeIterator() -> TokenIterator { TokenIterator(pointer: pointer, place: pointer.range.lowerBound) }

    package struct TokenIterator: IteratorProtocol {
      fileprivate let pointer: JSONPointer
      /// Where the next token's slash is.
      fileprivate var place: Int

      package mutating func next() -> ArraySlice<UInt8>? {
        guard place < pointer.range.upperBound else { return nil }
        let start = place
        place = pointer.end(from: start)
        return pointer.token(start, place)
      }
    }
  }

  /// Where the token ends whose slash is at `place`.
  private func end(from place: Int) -> Int {
    let text = bytes.span
    var end = place + 1
    while end < range.upperBound, text[end] != UInt8(ascii: "/") { end += 1 }
    return end
  }

  /// Where the first `count` tokens end.
  private func end(of count: Int) -> Int {
    if count == self.count { return range.upperBound }
    var end = range.lowerBound
    for _ in 0..<count { end = self.end(from: end) }
    return end
  }

  /// The token whose slash is at `start`, decoded.
  private func token(_ start: Int, _ end: Int) -> ArraySlice<UInt8> {
    let text = bytes[(start + 1)..<end]
    guard hasEscapes, text.contains(UInt8(ascii: "~")) else { return text }
    var token: [UInt8] = []
    var isEscaped = false
    for byte in text {
      if isEscaped {
        token.append(byte == UInt8(ascii: "0") ? UInt8(ascii: "~") : UInt8(ascii: "/"))
      } else if byte != UInt8(ascii: "~") {
        token.append(byte)
      }
      isEscaped = byte == UInt8(ascii: "~")
    }
    return token[...]
  }

  private static func write(_ token: some Collection<UInt8>, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "/"))
    for byte in token {
      switch byte {
      case UInt8(ascii: "~"): text += Array("~0".utf8)
      case UInt8(ascii: "/"): text += Array("~1".utf8)
      default: text.append(byte)
      }
    }
  }

  /// The token for the place after an array's last element.
  static let dash: ArraySlice = [UInt8(ascii: "-")]

  /// Whether a token names an element of an array, or the place after the last one.
  package static func isIndex(_ token: ArraySlice<UInt8>) -> Bool { index(token) != nil || token == dash }

  /// A token as an array index (RFC 6901 §4): digits without a leading zero. Nil for anything else, and for a number
  /// beyond any array.
  package static func index(_ token: ArraySlice<UInt8>) -> Int? {
    guard token.count <= 18, token.count == 1 || token.first != UInt8(ascii: "0") else { return nil }
    return Int(decimal: token)
  }

  // MARK: Parts

  /// The pointer of the first `count` tokens.
  package func prefix(_ count: Int) -> JSONPointer {
    var pointer = self
    pointer.range = range.lowerBound..<end(of: count)
    pointer.count = count
    return pointer
  }

  /// The pointer to something inside the value.
  package func appending(_ token: some Collection<UInt8>) -> JSONPointer {
    var text = self.text
    Self.write(token, to: &text)
    return JSONPointer(
      bytes: text, 0..<text.count, count: count + 1, hasEscapes: hasEscapes || text.contains(UInt8(ascii: "~")))
  }

  /// The pointer without its first `count` tokens.
  func suffix(after count: Int) -> JSONPointer {
    var pointer = self
    pointer.range = end(of: count)..<range.upperBound
    pointer.count -= count
    return pointer
  }

  /// Whether this pointer begins with `other`, or is the same.
  func begins(with other: JSONPointer) -> Bool {
    let end = range.lowerBound + other.range.count
    guard end <= range.upperBound, end == range.upperBound || bytes[end] == UInt8(ascii: "/") else { return false }
    return sameBytes(bytes.span.extracting(range.lowerBound..<end), other.bytes.span.extracting(other.range))
  }

  /// How many tokens two pointers have in common, from the first one.
  func commonCount(with other: JSONPointer) -> Int {
    let (text, others) = (bytes.span, other.bytes.span)
    var (place, otherPlace, common) = (range.lowerBound, other.range.lowerBound, 0)
    while place < range.upperBound, otherPlace < other.range.upperBound {
      let (end, otherEnd) = (end(from: place), other.end(from: otherPlace))
      guard sameBytes(text.extracting(place..<end), others.extracting(otherPlace..<otherEnd)) else { break }
      (place, otherPlace, common) = (end, otherEnd, common + 1)
    }
    return common
  }

  /// Whether `other` points to something inside the value that this one points to.
  package func isProperPrefix(of other: JSONPointer) -> Bool { count < other.count && other.begins(with: self) }
}

extension JSONPointer: Equatable {
  package static func == (left: JSONPointer, right: JSONPointer) -> Bool {
    sameBytes(left.bytes.span.extracting(left.range), right.bytes.span.extracting(right.range))
  }
}
