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
