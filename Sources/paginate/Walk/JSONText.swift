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
  /// The value that `pointer` names in this one; nil where there is none.
  func value(at pointer: JSONPointer) -> JSONValue? {
    var value = self
    for token in pointer.tokens {
      switch value.kind {
      case .object:
        guard let member = value.member(token) else { return nil }
        value = member
      case .array:
        guard JSONPointer.isIndex(token), let index = Int(String(decoding: token, as: UTF8.self)),
          let element = value.children.dropFirst(index).first(where: { _ in true })
        else { return nil }
        value = element.value
      default: return nil
      }
    }
    return value
  }

  func member(_ name: String) -> JSONValue? { member(Array(name.utf8)) }

  var isNull: Bool { kind == .null }
}
