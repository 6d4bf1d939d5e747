// POINTER=VALUE: what a message must have at a place.

import FeedCore

struct Condition: Equatable {
  let pointer: JSONPointer
  let value: [UInt8]

  /// - Returns: nil when `text` is no such thing. A pointer may hold a `=`: the first one whose left side is a pointer
  ///   divides.
  init?(_ text: [UInt8]) {
    guard let cut = text.firstIndex(of: UInt8(ascii: "=")), let pointer = try? JSONPointer(Array(text[..<cut])) else {
      return nil
    }
    self.pointer = pointer
    value = Array(text[(cut + 1)...])
  }

  static let expected = "POINTER=VALUE such as /type=welcome"

  func holds(for document: JSONDocument) -> Bool {
    document.root.value(at: pointer)?.word == value
  }
}

extension JSONValue {
  /// The text of a string, or a number, `true`, `false` or `null` as it stands there; nil for objects and arrays.
  var word: [UInt8]? {
    if kind.isContainer { return nil }
    return string ?? text
  }
}
