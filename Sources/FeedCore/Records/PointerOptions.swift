// Options that take a JSON Pointer. People often type `results`, `.results[0]` or `#/results`, so the message suggests
// the pointer that they probably meant.

extension OptionType<JSONPointer> {
  /// A `JSONPointer`; the empty pointer is the whole document.
  /// - Parameter example: a pointer that makes sense here, for the message.
  package static func pointer(_ example: String) -> Self {
    Self("POINTER") { bytes throws(OptionRefusal) in try JSONPointer(typed: bytes, suchAs: example) }
  }
}

extension JSONPointer {
  /// Parses a pointer that is the value of an option, or a part of it.
  package init(typed text: [UInt8], suchAs example: String) throws(OptionRefusal) {
    do { self = try JSONPointer(text) } catch {
      let refusal = OptionRefusal.expected("a JSON Pointer such as " + example, found: text)
      throw OptionRefusal(refusal.message + "; did you mean '\(quoted(Self.suggestion(for: text)))'?")
    }
  }

  /// The pointer that was probably meant by a text that is not one.
  static func suggestion(for text: [UInt8]) -> [UInt8] {
    var rest = text[...]
    // The root of JSONPath, and the URI fragment of JSON Schema.
    if let first = rest.first, first == UInt8(ascii: "$") || first == UInt8(ascii: "#"),
      isSeparator(rest.dropFirst().first)
    {
      rest = rest.dropFirst()
    }
    let isPath = rest.first == UInt8(ascii: ".") || rest.first == UInt8(ascii: "[")
    let steps = isPath ? slashed(rest) : Array(rest)
    let pointer = (steps.first == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + steps
    var result: [UInt8] = []
    for (index, byte) in pointer.enumerated() {
      result.append(byte)
      // RFC 6901 §3: a `~` in the name must be escaped.
      let next = index + 1 < pointer.count ? pointer[index + 1] : 0
      if byte == UInt8(ascii: "~"), next != UInt8(ascii: "0"), next != UInt8(ascii: "1") {
        result.append(UInt8(ascii: "0"))
      }
    }
    return result
  }

  private static func isSeparator(_ byte: UInt8?) -> Bool {
    guard let byte else { return false }
    return byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "/")
  }

  /// `.results[0].title` as `/results/0/title`.
  private static func slashed(_ path: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    for byte in path {
      switch byte {
      case UInt8(ascii: "."), UInt8(ascii: "["):
        if result.last != UInt8(ascii: "/") { result.append(UInt8(ascii: "/")) }
      case UInt8(ascii: "]"), UInt8(ascii: "\""), UInt8(ascii: "'"): break
      default: result.append(byte)
      }
    }
    return result
  }
}

/// POINTER[=VALUE]: a place in a JSON value, and the value that must be there.
package struct Condition: Equatable, Sendable {
  package let pointer: JSONPointer
  /// Nil if any value will do, except null and false.
  package let value: [UInt8]?

  /// Parses the value of an option: at the first `=`, the pointer ends.
  package init(typed text: [UInt8]) throws(OptionRefusal) {
    let parts = text.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
    value = parts.count > 1 ? parts[1] : nil
    guard let pointer = try? JSONPointer(parts[0]) else {
      self.pointer = try JSONPointer(typed: text, suchAs: "/error or /state=done")
      return
    }
    self.pointer = pointer
  }

  /// The condition as it is typed.
  package var text: [UInt8] { pointer.text + (value.map { [UInt8(ascii: "=")] + $0 } ?? []) }

  /// Whether it holds for a text. The empty pointer stands for the whole text, which then need not be JSON.
  /// - Parameter document: the text as JSON; nil if it is not JSON.
  package func holds(for text: [UInt8], _ document: JSONDocument?) -> Bool {
    pointer.tokens.isEmpty && text == value || document.map { holds(for: $0.root) } ?? false
  }

  /// Whether it holds where it names a failure (`--fail-match`): without a value, 0 and what is empty name none.
  package func namesFailure(for text: [UInt8], _ document: JSONDocument?) -> Bool {
    holds(for: text, document) && (value != nil || document.map { namesFailure(in: $0.root) } ?? false)
  }

  package func namesFailure(in root: JSONValue) -> Bool {
    guard holds(for: root) else { return false }
    guard value == nil, let found = root.value(at: pointer) else { return true }
    return !found.isZero && found.string?.isEmpty != true
      && (!found.kind.isContainer || found.children.contains { _ in true })
  }

  /// Whether the value is there, compared as text: `1.0` is not `1`.
  package func holds(for root: JSONValue) -> Bool {
    guard let found = root.value(at: pointer) else { return false }
    if let value { return found.word == value }
    return found.kind != .null && found.kind != .false
  }
}

extension OptionType<Condition> {
  package static let condition = Self("POINTER[=VALUE]") { bytes throws(OptionRefusal) in try Condition(typed: bytes) }
}

extension JSONValue {
  /// Whether it is the number 0, however written.
  package var isZero: Bool {
    kind == .number
      && text.prefix { $0 | 0x20 != UInt8(ascii: "e") }.allSatisfy { $0 == UInt8(ascii: "0") || !$0.isDigit }
  }

  /// The text of a string, or a number, `true`, `false` or `null` as written; nil for objects and arrays.
  package var word: [UInt8]? {
    if kind.isContainer { return nil }
    return string ?? text
  }
}

/// `POINTER=NAME,...`, the value of `--identity`: the members of these names together tell the items of an array apart.
package struct IdentityRule: Sendable {
  package let array: JSONPointer
  package let members: [[UInt8]]

  package init(array: JSONPointer, members: [[UInt8]]) {
    (self.array, self.members) = (array, members)
  }

  /// The rule as it is typed.
  package var text: [UInt8] {
    let names = members.map {
      $0.flatMap { [UInt8(ascii: ","), UInt8(ascii: "\\")].contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
    }
    return array.text + [UInt8(ascii: "=")] + names.joined(separator: [UInt8(ascii: ",")])
  }
}

extension OptionType<IdentityRule> {
  package static let identity = Self("POINTER=NAME,...") { bytes throws(OptionRefusal) in
    guard let mark = bytes.lastIndex(of: UInt8(ascii: "=")), mark + 1 < bytes.count else {
      throw .expected("POINTER=NAME, such as /results=id", found: bytes)
    }
    let array = try JSONPointer(typed: Array(bytes[..<mark]), suchAs: "/results")
    return IdentityRule(array: array, members: names(bytes[(mark + 1)...]))
  }

  /// Names with commas between them. A backslash takes the special meaning from a comma or a backslash.
  private static func names(_ text: ArraySlice<UInt8>) -> [[UInt8]] {
    var names: [[UInt8]] = [[]]
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), let next = rest.first, next == byte || next == UInt8(ascii: ",") {
        names[names.count - 1].append(next)
        rest.removeFirst()
      } else if byte == UInt8(ascii: ",") {
        names.append([])
      } else {
        names[names.count - 1].append(byte)
      }
    }
    return names
  }
}
