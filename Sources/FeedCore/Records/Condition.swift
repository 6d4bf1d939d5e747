/// POINTER=VALUE: a place in a JSON value, and the value that must be there.
package struct Condition: Equatable, Sendable {
  package let pointer: JSONPointer
  /// Nil if any value will do, except null and false.
  package let value: [UInt8]?

  /// - Returns: nil if `text` is malformed. A pointer may contain `=`, so the text is divided at the first `=` whose
  ///   left side is a pointer.
  package init?(_ text: [UInt8]) {
    guard let cut = text.firstIndex(of: UInt8(ascii: "=")), let pointer = try? JSONPointer(Array(text[..<cut])) else {
      return nil
    }
    self.pointer = pointer
    value = Array(text[(cut + 1)...])
  }

  /// The condition that there is a value, neither null nor false.
  package init(presence pointer: JSONPointer) {
    self.pointer = pointer
    value = nil
  }

  package static let expected = "POINTER=VALUE such as /type=welcome"

  /// The condition as it is typed.
  package var text: [UInt8] { pointer.text + (value.map { [UInt8(ascii: "=")] + $0 } ?? []) }

  package func holds(for document: JSONDocument) -> Bool { holds(for: document.root) }

  package func holds(for root: JSONValue) -> Bool {
    guard let found = root.value(at: pointer) else { return false }
    if let value { return found.word == value }
    return found.kind != .null && found.kind != .false
  }
}

extension OptionType<Condition> {
  package static let condition = Self("POINTER=VALUE") { bytes throws(OptionRefusal) in
    if let condition = Condition(bytes) { return condition }
    if let cut = bytes.firstIndex(of: UInt8(ascii: "=")) {
      _ = try JSONPointer(typed: Array(bytes[..<cut]), suchAs: "/type")
    }
    throw .expected(Condition.expected, found: bytes)
  }

  /// A condition, or a pointer to a value that must be there.
  package static let presence = Self("POINTER[=VALUE]") { bytes throws(OptionRefusal) in
    if let condition = Condition(bytes) { return condition }
    return Condition(presence: try JSONPointer(typed: bytes, suchAs: "/error or /state=failed"))
  }
}

extension JSONValue {
  /// The text of a string, or a number, `true`, `false` or `null` as written; nil for objects and arrays.
  package var word: [UInt8]? {
    if kind.isContainer { return nil }
    return string ?? text
  }
}
