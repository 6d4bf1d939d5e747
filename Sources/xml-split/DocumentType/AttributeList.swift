// Attribute-list declarations ([52] to [60]): only the grammar, and the entities in default values.

import FeedCore

enum AttributeList {
  /// - Parameters:
  ///   - cursor: after `<!ATTLIST`; at the end, after the `>`.
  ///   - entities: those that default values may refer to.
  static func parse(_ cursor: inout XMLCursor, _ entities: inout XMLEntities) throws(XMLError) {
    try cursor.space("white space after '<!ATTLIST'")
    _ = try cursor.name("the name of an element")
    while true {
      let hasSpace = cursor.skipSpace()
      if cursor.take(">") { return }
      guard hasSpace else { throw cursor.error("expected white space or '>'") }
      _ = try cursor.name("the name of an attribute")
      try cursor.space("white space after the name of an attribute")
      try attributeType(&cursor)
      try cursor.space("white space after the type of an attribute")
      try defaultValue(&cursor, &entities)
    }
  }

  /// [54] AttType.
  private static func attributeType(_ cursor: inout XMLCursor) throws(XMLError) {
    if cursor.byte == UInt8(ascii: "(") { return try enumeration(&cursor, isToken: true) }
    let start = cursor.index
    let type = String(decoding: try cursor.name("the type of an attribute"), as: UTF8.self)
    switch type {
    case "CDATA", "ID", "IDREF", "IDREFS", "ENTITY", "ENTITIES", "NMTOKEN", "NMTOKENS": return
    case "NOTATION":
      try cursor.space("white space after 'NOTATION'")
      try enumeration(&cursor, isToken: false)
    default:
      cursor.index = start
      throw cursor.error("expected the type of an attribute")
    }
  }

  private static func enumeration(_ cursor: inout XMLCursor, isToken: Bool) throws(XMLError) {
    guard cursor.take("(") else { throw cursor.error("expected '('") }
    while true {
      _ = cursor.skipSpace()
      _ = try cursor.name(isToken ? "a value" : "the name of a notation", isToken: isToken)
      _ = cursor.skipSpace()
      if cursor.take(")") { return }
      guard cursor.take("|") else { throw cursor.error("expected '|' or ')'") }
    }
  }

  /// [60] DefaultDecl.
  private static func defaultValue(_ cursor: inout XMLCursor, _ entities: inout XMLEntities) throws(XMLError) {
    if cursor.take("#REQUIRED") || cursor.take("#IMPLIED") { return }
    if cursor.take("#FIXED") { try cursor.space("white space after '#FIXED'") }
    guard let quote = cursor.byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw cursor.error("expected a default value in quotes")
    }
    cursor.index += 1
    while let byte = cursor.byte {
      switch byte {
      case quote:
        cursor.index += 1
        return
      case UInt8(ascii: "<"): throw cursor.error("'<' in an attribute value")
      case UInt8(ascii: "&"):
        let offset = cursor.offset
        if case .entity(let name) = try cursor.reference() {
          try entities.check(name, in: .attribute, at: offset)
        }
      default: try cursor.character()
      }
    }
    throw cursor.error("a quote that is not closed")
  }
}
