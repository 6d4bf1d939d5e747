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
  package init(_ text: [UInt8]) throws(Problem) {
    tokens = []
    guard let first = text.first else { return }
    guard first == UInt8(ascii: "/") else { throw .noSlash }
    var token: [UInt8] = []
    var rest = text.dropFirst()
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "/"):
        tokens.append(token)
        token = []
      case UInt8(ascii: "~"):
        switch rest.popFirst() {
        case UInt8(ascii: "0"): token.append(UInt8(ascii: "~"))
        case UInt8(ascii: "1"): token.append(UInt8(ascii: "/"))
        default: throw .badEscape
        }
      default: token.append(byte)
      }
    }
    tokens.append(token)
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
