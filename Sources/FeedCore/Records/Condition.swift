// POINTER=VALUE: a place in a JSON value, and the value that must be there.

package struct Condition: Equatable, Sendable {
  package let pointer: JSONPointer
  package let value: [UInt8]

  /// - Returns: nil if `text` is malformed. A pointer may contain `=`, so the text is divided at the first `=` whose
  ///   left side is a pointer.
  package init?(_ text: [UInt8]) {
    guard let cut = text.firstIndex(of: UInt8(ascii: "=")), let pointer = try? JSONPointer(Array(text[..<cut])) else {
      return nil
    }
    self.pointer = pointer
    value = Array(text[(cut + 1)...])
  }

  package static let expected = "POINTER=VALUE such as /type=welcome"

  package func holds(for document: JSONDocument) -> Bool { holds(for: document.root) }

  package func holds(for root: JSONValue) -> Bool { root.value(at: pointer)?.word == value }
}

extension OptionType {
  package static let condition = OptionType("POINTER=VALUE") { bytes throws(OptionRefusal) in
    if let condition = Condition(bytes) { return condition }
    if let cut = bytes.firstIndex(of: UInt8(ascii: "=")) {
      _ = try JSONPointer(typed: Array(bytes[..<cut]), suchAs: "/type")
    }
    throw .expected(Condition.expected, found: bytes)
  }
}

extension JSONValue {
  /// The text of a string, or a number, `true`, `false` or `null` as written; nil for objects and arrays.
  package var word: [UInt8]? {
    if kind.isContainer { return nil }
    return string ?? text
  }
}
