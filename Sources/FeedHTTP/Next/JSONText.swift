import FeedCore

/// Small conversions between JSON values and the texts in a request.
package enum JSONText {
  /// A string as a tree, to insert into another.
  package static func string(_ bytes: [UInt8]) -> JSONTree {
    var output = ByteWriter()
    JSONString.write(bytes, to: &output)
    return JSONTree(JSONDocument(known: output.take()).root)
  }

  /// The text of an edited document; the rest of it is unchanged.
  package static func edited(_ tree: JSONTree, of document: JSONDocument) -> [UInt8] {
    if tree.untouched != nil { return document.bytes }
    var output = ByteWriter()
    JSONVerbatimWriter(of: document).write(tree, to: &output)
    return output.take()
  }

  /// The text of a string, or the token of a number; nil for anything else.
  package static func scalar(_ value: JSONValue) -> [UInt8]? {
    switch value.kind {
    case .number: value.text
    case .string, .escapedString: JSONString.decoded(value)
    case .null, .true, .false, .array, .object: nil
    }
  }
}

extension JSONValue {
  package var isNull: Bool { kind == .null }
}
