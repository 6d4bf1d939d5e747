// JSON Pointer, RFC 6901.

/// A path into a document: the decoded reference tokens, none for the whole document.
package struct JSONPointer: Equatable, Sendable {
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

  /// All tokens in two arrays, because a patch may have a million.
  package struct Tokens: RandomAccessCollection, Equatable, Sendable {
    /// Each token, with a slash before it.
    fileprivate var bytes: [UInt8] = []
    /// Where each token ends.
    fileprivate var ends: [UInt32] = []

    package var startIndex: Int { 0 }
    package var endIndex: Int { ends.count }

    package subscript(index: Int) -> ArraySlice<UInt8> { bytes[(end(of: index) + 1)..<Int(ends[index])] }

    /// Where the first `count` tokens end.
    fileprivate func end(of count: Int) -> Int { count == 0 ? 0 : Int(ends[count - 1]) }

    fileprivate mutating func append(_ token: some Collection<UInt8>) {
      bytes.append(UInt8(ascii: "/"))
      bytes += token
      ends.append(UInt32(bytes.count))
    }
  }

  /// From the outermost, with `~0` and `~1` already decoded.
  package private(set) var tokens = Tokens()

  package init() {}

  /// - Parameter tokens: decoded, so that `/` and `~` stand for themselves.
  package init(tokens: some Sequence<some Collection<UInt8>>) {
    for token in tokens { self.tokens.append(token) }
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
    guard !range.isEmpty else { return }
    guard text[range.lowerBound] == UInt8(ascii: "/") else { throw .noSlash }
    tokens.bytes.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = text[index]
      index += 1
      switch byte {
      case UInt8(ascii: "/"):
        if index - 1 > range.lowerBound { tokens.ends.append(UInt32(tokens.bytes.count)) }
        if tokens.ends.count >= maxDepth { throw .tooDeep(limit: maxDepth) }
        tokens.bytes.append(byte)
      case UInt8(ascii: "~"):
        switch index < range.upperBound ? text[index] : 0 {
        case UInt8(ascii: "0"): tokens.bytes.append(UInt8(ascii: "~"))
        case UInt8(ascii: "1"): tokens.bytes.append(UInt8(ascii: "/"))
        default: throw .badEscape
        }
        index += 1
      default: tokens.bytes.append(byte)
      }
    }
    tokens.ends.append(UInt32(tokens.bytes.count))
  }

  /// The string representation.
  package var text: [UInt8] {
    var result: [UInt8] = []
    for token in tokens {
      result.append(UInt8(ascii: "/"))
      for byte in token {
        switch byte {
        case UInt8(ascii: "~"): result += Array("~0".utf8)
        case UInt8(ascii: "/"): result += Array("~1".utf8)
        default: result.append(byte)
        }
      }
    }
    return result
  }

  /// The string representation for a message.
  package var shown: String { shortened(text) }

  /// The pointer of the first `count` tokens.
  package func prefix(_ count: Int) -> JSONPointer {
    var pointer = JSONPointer()
    pointer.tokens.bytes = Array(tokens.bytes[..<tokens.end(of: count)])
    pointer.tokens.ends = Array(tokens.ends[..<count])
    return pointer
  }

  /// The pointer to something inside the value.
  package func appending(_ token: some Collection<UInt8>) -> JSONPointer {
    var pointer = self
    pointer.tokens.append(token)
    return pointer
  }

  /// The pointer without its first `count` tokens.
  func suffix(after count: Int) -> JSONPointer {
    if count == 0 { return self }
    let start = tokens.end(of: count)
    var pointer = JSONPointer()
    pointer.tokens.bytes = Array(tokens.bytes[start...])
    pointer.tokens.ends = tokens.ends[count...].map { $0 - UInt32(start) }
    return pointer
  }

  /// Whether this pointer begins with `other`, or is the same.
  func begins(with other: JSONPointer) -> Bool {
    tokens.ends.starts(with: other.tokens.ends) && tokens.bytes.starts(with: other.tokens.bytes)
  }

  /// How many tokens two pointers have in common, from the first one.
  func commonCount(with other: JSONPointer) -> Int {
    let (bytes, others) = (tokens.bytes, other.tokens.bytes)
    var length = 0
    while length < min(bytes.count, others.count), bytes[length] == others[length] { length += 1 }
    var count = 0
    while count < min(tokens.count, other.tokens.count), tokens.ends[count] == other.tokens.ends[count],
      tokens.ends[count] <= length
    { count += 1 }
    return count
  }

  /// Whether `other` points to something inside the value that this one points to.
  package func isProperPrefix(of other: JSONPointer) -> Bool {
    tokens.count < other.tokens.count && other.begins(with: self)
  }

  /// Whether a token names an element of an array, or the place after the last one.
  package static func isIndex(_ token: ArraySlice<UInt8>) -> Bool {
    index(token) != nil || token == [UInt8(ascii: "-")]
  }

  /// A token as an array index (RFC 6901 §4): digits without a leading zero. Nil for anything else, and for a number
  /// beyond any array.
  package static func index(_ token: ArraySlice<UInt8>) -> Int? {
    guard token.count <= 18, token.count == 1 || token.first != UInt8(ascii: "0") else { return nil }
    return Int(decimal: token)
  }
}
