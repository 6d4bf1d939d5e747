/// What is wrong with a text that should be JSON (RFC 8259), and at which byte.
package struct JSONError: LocatedError, Equatable, Sendable {
  /// What was expected, or what is not allowed.
  package enum Kind: Equatable, Sendable {
    case expectedValue
    case expectedElementOrEnd
    case expectedKey
    case expectedKeyOrEnd
    case expectedColon
    case expectedElementEnd
    case expectedMemberEnd
    case textAfterDocument
    case badLiteral
    case leadingZero
    case expectedDigit
    case badEscape
    case controlInString
    case badUTF8
    case notUTF8Text
    case tooDeep(limit: Int)
    case tooLarge(limit: Int)
    case empty
    case endInString
    case endInComment
    case endOfInput
  }

  /// Tests and hints go by it; people get `message`.
  package let kind: Kind
  /// In bytes from the start of the document.
  package let offset: Int

  package init(_ kind: Kind, at offset: Int) {
    self.kind = kind
    self.offset = offset
  }

  package var message: String { message(inA: "input") }

  package var limit: Limit? {
    if case .tooDeep = kind { return .depth }
    if case .tooLarge = kind { return .size }
    return nil
  }

  /// - Parameter unit: the thing that ended too early: `input`, `line`.
  func message(inA unit: String) -> String {
    switch kind {
    case .expectedValue: "expected a JSON value"
    case .expectedElementOrEnd: "expected a JSON value or ']'"
    case .expectedKey: "expected a member name in double quotes"
    case .expectedKeyOrEnd: "expected a member name in double quotes or '}'"
    case .expectedColon: "expected ':' after a member name"
    case .expectedElementEnd: "expected ',' or ']' after an array element"
    case .expectedMemberEnd: "expected ',' or '}' after an object member"
    case .textAfterDocument: "unexpected text after the JSON document"
    case .badLiteral: "expected true, false or null"
    case .leadingZero: "a number must not have leading zeros"
    case .expectedDigit: "expected a digit in a number"
    case .badEscape: "invalid escape in a string"
    case .controlInString: "a control character in a string must be escaped"
    case .badUTF8: "invalid UTF-8 in a string"
    case .notUTF8Text: "the text is not UTF-8 (UTF-16 or UTF-32?)"
    case .tooDeep(let limit): "nested deeper than \(limit) levels"
    case .tooLarge(let limit): "more than \(limit) bytes"
    case .empty: "expected a JSON document, found nothing"
    case .endInString: "the \(unit) ends inside a string"
    case .endInComment: "the \(unit) ends inside the comment that begins here"
    case .endOfInput: "the \(unit) ends inside the JSON document"
    }
  }
}

/// Why a JSON value is not of the expected format, such as a patch or an event record.
package struct FormatError: LocatedError, Equatable, Sendable {
  /// Says where in the format it is too, such as `op 3: no 'path'`; lower case, no full stop.
  package let message: String
  package let limit: Limit?
  /// In the document that contains the value.
  package let offset: Int

  package init(_ message: String, at value: JSONValue, limit: Limit? = nil) {
    self.init(message, at: value.range.lowerBound, limit: limit)
  }

  package init(_ message: String, at offset: Int, limit: Limit? = nil) {
    self.message = message
    self.limit = limit
    self.offset = offset
  }
}
