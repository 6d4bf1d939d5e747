// JSON Pointer, RFC 6901.

/// A path into a document: the decoded reference tokens, none for the whole document.
package struct JSONPointer: Equatable, Sendable {
  package enum Problem: Error, Equatable, Sendable {
    /// Not empty and not starting with `/`.
    case noSlash
    /// A `~` that is not followed by 0 or 1.
    case badEscape

    package var message: String {
      switch self {
      case .noSlash: "a JSON Pointer must be empty or start with '/'"
      case .badEscape: "in a JSON Pointer '~' must be followed by 0 or 1"
      }
    }
  }

  package var tokens: [[UInt8]]

  package init(tokens: [[UInt8]] = []) { self.tokens = tokens }

  /// - Parameter text: the string representation (RFC 6901 §3) as UTF-8.
  package init(_ text: [UInt8]) throws(Problem) { try self.init(text, 0..<text.count) }

  /// - Parameter string: a value that is a string.
  init(of string: JSONValue) throws(Problem) {
    if string.kind == .string {
      let range = string.range
      try self.init(string.document.bytes, (range.lowerBound + 1)..<(range.upperBound - 1))
    } else {
      try self.init(JSONString.decoded(string))
    }
  }

  /// - Parameter range: where the string representation is in `text`.
  private init(_ text: [UInt8], _ range: Range<Int>) throws(Problem) {
    tokens = []
    guard !range.isEmpty else { return }
    guard text[range.lowerBound] == UInt8(ascii: "/") else { throw .noSlash }
    var start = range.lowerBound + 1
    var isEscaped = false
    for index in start...range.upperBound {
      if index == range.upperBound || text[index] == UInt8(ascii: "/") {
        tokens.append(isEscaped ? try Self.unescaped(text[start..<index]) : Array(text[start..<index]))
        start = index + 1
        isEscaped = false
      } else if text[index] == UInt8(ascii: "~") {
        isEscaped = true
      }
    }
  }

  private static func unescaped(_ text: ArraySlice<UInt8>) throws(Problem) -> [UInt8] {
    var token: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "~") else {
        token.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "0"): token.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): token.append(UInt8(ascii: "/"))
      default: throw .badEscape
      }
    }
    return token
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
  func prefix(_ count: Int) -> JSONPointer { JSONPointer(tokens: Array(tokens.prefix(count))) }

  /// Whether `other` points to something inside the value that this one points to.
  package func isProperPrefix(of other: JSONPointer) -> Bool {
    tokens.count < other.tokens.count && other.tokens.starts(with: tokens)
  }

  /// Whether a token names an element of an array, or the place after the last one.
  package static func isIndex(_ token: [UInt8]) -> Bool { index(token) != nil || token == [UInt8(ascii: "-")] }

  /// A token as an array index (RFC 6901 §4): digits without a leading zero. Nil for anything else, and for a number
  /// beyond any array.
  package static func index(_ token: [UInt8]) -> Int? {
    guard token.count <= 18, token.count == 1 || token.first != UInt8(ascii: "0") else { return nil }
    return Int(decimal: token)
  }
}
