// A document is its bytes plus an index. The index is the *tape*: one word for each value and member name, in the
// order of the text, made by one validating pass. A word holds a byte offset and a kind; nothing is decoded.
//
//     {"a":[10,true],"b\n":"x"}          position  word
//     0123456789                                0  object  at 0
//                                               1  (skip)  11     the position after the object
//                                               2  string  at 1   the name "a"
//                                               3  array   at 5
//                                               4  (skip)  8
//                                               5  number  at 6
//                                               6  true    at 9
//                                               7  (end)   at 13  its closing bracket
//                                               8  escaped at 15  the name "b\n"; "escaped" is a string with a \ in it
//                                               9  string  at 21
//                                              10  (end)   at 24
//
// Until a container is closed, its second word says in which container it is. So the scanner needs no list of them.
//
// So a scalar takes one word and a container three. To skip a container takes one look at its second word, and to find
// its last byte one look at the word before that. The end of a scalar is found by reading it again, which happens only
// if its text is needed.

/// What a JSON value is.
@frozen
package enum JSONKind: UInt8, Sendable {
  case null, `true`, `false`, number, string, escapedString, array, object

  package var isString: Bool { self == .string || self == .escapedString }
  package var isContainer: Bool { self == .array || self == .object }

  /// The word for messages: `an array`.
  package var name: String {
    switch self {
    case .null: "null"
    case .true, .false: "a boolean"
    case .number: "a number"
    case .string, .escapedString: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// One word of the tape: kind in the low four bits, offset (or position) above.
package enum TapeWord {
  /// The first word of a value: its kind and the offset of its first byte.
  @inlinable
  package static func make(_ kind: JSONKind, at offset: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: offset) << 4 | UInt64(kind.rawValue)
  }

  /// The last word of a container, with the offset of its bracket.
  @inlinable
  package static func closing(at offset: Int) -> UInt64 { UInt64(offset) << 4 | 0xF }

  /// The second word of a closed container, with the position after the container.
  @inlinable
  package static func skip(to position: Int) -> UInt64 { UInt64(position) << 4 | 0xE }

  /// The second word of an open container, with the position and kind of the container around it.
  @inline(__always)
  static func inside(_ position: Int, isObject: Bool) -> UInt64 { UInt64(position) << 4 | (isObject ? 1 : 0) }

  @inline(__always)
  static func outer(_ word: UInt64) -> (position: Int, isObject: Bool) { (offset(word), word & 1 == 1) }

  @inlinable @inline(__always)
  package static func offset(_ word: UInt64) -> Int { Int(word >> 4) }

  @inlinable @inline(__always)
  package static func kind(_ word: UInt64) -> JSONKind {
    guard let kind = valueKind(word) else { preconditionFailure("not the first word of a value") }
    return kind
  }

  /// The kind of the value that the word begins; nil for a second or closing word of a container.
  @inlinable @inline(__always)
  package static func valueKind(_ word: UInt64) -> JSONKind? {
    JSONKind(rawValue: UInt8(truncatingIfNeeded: word & 0xF))
  }

  /// Whether the word is the second of a closed container.
  @inline(__always)
  static func isSkip(_ word: UInt64) -> Bool { word & 0xF == 0xE }

  /// The position after the value at `position` and everything in it.
  @inlinable @inline(__always)
  package static func next(_ tape: borrowing Span<UInt64>, _ position: Int) -> Int {
    // Only containers have a second word.
    tape[position] & 0xF >= UInt64(JSONKind.array.rawValue) ? offset(tape[position + 1]) : position + 1
  }
}
