// POINTER=VALUE: what a JSON value must have at a place.

package struct Condition: Equatable, Sendable {
  package let pointer: JSONPointer
  package let value: [UInt8]

  /// - Returns: nil when `text` is no such thing. A pointer may hold a `=`: the first one whose left side is a pointer
  ///   divides.
  package init?(_ text: [UInt8]) {
    guard let cut = text.firstIndex(of: UInt8(ascii: "=")), let pointer = try? JSONPointer(Array(text[..<cut])) else {
      return nil
    }
    self.pointer = pointer
    value = Array(text[(cut + 1)...])
  }

  package static let expected = "POINTER=VALUE such as /type=welcome"

  package func holds(for document: JSONDocument) -> Bool {
    document.root.value(at: pointer)?.word == value
  }
}

extension OptionType {
  /// A `Condition`.
  package static let condition = OptionType("POINTER=VALUE") { bytes throws(OptionRefusal) in
    if let condition = Condition(bytes) { return condition }
    if let cut = bytes.firstIndex(of: UInt8(ascii: "=")) {
      _ = try JSONPointer(typed: Array(bytes[..<cut]), suchAs: "/type")
    }
    throw .expected(Condition.expected, found: bytes)
  }
}

extension JSONValue {
  /// The text of a string, or a number, `true`, `false` or `null` as it stands there; nil for objects and arrays.
  package var word: [UInt8]? {
    if kind.isContainer { return nil }
    return string ?? text
  }
}
