// What `--identity` takes: the members that tell the items of an array apart.

/// `POINTER=NAME,...`: the members of these names identify the items of an array together.
package struct IdentityRule: Sendable {
  package let array: JSONPointer
  package let members: [[UInt8]]

  package init(array: JSONPointer, members: [[UInt8]]) {
    self.array = array
    self.members = members
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
