// Small helpers between JSON values and the texts that a request is made of.

import FeedCore

enum JSONText {
  /// A string as a tree, to be put into another.
  static func string(_ bytes: [UInt8]) -> JSONTree {
    var output = ByteWriter()
    JSONString.write(bytes, to: &output)
    return JSONTree(JSONDocument(known: output.take()).root)
  }

  /// The text of an edited document, with all that was not touched as it was.
  static func edited(_ tree: JSONTree, of document: JSONDocument) -> [UInt8] {
    if tree.untouched != nil { return document.bytes }
    var output = ByteWriter()
    JSONVerbatimWriter(of: document).write(tree, to: &output)
    return output.take()
  }

  /// The text of a string, or the token of a number; nil for anything else.
  static func scalar(_ value: JSONValue) -> [UInt8]? {
    switch value.kind {
    case .number: value.text
    case .string, .escapedString: JSONString.decoded(value)
    default: nil
    }
  }
}

extension JSONValue {
  /// The value that `pointer` names in this one; nil where there is none. Of members with one name the last counts.
  func value(at pointer: JSONPointer) -> JSONValue? {
    var position = self.position
    for token in pointer.tokens {
      let found: Int?
      switch document.kind(position) {
      case .object: found = Self.member(token, of: position, in: document)
      case .array: found = Self.element(token, of: position, in: document)
      default: found = nil
      }
      guard let found else { return nil }
      position = found
    }
    return JSONValue(document: document, position: position)
  }

  func member(_ name: String) -> JSONValue? { member(Array(name.utf8)) }

  var isNull: Bool { kind == .null }

  // Ids are looked up for every item: here on the tape itself, where no value is made on the way.

  private static func member(_ name: [UInt8], of object: Int, in document: JSONDocument) -> Int? {
    let (bytes, words) = (document.bytes, document.tape)
    let (text, tape, wanted) = (bytes.span, words.span, name.span)
    var found: Int?
    var position = object + 2
    let end = TapeWord.offset(tape[object + 1]) - 1
    while position < end {
      let start = TapeWord.offset(tape[position]) + 1
      let isSame: Bool
      if TapeWord.kind(tape[position]) == .string {
        // The quote that ends the name cannot be inside of it, but may be inside of what is wanted.
        isSame =
          start + wanted.count < text.count && text[start + wanted.count] == UInt8(ascii: "\"")
          && sameBytes(text.extracting(start..<(start + wanted.count)), wanted) && !name.contains(UInt8(ascii: "\""))
      } else {
        isSame = JSONString.equals(JSONValue(document: document, position: position), name)
      }
      if isSame { found = position + 1 }
      position = TapeWord.next(tape, position + 1)
    }
    return found
  }

  private static func element(_ token: [UInt8], of array: Int, in document: JSONDocument) -> Int? {
    guard var left = JSONPointer.index(token) else { return nil }
    var position = document.first(array)
    let end = document.last(array)
    while position < end {
      if left == 0 { return position }
      left -= 1
      position = document.next(position)
    }
    return nil
  }
}
